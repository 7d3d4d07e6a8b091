"""What a feed has to offer now: equal to what its last load saw, it has nothing new."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field

from py4j.java_gateway import JavaObject
from pyspark.sql import SparkSession

from ingestion.config.feeds import Config, Feed, Offsets
from ingestion.files.loading import find_files
from ingestion.kafka import brokers
from ingestion.kafka.brokers import Topic


@dataclass(frozen=True)
class Look:
    """What shows whether a feed has something new, or is another feed than before."""

    feed: Feed
    topics: dict[str, Topic] = field(default_factory=dict)
    # how far a reader may read: a partition ends at an open transaction
    ends: Offsets = field(default_factory=dict)
    # name, size and time of the last change, which cannot be set back
    files: tuple[tuple[str, int, int], ...] = ()


@dataclass(frozen=True)
class Client:
    """A connection to brokers, and the options that it was made with."""

    options: dict[str, str]
    client: JavaObject
    # closing it ends the connection
    stack: ExitStack


@dataclass(frozen=True)
class Clients:
    """A connection to its brokers for each feed, kept from cycle to cycle while it works.

    Trouble with one feed's brokers or topics ends no other feed's connection.
    """

    spark: SparkSession
    connected: dict[str, Client] = field(default_factory=dict)

    @contextmanager
    def of(self, feed: Feed) -> Iterator[JavaObject]:
        """Yield the client of the feed's brokers; an error in its use closes it."""
        if feed.name in self.connected and self.connected[feed.name].options != feed.kafka:
            self.drop(feed.name)
        if feed.name not in self.connected:
            stack = ExitStack()
            client = stack.enter_context(brokers.admin_client(self.spark, feed))
            self.connected[feed.name] = Client(feed.kafka, client, stack)
        try:
            yield self.connected[feed.name].client
        except BaseException:
            self.drop(feed.name)
            raise

    def drop(self, name: str) -> None:
        """End the connection of a feed, if it has one."""
        client = self.connected.pop(name, None)
        if client is not None:
            client.stack.close()


def look_at(clients: Clients, config: Config, feed: Feed) -> Look:
    """Return what the feed has to offer; a UserError says why it is not known."""
    if feed.files:
        return Look(feed, files=tuple(_stamps(config, feed)))
    with clients.of(feed) as client:
        topics = brokers.feed_topics(clients.spark, client, feed)
        committed = feed.kafka.get("isolation.level") != "read_uncommitted"
        ends = brokers.latest_offsets(clients.spark, client, feed, topics, committed)
    return Look(feed, topics, ends)


def _stamps(config: Config, feed: Feed) -> Iterator[tuple[str, int, int]]:
    for name, path in find_files(config.project_dir, feed.files):
        # a file that was removed after it was found counts as missing
        with suppress(FileNotFoundError):
            stat = path.stat()
            yield name, stat.st_size, stat.st_ctime_ns
