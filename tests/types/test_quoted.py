"""Text from a message or a configuration is a literal of SQL, whatever is in it."""

import pytest


@pytest.mark.parametrize(
    "text",
    [
        "it's",
        "C:\\new\\",
        "two\nlines",
        # Spark puts a setting, a variable of the environment or a property of Java in the place of these
        "Dear ${name}!",
        "${env:HOME}",
        "${system:line.separator}",
        "${spark.master} and \\${hivevar:x}",
    ],
)
def test_a_quoted_text_is_itself(spark, macros, text):
    assert spark.conf.get("spark.sql.variable.substitute") == "true"
    assert spark.sql(f"select {macros.quoted(text)}").first()[0] == text
