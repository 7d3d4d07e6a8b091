"""PostgreSQL, MariaDB and MySQL: how each is asked for the exact text of every value."""

from dataclasses import dataclass

# A kind of text, as in canonical_forms.py, and the SQL that asks the database for it.
Writing = tuple[str, str]
WHOLE_OR_DECIMAL = ("smallint", "integer", "bigint", "numeric", "decimal", "int")
WHOLE_OR_DECIMAL += ("tinyint", "mediumint", "year")

# The output function of every type; for char(n) and inet a cast to text differs from it.
WRITTEN = "case when {0} is not null then concat({0}) end"
# Microseconds as Debezium counts them: a month has 30.4375 days.
# A numeric, as the longest intervals have more microseconds than fit a bigint.
MICROSECONDS = (
    "round(cast((extract(year from {0}) * 12 + extract(month from {0})) * 2629800000000"
    " + extract(day from {0}) * 86400000000 + extract(hour from {0}) * 3600000000"
    " + extract(minute from {0}) * 60000000 + extract(second from {0}) * 1000000"
    " as numeric))"
)
# A cast of FLOAT to text has six digits; that of a double has all.
ALL_DIGITS = "cast({0} + 0e0 as char)"

# Messages write these types in ways of their own, so they are not compared.
NOT_COMPARED = ("not_compared", "null")


@dataclass(frozen=True)
class Dialect:
    """The SQL and options of one family of databases."""

    # options of Spark's JDBC reader: the driver, and what makes every session the same
    options: dict[str, str]
    # for the types that `text` does not write
    writings: dict[str, Writing]
    text: str
    # types whose comparison and order differ unless cast to text
    ordered_as_text: tuple[str, ...]
    # kinds whose literals have no quotes
    plain: tuple[str, ...]
    bytes_literal: str
    # characters of which the driver understands something else, also between quotes
    misread: str
    # the expression of a column's type in information_schema.columns
    data_type: str
    # the schema or database of tables whose names have no prefix
    here: str
    has_schemas: bool
    # whether names of columns that differ in case only are one
    ignores_case: bool
    primary_key: str

    def schema_of(self, database: str | None, schema: str | None) -> str | None:
        """Return the prefix of a table's name in SQL: its schema, or its database."""
        return schema if self.has_schemas else database or schema

    def literal(self, text: str) -> str:
        """Return the text as a literal that the driver passes on as it is."""
        if any(character in text for character in self.misread):
            return f"_utf8mb4 x'{text.encode().hex()}'"
        return literal(text)

    def writing(self, data_type: str) -> Writing:
        """Return the kind of this type's texts, and the SQL that asks for them."""
        return self.writings.get(data_type, ("text", self.text))


POSTGRESQL = Dialect(
    options={
        "driver": "org.postgresql.Driver",
        "readOnly": "true",
        "readOnlyMode": "always",
        "sessionInitStatement": (
            "set time zone 'UTC'; set datestyle = 'ISO, YMD'; set extra_float_digits = 1;"
            " set bytea_output = 'hex'; set standard_conforming_strings = on"
        ),
    },
    writings={
        **dict.fromkeys(WHOLE_OR_DECIMAL, ("number", WRITTEN)),
        "money": ("number", "cast(cast({0} as numeric) as text)"),
        "interval": ("number", f"cast({MICROSECONDS} as text)"),
        "real": ("float", WRITTEN),
        "double precision": ("double", WRITTEN),
        "boolean": ("text", "cast({0} as text)"),
        "bit": ("bits", WRITTEN),
        "bit varying": ("bits", WRITTEN),
        "bytea": ("bytes", "upper(encode({0}, 'hex'))"),
        "date": ("wall_clock", WRITTEN),
        "timestamp without time zone": ("wall_clock", WRITTEN),
        "timestamp with time zone": ("instant", f"replace({WRITTEN}, '+00', 'Z')"),
        "time without time zone": ("time", WRITTEN),
        "time with time zone": ("time", "cast(cast({0} at time zone 'UTC' as time) as text)"),
        "json": ("json", WRITTEN),
        "jsonb": ("json", WRITTEN),
        "ARRAY": ("json", "cast(to_json({0}) as text)"),
        **dict.fromkeys(
            ("point", "line", "lseg", "box", "path", "polygon", "circle"), NOT_COMPARED
        ),
        # PostGIS
        **dict.fromkeys(("USER-DEFINED geometry", "USER-DEFINED geography"), NOT_COMPARED),
    },
    text=WRITTEN,
    ordered_as_text=(),
    plain=(),
    bytes_literal=r"'\x{0}'",
    misread="",
    data_type=(
        "case data_type when 'USER-DEFINED' then 'USER-DEFINED ' || udt_name else data_type end"
    ),
    here="current_schema()",
    has_schemas=True,
    ignores_case=False,
    # information_schema shows keys to a table's owner only
    primary_key="""
        select attname, array_position(indkey, attnum) as place from pg_index
        inner join pg_attribute on attrelid = indrelid and attnum = any(indkey)
        where indisprimary and indrelid = to_regclass({relation})""",
)

MARIADB = Dialect(
    options={
        "driver": "org.mariadb.jdbc.Driver",
        # names and literals are quoted as in PostgreSQL
        "sessionVariables": "sql_mode='ANSI_QUOTES,NO_BACKSLASH_ESCAPES',time_zone='+00:00'",
        "sessionInitStatement": "set session transaction read only",
    },
    writings={
        **dict.fromkeys(WHOLE_OR_DECIMAL, ("number", "cast({0} as char)")),
        "float": ("float", ALL_DIGITS),
        "double": ("double", ALL_DIGITS),
        "bit": ("number", "cast(cast({0} as unsigned) as char)"),
        **dict.fromkeys(("binary", "varbinary"), ("bytes", "hex({0})")),
        **dict.fromkeys(("tinyblob", "blob", "mediumblob", "longblob"), ("bytes", "hex({0})")),
        "date": ("wall_clock", "cast({0} as char)"),
        "datetime": ("wall_clock", "cast({0} as char)"),
        "timestamp": ("instant", "cast({0} as char)"),
        "time": ("time", "cast({0} as char)"),
        "json": ("json", "cast({0} as char)"),
        **dict.fromkeys(("geometry", "point", "linestring", "polygon", "multipoint"), NOT_COMPARED),
        **dict.fromkeys(("multilinestring", "multipolygon", "geometrycollection"), NOT_COMPARED),
        # MySQL's name of the last one
        "geomcollection": NOT_COMPARED,
    },
    text="cast({0} as char)",
    ordered_as_text=("enum", "set"),
    # a number would be compared with a quoted text as a double
    plain=("number", "float", "double"),
    bytes_literal="x'{0}'",
    misread="\\{",
    data_type="data_type",
    here="database()",
    has_schemas=False,
    ignores_case=True,
    primary_key="""
        select column_name as name, seq_in_index as place from information_schema.statistics
        where index_name = 'PRIMARY' and table_schema = {schema} and table_name = {table}""",
)
DIALECTS = {"jdbc:postgresql:": POSTGRESQL, "jdbc:mariadb:": MARIADB, "jdbc:mysql:": MARIADB}


def identifier(name: str) -> str:
    """Return the name as an identifier; a name is data, never SQL."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Return the text as a literal; in our sessions a backslash is no escape."""
    return "'" + text.replace("'", "''") + "'"
