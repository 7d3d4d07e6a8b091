"""How Spark's consumers read the topics of a feed."""

from ingestion.config.feeds import Feed
from ingestion.config.secrets import resolve

DEFAULTS = {
    # Records of aborted transactions are not read, unless the feed declares read_uncommitted.
    "isolation.level": "read_committed",
    # After each poll Spark asks where the partition begins and ends, and the broker answers that
    # only after the fetch of what comes next. At the end of a partition nothing comes, and that
    # fetch waits: half a second for each partition, if it waits as long as Kafka lets it.
    "fetch.max.wait.ms": "10",
    # Fewer and larger polls, so that Spark asks less often. A task holds one poll.
    "max.poll.records": "2000",
    "max.partition.fetch.bytes": str(4 * 1024 * 1024),
}


def consumer_options(feed: Feed) -> dict[str, str]:
    """Return the options of Spark's Kafka source; what the feed says comes before the defaults."""
    resolved = resolve(feed.name, DEFAULTS | feed.kafka)
    return {f"kafka.{key}": value for key, value in resolved.items()}
