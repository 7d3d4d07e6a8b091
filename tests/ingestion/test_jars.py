"""Spark's extra jars come from Maven Central, or from what Ivy has fetched before."""

from pathlib import Path

import pytest

from ingestion.spark.jars import coordinates, resolve

POM = """<project>
    <modelVersion>4.0.0</modelVersion>
    <groupId>{}</groupId>
    <artifactId>{}</artifactId>
    <version>{}</version>
</project>
"""


def test_a_local_maven_repository_with_a_pom_alone_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """As Maven leaves it that has read a dependency's POM and did not need its jar."""
    # one that `make setup` has fetched
    (package,) = (one for one in coordinates("spark_jars") if ":postgresql:" in one)
    group, name, version = package.split(":")
    folder = tmp_path / ".m2" / "repository" / group.replace(".", "/") / name / version
    folder.mkdir(parents=True)
    (folder / f"{name}-{version}.pom").write_text(POM.format(group, name, version))
    # Java does not take HOME for a user's home
    monkeypatch.setenv("SPARK_SUBMIT_OPTS", f"-Duser.home={tmp_path}")
    assert f"{group}_{name}-{version}.jar" in [jar.name for jar in resolve([package])]
