"""Where the files are that dbt and Python share: macros, models of silver, seeds, profiles."""

from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
# The checkout that this module belongs to, or the folder of the installed packages.
PROJECT_ROOT = HERE.parent


def project_files(project_dir: Path) -> Path:
    """Return the folder that holds the shared files of a project.

    That is the project itself; for one that installs this one as a package of dbt, the checkout
    that this module belongs to, or the files of its wheel.
    """
    for folder in (project_dir, PROJECT_ROOT):
        if (folder / "macros" / "formats").is_dir() and (
            folder / "seeds" / "formats.csv"
        ).is_file():
            return folder
    return HERE / "project"


def default_project() -> Path:
    """Return the project of a command without one: this checkout, or the working folder."""
    return PROJECT_ROOT if (PROJECT_ROOT / "dbt_project.yml").exists() else Path.cwd()
