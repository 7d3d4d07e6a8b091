"""Two real databases, one Spark, and gold tables as the project's own rules make them of texts."""

import os
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ingestion.bronze.tables import create_tables
from ingestion.config.project_files import PROJECT_ROOT
from ingestion.reconcile.canonical_forms import Forms
from ingestion.spark.session import session
from tests.pipeline.conftest import Lakehouse
from tests.support.databases import PASSWORD, VARIABLE, Databases, databases
from tests.support.project import Project, Result, make_project

CHANGE = """
    named_struct(
        'topic', 'crm.changes',
        'partition', 3,
        'sequence', named_struct('offset', 100 + cast(ordinal as bigint)),
        'misfits', filter(
            cast(array({}) as array<struct<column_name: string, value: string>>),
            misfit -> misfit.value is not null
        )
    ) as _change"""
MISFIT = "named_struct('column_name', '{}', 'value', if({}, {}, null))"


@pytest.fixture(scope="session")
def lakehouse(tmp_path_factory: pytest.TempPathFactory) -> Lakehouse:
    copy = Lakehouse(tmp_path_factory.mktemp("project"))
    os.environ.setdefault("LAKEHOUSE_DRIVER_MEMORY", "2g")
    copy.spark = session(copy.root, hive=True)
    # a test's tables are small: making Java for them would take most of the time
    copy.spark.conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN")
    copy.spark.conf.set("spark.sql.codegen.wholeStage", "false")
    return copy


@pytest.fixture(scope="session")
def servers() -> Iterator[Databases]:
    with databases() as running:
        yield running


class Crm:
    """A project whose feed `crm` has a source, and gold tables that a test writes."""

    def __init__(self, project: Project, servers: Databases, kind: str):
        self.project, self.servers, self.kind = project, servers, kind
        (project.folder / "models" / "gold").mkdir(parents=True)
        (project.folder / "lakehouse").mkdir()
        self.configure()

    def configure(self, **settings: object) -> None:
        feed = {"format": "canal_json", "files": "none.jsonl", "time_zone": "Asia/Shanghai"}
        feed["source"] = self.servers.source(self.kind)
        self.project.configure({"crm": feed | settings})

    def sql(self, text: str) -> str:
        """Let the database run SQL, as its owner."""
        if self.kind == "postgresql":
            return self.servers.postgres.sql(text)
        return self.servers.mariadb.sql(
            f"use crm; set sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'; {text}"
        )

    def gold(
        self,
        name: str,
        key: list[str],
        columns: dict[str, str],
        rows: list[tuple],
        **source_names: str,
    ) -> None:
        """Write a gold model and its table: what the project makes of the texts of messages."""
        place = {"schema": "public"} if self.kind == "postgresql" else {"database": "crm"}
        declared = {
            column: {"type": type_, "source": source_names.get(column, column)}
            for column, type_ in columns.items()
        }
        table = source_names.get("table", name)
        told = {"feed": "crm", **place, "table": table, "key": key, "columns": declared}
        arguments = ", ".join(f"{argument}={value!r}" for argument, value in told.items())
        path = self.project.folder / "models" / "gold" / f"{name}.sql"
        path.write_text(f"{{{{ cdc.current_state({arguments}) }}}}")
        typing = Forms(PROJECT_ROOT, "").typing
        texts = [f"`{column}`" for column in columns]
        types = [type_.lower() for type_ in columns.values()]
        values = [typing.typed(*one, "Asia/Shanghai") for one in zip(texts, types, strict=True)]
        misfits = [
            MISFIT.format(
                column, typing.does_not_fit(text, f"({value}) is null", f"'{type_}'"), text
            )
            for column, text, type_, value in zip(columns, texts, types, values, strict=True)
            if type_ != "string"
        ]
        change = CHANGE.format(", ".join(misfits))
        schema = ", ".join(f"{text} string" for text in [*texts, "ordinal"])
        numbered = [(*row, str(ordinal)) for ordinal, row in enumerate(rows)]
        named = [f"{value} as {text}" for value, text in zip(values, texts, strict=True)]
        table_path = self.project.folder / "lakehouse" / "warehouse" / "gold.db" / name
        self.project.spark.conf.set("spark.sql.ansi.enabled", "false")
        made = self.project.spark.createDataFrame(numbered, schema).selectExpr(*named, change)
        written = made.coalesce(1).write.format("delta").mode("overwrite")
        written.option("overwriteSchema", "true").save(str(table_path))

    def heartbeat(
        self,
        table: str,
        hours: int,
        silver_hours: int | None = None,
        keys: tuple[str, ...] = ("1",),
    ) -> None:
        """Let gold, and silver before it, be complete up to so many hours from now; silver tells of these keys."""
        place = "public" if self.kind == "postgresql" else None
        database = None if place else "crm"
        at = [
            datetime.now(UTC) + timedelta(hours=ahead) for ahead in (hours, silver_hours or hours)
        ]
        told = [
            (1, 1, "insert", database, place, table, at[0]),
            (2, 2, "heartbeat", None, None, None, at[1]),
        ]
        names = "bronze_version bigint, offset bigint, operation string, database_name string, schema_name string, table_name string, changed_at timestamp"
        listed = ", ".join(f"array('{key}')" for key in keys)
        changes = self.project.spark.createDataFrame(told, names).selectExpr(
            "*",
            "array('id') as key_columns",
            f"explode(if(operation = 'insert', array({listed}), array(null))) as row_key",
            "'crm' as feed",
            "'crm.changes' as topic",
            "0 as partition",
            "0 as topic_generation",
            "cast(null as string) as catalog_name",
            "cast(null as string) as snapshot_mark",
            "cast(null as timestamp) as captured_at",
            "'mysql' as source_type",
            "named_struct('phase', 1) as change_sequence",
        )
        version = 1 if silver_hours else 2
        applied = self.project.spark.createDataFrame(
            [(table, version)], "model string, bronze_version bigint"
        )
        silver = self.project.folder / "lakehouse" / "warehouse" / "silver.db"
        for name, rows in (("canal_json_changes", changes), ("applied_versions", applied)):
            rows.coalesce(1).write.format("delta").mode("overwrite").save(str(silver / name))
        create_tables(self.project.spark, str(self.project.folder / "lakehouse" / "bronze"))
        shutil.copytree(
            PROJECT_ROOT / "models" / "silver",
            self.project.folder / "models" / "silver",
            dirs_exist_ok=True,
        )

    def reconcile(self, *arguments: str) -> Result:
        """Run the command; whatever it says or logs, the password is not in it."""
        result = self.project.command("reconcile", *arguments)
        folders = (self.project.folder, Path.cwd())
        logs = [p.read_text() for folder in folders for p in folder.glob("lakehouse/logs/*.log")]
        assert logs
        assert not any("secret" in text for text in (result.out, result.err, *logs))
        return result


@pytest.fixture
def crm_of(
    tmp_path: Path, lakehouse: Lakehouse, servers: Databases, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], Crm]]:
    monkeypatch.setenv(VARIABLE, PASSWORD)

    def make(kind: str) -> Crm:
        if kind == "postgresql":
            servers.postgres.sql("drop schema public cascade; create schema public")
        else:
            servers.mariadb.sql("create or replace database crm character set utf8mb4")
        return Crm(make_project(tmp_path, lakehouse.spark), servers, kind)

    yield make


@pytest.fixture(params=["postgresql", "mariadb"])
def crm(request: pytest.FixtureRequest, crm_of: Callable[[str], Crm]) -> Crm:
    return crm_of(request.param)
