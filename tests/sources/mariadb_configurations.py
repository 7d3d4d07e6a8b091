"""Debezium, Canal and Maxwell on MariaDB, in five configurations."""

from tests.sources import mariadb_limits as limits
from tests.sources.configurations import Configuration
from tests.sources.postgres_configurations import NULLS_KEPT, WITH_SCHEMAS, WITHOUT_SCHEMAS
from tests.sources.releases import MARIADB_RELEASE

CONNECTOR = {
    "connector.class": "io.debezium.connector.mariadb.MariaDbConnector",
    "database.hostname": "127.0.0.1",
    "database.user": "cdc",
    "database.password": "cdc",
    "database.include.list": "shop",
    "database.ssl.mode": "disable",
    "producer.override.max.request.size": "20000000",
}
KEY_COLUMNS = {"shop.rekeyed": ["id"]}
KEYS = {"rekeyed": ("id",)}
# MariaDB 11.8 leaves them out of updates and deletes in its log, and Debezium stops there
HAS_GENERATED_COLUMNS = MARIADB_RELEASE != "11.8"
GENERATED = () if HAS_GENERATED_COLUMNS else ("everything.c_stored", "everything.c_virtual")
ALL = ("everything", "composite", "altered", "rekeyed", "emptied", "keyless")

# the rows that TRUNCATE removed and no message told of
KEPT = """(
    select id, v from shop.emptied
    union all
    select id, v from lost.emptied as gone
    where not exists (select 1 from shop.emptied as there where there.id = gone.id)
        and round = (select max(round) from lost.emptied as later where later.id = gone.id)
) as kept"""
DEBEZIUM_DEFAULT = Configuration(
    "ma_default",
    "shop",
    ALL,
    WITH_SCHEMAS,
    database="mariadb",
    forms=limits.DEBEZIUM | limits.LONG,
    relations={"emptied": KEPT},
    left_out=GENERATED,
)
DEBEZIUM_STRING = Configuration(
    "ma_string",
    "shop",
    ALL,
    WITHOUT_SCHEMAS
    | NULLS_KEPT
    | {
        "decimal.handling.mode": "string",
        "bigint.unsigned.handling.mode": "precise",
        "skipped.operations": "none",
        "signal.data.collection": "shop.signals",
    },
    database="mariadb",
    feed={
        "encodings": {
            "shop.everything": {
                "id": "connect_decimal(0)",
                "c_big_unsigned": "connect_decimal(0)",
                "c_bit5": "little_endian_bits",
                "c_bit64": "little_endian_bits",
                "c_binary": "base64_binary",
                "c_varbinary": "base64_binary",
                "c_blob": "base64_binary",
                "c_longblob": "base64_binary",
                "c_date": "epoch_days",
                "c_time": "micros_of_day",
                "c_time3": "micros_of_day",
                "c_time6": "micros_of_day",
                "c_datetime": "epoch_millis",
                "c_datetime3": "epoch_millis",
                "c_datetime6": "epoch_micros",
                "c_enum": "escaped_label",
            },
            "shop.altered": {"a2": "connect_decimal(0)"},
            "shop.keyless": {"noted_at": "epoch_micros"},
        },
        "key_columns": KEY_COLUMNS,
    },
    forms=limits.DEBEZIUM,
    keys=KEYS,
    is_typed=False,
    left_out=GENERATED,
)
CANAL_ONE = Configuration(
    "canal_one",
    "shop",
    (*ALL, "late"),
    {"canal.instance.filter.regex": r"shop\..*", "canal.slaveId": "5501"},
    database="canal",
    feed={
        "format": "canal_json",
        "topics": "canal_one",
        "time_zone": "UTC",
        "key_columns": KEY_COLUMNS,
        "encodings": {"shop.late": {"j": "latin1_binary"}},
    },
    forms=limits.CANAL,
    keys=KEYS,
    types={"j": "binary"},
)
CANAL_HASH = Configuration(
    "canal_hash",
    "shop",
    ALL,
    {
        "canal.instance.filter.regex": r"shop\..*",
        "canal.slaveId": "5502",
        "canal.mq.dynamicTopic": r".*\..*",
        "canal.mq.partitionHash": r".*\..*:$pk$",
        "canal.mq.partitionsNum": "3",
    },
    database="canal",
    feed={
        "format": "canal_json",
        "topic_pattern": "shop_.*",
        "time_zone": "UTC",
        "key_columns": KEY_COLUMNS,
    },
    forms=limits.CANAL,
    keys=KEYS,
)
MAXWELL = Configuration(
    "maxwell",
    "shop",
    ALL,
    {
        "replica_server_id": "5503",
        "output_binlog_position": "true",
        "output_primary_keys": "true",
        "output_primary_key_columns": "true",
        "output_xoffset": "true",
        "output_ddl": "true",
        "producer_partition_by": "primary_key",
    },
    database="maxwell",
    feed={
        "format": "maxwell",
        "topics": "maxwell",
        "order": "position",
        "time_zone": "UTC",
        "key_columns": KEY_COLUMNS,
        "encodings": {
            "shop.everything": dict.fromkeys(
                ("c_binary", "c_varbinary", "c_blob", "c_longblob"), "base64_binary"
            )
        },
    },
    forms=limits.MAXWELL,
    types={"c_set": "array<string>"},
    relations={"emptied": KEPT},
    keys=KEYS,
    is_typed=False,
)
DEBEZIUM = (DEBEZIUM_DEFAULT, DEBEZIUM_STRING)
CANAL = (CANAL_ONE, CANAL_HASH)
CONFIGURATIONS = (*DEBEZIUM, *CANAL, MAXWELL)


def settings(configuration: Configuration, number: int, port: int, servers: str) -> dict[str, str]:
    """Return the whole of a Debezium connector's settings."""
    tables = [f"shop.{name}" for name in ("marker", "signals", *configuration.tables)]
    return (
        CONNECTOR
        | {
            "database.port": str(port),
            "database.server.id": str(5400 + number),
            "topic.prefix": configuration.name,
            "table.include.list": ",".join(tables),
            "schema.history.internal.kafka.topic": f"history.{configuration.name}",
            "schema.history.internal.kafka.bootstrap.servers": servers,
        }
        | configuration.settings
    )
