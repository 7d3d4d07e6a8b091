"""Lints what Spark runs: every compiled model and every script that the last run left in target/.

`make lint` calls it; without a target/ it lets dbt compile first. `python -m tests.lint_compiled_sql FORMAT ...`
lints what the macros of formats write, without dbt.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "target"
BIN = Path(sys.executable).parent


def left_by_dbt() -> list[Path]:
    """Return what dbt wrote of our models, each text once: a script holds its compiled model word by word."""
    if not any(TARGET.glob("compiled/**/models/**/*.sql")):
        subprocess.run([BIN / "dbt", "compile", "--quiet"], cwd=ROOT, check=True)
    compiled, scripts = (
        {
            path.relative_to(TARGET / kind): path
            for path in sorted((TARGET / kind).glob("**/models/**/*.sql"))
            if not any(part.endswith(".yml") for part in path.parts)
        }
        for kind in ("compiled", "run")
    )
    alone = [
        path
        for name, path in compiled.items()
        if name not in scripts or path.read_text().strip() not in scripts[name].read_text()
    ]
    return [*alone, *scripts.values()]


def written_by_macros(formats: list[str]) -> list[Path]:
    """Return what the macros of formats write, as files."""
    from tests.formats.conftest import rendered_macros

    macros, folder = rendered_macros(), TARGET / "formats"
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name in formats:
        path = folder / f"{name}.sql"
        path.write_text(getattr(macros, f"parse_{name}")("messages"))
        paths.append(path)
    return paths


def main(formats: list[str]) -> int:
    """Return sqlfluff's exit code over the files."""
    files = written_by_macros(formats) if formats else left_by_dbt()
    command = [BIN / "sqlfluff", "lint", "--disable-progress-bar", "--processes", "2"]
    return subprocess.run([*command, "--config", ".sqlfluff-compiled", *files], cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
