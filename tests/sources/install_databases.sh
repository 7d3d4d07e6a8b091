#!/bin/sh
# Installs the databases that tests/sources starts, from Debian's packages, unless they are there.
set -eu
if command -v mariadbd > /dev/null && command -v mariadb-install-db > /dev/null \
    && [ -x "$(ls -d /usr/lib/postgresql/*/bin/postgres 2> /dev/null | tail -1)" ]; then
    exit 0
fi
command -v apt-get > /dev/null || {
    echo "tests/sources wants PostgreSQL and MariaDB: without apt-get, install both servers by hand." >&2
    exit 1
}
as_root=$([ "$(id -u)" -eq 0 ] || echo sudo)
$as_root apt-get update -qq
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -qq -y --no-install-recommends postgresql mariadb-server > /dev/null
