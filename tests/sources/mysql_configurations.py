"""Debezium on MySQL in one configuration."""

from tests.sources import mariadb_limits as limits
from tests.sources.configurations import Configuration
from tests.sources.mariadb_tables import TEXT
from tests.sources.postgres_configurations import WITH_SCHEMAS
from tests.sources.tables import Form, document

DEBEZIUM_DEFAULT = Configuration(
    "my_default",
    "shop",
    ("everything", "composite", "altered", "keyless"),
    WITH_SCHEMAS
    | {
        "connector.class": "io.debezium.connector.mysql.MySqlConnector",
        "database.ssl.mode": "preferred",
    },
    database="mysql",
    forms=limits.DEBEZIUM | limits.LONG | {"c_json": Form(TEXT.source, alike=document)},
)
CONFIGURATIONS = (DEBEZIUM_DEFAULT,)
