"""Lints what Spark runs: every compiled model and every script that the last run left in target/.

`make lint` calls it; without a target/ it lets dbt compile first.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent


def main() -> int:
    """Return sqlfluff's exit code over the files that dbt wrote for our models."""
    compiled = ROOT / "target" / "compiled"
    if not any(compiled.glob("*/models/**/*.sql")):
        subprocess.run([BIN / "dbt", "compile", "--quiet"], cwd=ROOT, check=True)
    files = [
        path
        for kind in ("compiled", "run")
        for path in sorted((ROOT / "target" / kind).glob("*/models/**/*.sql"))
        if not any(part.endswith(".yml") for part in path.parts)
    ]
    command = [BIN / "sqlfluff", "lint", "--disable-progress-bar", "--processes", "2"]
    return subprocess.run([*command, "--config", ".sqlfluff-compiled", *files], cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
