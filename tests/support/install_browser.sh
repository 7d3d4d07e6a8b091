#!/bin/sh
# Installs the Chromium in which tests look at the report's page, from Debian's packages, unless there is one.
set -eu
for name in chromium-headless-shell chromium chromium-browser google-chrome chrome; do
    if command -v "$name" > /dev/null; then exit 0; fi
done
command -v apt-get > /dev/null || {
    echo "tests/pipeline/test_report.py wants a Chromium: without apt-get, install one by hand." >&2
    exit 1
}
as_root=$([ "$(id -u)" -eq 0 ] || echo sudo)
$as_root apt-get update -qq
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -qq -y --no-install-recommends chromium-headless-shell > /dev/null
