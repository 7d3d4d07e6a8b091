"""What a feed has to offer now: equal to what its last load saw, it has nothing new."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from threading import Lock

from py4j.java_gateway import JavaObject
from pyspark.sql import SparkSession

from ingestion import brokers
from ingestion.brokers import Topic
from ingestion.config import Config, Feed, Offsets
from ingestion.files import find_files

Client = tuple[ExitStack, JavaObject]


@dataclass(frozen=True)
class Look:
    """All that tells whether a feed has something new, or is another feed than before."""

    feed: Feed
    topics: dict[str, Topic] = field(default_factory=dict)
    # as far as a reader may read: an open transaction ends a partition
    ends: Offsets = field(default_factory=dict)
    # name, size and time of the last change, which cannot be set back
    files: tuple[tuple[str, int, int], ...] = ()


@dataclass(frozen=True)
class Clients:
    """One connection to the brokers for all feeds with the same options, while it works."""

    spark: SparkSession
    connected: dict[tuple[tuple[str, str], ...], Client] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)

    @contextmanager
    def of(self, feed: Feed) -> Iterator[JavaObject]:
        """Yield the client of the feed's brokers; what fails with it ends it."""
        options = tuple(sorted(feed.kafka.items()))
        with self.lock:
            if options not in self.connected:
                stack = ExitStack()
                client = stack.enter_context(brokers.admin_client(self.spark, feed))
                self.connected[options] = (stack, client)
            client = self.connected[options][1]
        try:
            yield client
        except BaseException:
            with self.lock:
                stack, _ = self.connected.pop(options, (ExitStack(), None))
            stack.close()
            raise

    def close(self) -> None:
        """End all connections."""
        with self.lock:
            for stack, _ in self.connected.values():
                stack.close()
            self.connected.clear()


def look_at(clients: Clients, config: Config, feed: Feed) -> Look:
    """Return what the feed has to offer; a UserError says why it cannot be told."""
    if feed.files:
        return Look(feed, files=tuple(_stamps(config, feed)))
    with clients.of(feed) as client:
        topics = brokers.feed_topics(clients.spark, client, feed)
        committed = feed.kafka.get("isolation.level") != "read_uncommitted"
        ends = brokers.latest_offsets(clients.spark, client, feed, topics, committed)
    return Look(feed, topics, ends)


def _stamps(config: Config, feed: Feed) -> Iterator[tuple[str, int, int]]:
    for name, path in find_files(config.project_dir, feed.files):
        # one that has gone since it was found is not there
        with suppress(FileNotFoundError):
            stat = path.stat()
            yield name, stat.st_size, stat.st_ctime_ns
