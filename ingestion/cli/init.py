"""`cdc init`: what Spark needs for the loader and dbt, in a project that installs this one."""

import argparse

from ingestion.config.project_files import default_project
from ingestion.errors import OK, UserError
from ingestion.spark import archive, jars


def add_parser(
    subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]",
    common: argparse.ArgumentParser,
) -> None:
    """Describe the command line of `init`."""
    parser = subparsers.add_parser(
        "init", parents=[common], help="fetch Spark's extra jars into a project, as make setup does"
    )
    parser.set_defaults(main=main)


def main(args: argparse.Namespace) -> int:
    """Fetch the jars, and make the archive of classes that saves seconds at each start of Spark."""
    project_dir = (args.project_dir or default_project()).resolve()
    if not (project_dir / "dbt_project.yml").exists():
        raise UserError(
            f"There is no dbt_project.yml in {project_dir}: name the project's --project-dir."
        )
    code = jars.main(project_dir)
    return code if code != OK else archive.main(project_dir)
