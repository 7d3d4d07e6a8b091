"""How far a feed has come: numbered checkpoints of Spark, each with a file on how it began."""

import json
from dataclasses import asdict, dataclass, field

from pyspark.sql import SparkSession

from ingestion.bronze.storage import exists, list_names, read_text, write_text
from ingestion.bronze.tables import landed_batches
from ingestion.config.feeds import Offsets


@dataclass(frozen=True)
class Gap:
    """Records that were lost at the brokers; `to_offset` is exclusive, None if unknown."""

    topic: str
    topic_generation: int
    partition: int
    from_offset: int
    to_offset: int | None
    reason: str


@dataclass(frozen=True)
class Identity:
    """Which of the topics of one name is meant."""

    id: str
    generation: int


@dataclass(frozen=True)
class Start:
    """How a checkpoint began; written before its first batch, never changed."""

    number: int
    offsets: Offsets
    topics: dict[str, Identity]
    # Next offsets of topics that the feed no longer reads; a topic that comes back goes on there.
    parked: Offsets = field(default_factory=dict)
    gaps: tuple[Gap, ...] = ()
    # The last batch that Delta remembered when it began; None: not written by older versions.
    after: tuple[int, int] | None = None


def checkpoint_folder(bronze: str, feed: str) -> str:
    """Return the folder of all checkpoints of the feed."""
    return f"{bronze}/_checkpoints/{feed}"


def application(feed: str, number: int) -> str:
    """Return the name under which Delta remembers the batches of this checkpoint."""
    return f"kafka/{feed}/{number}"


def latest_start(spark: SparkSession, bronze: str, feed: str) -> Start | None:
    """Return how the feed's current checkpoint began, or None before the first load."""
    numbers = start_numbers(spark, bronze, feed)
    return read_start(spark, bronze, feed, numbers[-1]) if numbers else None


def start_numbers(spark: SparkSession, bronze: str, feed: str) -> list[int]:
    """Return the numbers of the feed's checkpoints, the oldest first."""
    names = list_names(spark, checkpoint_folder(bronze, feed))
    return sorted(
        int(name[:-5]) for name in names if name.endswith(".json") and name[:-5].isdigit()
    )


def read_start(spark: SparkSession, bronze: str, feed: str, number: int) -> Start:
    """Return how the checkpoint of this number began."""
    stored = json.loads(read_text(spark, f"{checkpoint_folder(bronze, feed)}/{number}.json"))
    return Start(
        number=number,
        offsets=whole_numbers(stored["offsets"]),
        topics={topic: Identity(**identity) for topic, identity in stored["topics"].items()},
        parked=whole_numbers(stored["parked"]),
        gaps=tuple(Gap(**gap) for gap in stored["gaps"]),
        after=tuple(stored["after"]) if stored.get("after") else None,
    )


def write_start(spark: SparkSession, bronze: str, feed: str, start: Start) -> None:
    """Make this the feed's current checkpoint."""
    path = f"{checkpoint_folder(bronze, feed)}/{start.number}.json"
    write_text(spark, path, json.dumps(asdict(start), indent=1))


def is_untouched(spark: SparkSession, bronze: str, feed: str, start: Start) -> bool:
    """Return whether no query has run on this checkpoint yet."""
    return not exists(spark, f"{checkpoint_folder(bronze, feed)}/{start.number}/sources/0/0")


def position(spark: SparkSession, bronze: str, feed: str, start: Start) -> Offsets:
    """Return the next offset of each partition that bronze does not hold yet.

    A batch whose records are in bronze counts, even if Spark was killed before it noted the batch.
    """
    landed = _landed_batch(spark, bronze, application(feed, start.number))
    noted = noted_batch(spark, bronze, feed, start)
    return end_of_batch(spark, bronze, feed, start, max(landed, noted))


def noted_position(spark: SparkSession, bronze: str, feed: str, start: Start) -> Offsets:
    """Return where Spark itself would go on: it repeats a batch that it did not note."""
    return end_of_batch(spark, bronze, feed, start, noted_batch(spark, bronze, feed, start))


def noted_batch(spark: SparkSession, bronze: str, feed: str, start: Start) -> int:
    """Return the last batch that Spark noted as done, or -1."""
    return max(batches(spark, bronze, feed, start, "commits"), default=-1)


def batches(spark: SparkSession, bronze: str, feed: str, start: Start, log: str) -> list[int]:
    """Return the batches in one of Spark's two logs: `offsets` (planned) or `commits` (noted)."""
    names = list_names(spark, f"{checkpoint_folder(bronze, feed)}/{start.number}/{log}")
    return [int(name) for name in names if name.isdigit()]


def end_of_batch(spark: SparkSession, bronze: str, feed: str, start: Start, batch: int) -> Offsets:
    """Return the offsets at which the batch ended, exclusive."""
    folder = f"{checkpoint_folder(bronze, feed)}/{start.number}/offsets"
    planned = batches(spark, bronze, feed, start, "offsets")
    done = max((number for number in planned if number <= batch), default=None)
    if done is None:
        return start.offsets
    source = read_text(spark, f"{folder}/{done}").splitlines()[2]
    return start.offsets if source == "-" else whole_numbers(json.loads(source))


def _landed_batch(spark: SparkSession, bronze: str, application_id: str) -> int:
    """Return the last batch that Delta remembers, or -1."""
    version = landed_batches(spark, bronze).get(application_id)
    return int(version.get()) if version.isDefined() else -1


def whole_numbers(offsets: dict[str, dict[str, int]]) -> Offsets:
    """Return offsets by partition numbers; in JSON, which they were read from, keys are texts."""
    return {
        topic: {int(partition): offset for partition, offset in partitions.items()}
        for topic, partitions in offsets.items()
    }
