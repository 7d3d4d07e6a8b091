"""Debezium on PostgreSQL in four configurations."""

from tests.sources import postgres_limits as limits
from tests.sources.configurations import Configuration
from tests.sources.postgres_tables import MISFIT
from tests.sources.releases import POSTGRES_RELEASE
from tests.sources.tables import Form, unscaled

# the rows that TRUNCATE removed and no message told of
KEPT = """(
    select id, v from public.emptied
    union all
    select id, v from lost.emptied as gone
    where not exists (select 1 from public.emptied as there where there.id = gone.id)
        and round = (select max(round) from lost.emptied as later where later.id = gone.id)
) as kept"""
# before 18 PostgreSQL's stream has no generated columns
GENERATED = () if POSTGRES_RELEASE == "18" else ("everything.c_generated",)
CONNECTOR = {
    "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
    "database.hostname": "127.0.0.1",
    "database.user": "postgres",
    "database.password": "not asked for",
    "database.dbname": "postgres",
    "plugin.name": "pgoutput",
    "publication.name": "everything",
    "publication.autocreate.mode": "disabled",
    "producer.override.max.request.size": "20000000",
}
JSON = "org.apache.kafka.connect.json.JsonConverter"
WITH_SCHEMAS = {
    "key.converter": JSON,
    "key.converter.schemas.enable": "true",
    "value.converter": JSON,
    "value.converter.schemas.enable": "true",
}
# otherwise NULL in a column that has a default comes as the default
NULLS_KEPT = {"value.converter.replace.null.with.default": "false"}
WITHOUT_SCHEMAS = {name: value.replace("true", "false") for name, value in WITH_SCHEMAS.items()}

PG_DEFAULT = Configuration(
    "pg_default",
    "public",
    ("everything", "documents", "composite", "altered", "rekeyed", "emptied", "keyless"),
    WITH_SCHEMAS,
    forms=limits.PRECISE | limits.DEFAULTS,
    relations={"emptied": KEPT},
    left_out=GENERATED,
)
PG_STRING = Configuration(
    "pg_string",
    "public",
    ("everything", "documents", "composite", "altered", "rekeyed", "emptied", "keyless"),
    WITHOUT_SCHEMAS
    | NULLS_KEPT
    | {
        "decimal.handling.mode": "string",
        "skipped.operations": "none",
        "provide.transaction.metadata": "true",
        "signal.data.collection": "public.signals",
    },
    feed={
        "encodings": {
            "postgres.public.everything": {
                "c_bit5": "little_endian_bits",
                "c_bit64": "little_endian_bits",
                "c_varbit": "little_endian_bits",
                "c_bytea": "base64_binary",
                "c_date": "epoch_days",
                "c_time": "micros_of_day",
                "c_time3": "millis_of_day",
                "c_timestamp": "epoch_micros",
                "c_timestamp3": "epoch_millis",
                "c_timestamp0": "epoch_millis",
            },
            "postgres.public.documents": {"big_bytes": "base64_binary"},
            "postgres.public.keyless": {"noted_at": "epoch_micros"},
        },
        "key_columns": {"postgres.public.rekeyed": ["id"]},
    },
    keys={"rekeyed": ("id",)},
    is_typed=False,
    forms=limits.STRING,
    left_out=GENERATED,
)
PG_WHOLE = Configuration(
    "pg_whole",
    "whole",
    ("everything", "documents", "composite", "emptied", "keyless"),
    WITH_SCHEMAS
    | NULLS_KEPT
    | {
        "decimal.handling.mode": "double",
        "time.precision.mode": "connect",
        "tombstones.on.delete": "false",
        "skipped.operations": "none",
        "interval.handling.mode": "string",
    },
    feed={"before_images": "complete"},
    forms=limits.DOUBLE | limits.MILLISECONDS | limits.ISO_INTERVAL,
    left_out=GENERATED,
)
PG_INDEX = Configuration("pg_index", "public", ("indexed", "unchanged", "keyless"), WITH_SCHEMAS)
# what not to choose: nothing tells the scale of a precise decimal, and names beyond ASCII come garbled, so that a list
# of tables does not find them
PG_BARE = Configuration(
    "pg_bare",
    "public",
    ("composite", "keyless"),
    WITHOUT_SCHEMAS
    | {
        "table.include.list": "public.marker,public.composite,public.keyless,public.Odd N.+me,public.Zoë"
    },
    # of one table the scales are told by hand
    feed={
        "encodings": {
            "postgres.public.keyless": {"amount": "connect_decimal(4)", "noted_at": "epoch_micros"}
        }
    },
    is_typed=False,
    forms={
        "composite.amount": Form(
            "{c}::text",
            MISFIT,
            unscaled,
            limit="a precise decimal without its schema has no scale: NULL and a misfit",
        )
    },
)
CONFIGURATIONS = (PG_DEFAULT, PG_STRING, PG_WHOLE, PG_INDEX, PG_BARE)


def settings(configuration: Configuration, port: int) -> dict[str, str]:
    """Return the whole of a connector's settings."""
    tables = ["public.marker", *(f"{configuration.schema}.{name}" for name in configuration.tables)]
    if "signal.data.collection" in configuration.settings:
        tables.append("public.signals")
    return (
        CONNECTOR
        | {
            "database.port": str(port),
            "topic.prefix": configuration.name,
            "slot.name": configuration.name,
            "table.include.list": ",".join(tables),
        }
        | configuration.settings
    )
