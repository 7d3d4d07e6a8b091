"""The databases are of the releases that the run names, with what makes the newer ones different."""

from tests.sources.lakehouse import changes
from tests.sources.releases import INSTALLED, MARIADB_RELEASE, POSTGRES_RELEASE


def test_the_databases_are_of_the_releases_that_the_run_names(built):
    mysql = built.world.shops["mysql"].release()
    assert tuple(map(int, mysql.split("-")[0].split(".")[:2])) >= (9, 7)
    for asked, found in (
        (POSTGRES_RELEASE, built.world.postgres.release()),
        (MARIADB_RELEASE, built.world.shops["mariadb"].release()),
    ):
        assert asked == INSTALLED or found.startswith(f"{asked}.")


def test_the_changes_of_a_key_in_one_transaction_share_a_position_on_mariadb_from_11_4_on(built):
    """Otherwise gold that is right would prove nothing about such servers."""
    most = {
        feed: changes(
            built.project,
            "debezium_json",
            ["feed", "table_name", "row_key", "operation", "after_image", "change_sequence"],
            f"""
            select max(changes)
            from (
                -- a worker that was killed sends some again
                select count(distinct concat(operation, cast(after_image as varchar))) as changes
                from changes
                where feed = '{feed}' and table_name = 'composite' and change_sequence.phase = 1
                    and operation in ('insert', 'update', 'delete')
                group by row_key, change_sequence.position
            )
            """,
        )[0][0]
        for feed in ("ma_default", "my_default")
    }
    # see Writer.often
    assert (most["ma_default"] > 3) == (MARIADB_RELEASE != INSTALLED), most
    assert most["my_default"] == 1
