"""The feeds of a cycle are loaded side by side; none waits for another one's trouble."""

from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import BoundedSemaphore, Event

from pyspark.sql import SparkSession

from ingestion.config.feeds import Config, Feed
from ingestion.cycles.look import Clients, Look, look_at
from ingestion.errors import UNEXPECTED, UserError, log_trace
from ingestion.loader.load import load_feed
from ingestion.locks import feed_lock
from ingestion.progress import Batch, Lag

# Threads that ask brokers, most of which wait for an answer; and those that load, which share
# Spark's cores.
ASKING = 32
LOADING = 4


@dataclass(frozen=True)
class Loaders:
    """What the loads of one cycle keep for the next."""

    spark: SparkSession
    clients: Clients
    pool: ThreadPoolExecutor
    stopping: Event
    slots: BoundedSemaphore = field(default_factory=lambda: BoundedSemaphore(LOADING))
    # the locks of the feeds that this process holds
    held: dict[str, ExitStack] = field(default_factory=dict)
    # what each feed had to offer when its last successful load began
    seen: dict[str, Look] = field(default_factory=dict)
    running: dict[str, Future[None]] = field(default_factory=dict)
    landed: SimpleQueue[Batch] = field(default_factory=SimpleQueue)
    lag: dict[str, Lag] = field(default_factory=dict)
    # why feeds are not loaded, and what is wrong with those that are
    failing: dict[str, str] = field(default_factory=dict)
    remarks: dict[str, str] = field(default_factory=dict)


def loaders_of(spark: SparkSession, stopping: Event, held: dict[str, ExitStack]) -> Loaders:
    """Return loaders that have loaded nothing yet, with the locks that are held already."""
    pool = ThreadPoolExecutor(ASKING, "feed")
    return Loaders(spark, Clients(spark), pool, stopping, held=held)


def close(loaders: Loaders) -> None:
    """Wait for the batches at work, and release brokers and locks."""
    loaders.pool.shutdown()
    for name in list(loaders.clients.connected):
        loaders.clients.drop(name)
    for lock in loaders.held.values():
        lock.close()


def hold(held: dict[str, ExitStack], config: Config, feed: str) -> int | None:
    """Take the feed's lock unless this process has it; return its file descriptor, if it is new."""
    if feed in held:
        return None
    lock = ExitStack()
    descriptor = lock.enter_context(feed_lock(config.lakehouse / "locks", feed))
    held[feed] = lock
    return descriptor


def load_side_by_side(
    loaders: Loaders, config: Config, feeds: list[Feed], accept_gaps: bool, patience: float
) -> list[Batch]:
    """Load what is new of these feeds, and return what has landed since the last call.

    It waits for no feed in trouble, and for none longer than `patience` seconds: such a feed goes
    on loading, and what lands then counts for a later cycle.
    """
    for feed in feeds:
        if feed.name not in loaders.running:
            loaders.running[feed.name] = loaders.pool.submit(
                _load, loaders, config, feed, accept_gaps
            )
    well = [load for name, load in loaders.running.items() if name not in loaders.failing]
    wait(well, timeout=patience)
    for name, load in list(loaders.running.items()):
        if load.done():
            del loaders.running[name]
            _note_outcome(loaders, config, name, load.exception())
    known = loaders.held.keys() | loaders.failing.keys() | loaders.seen.keys()
    for name in known - {feed.name for feed in feeds} - loaders.running.keys():
        _forget(loaders, name)
    batches = []
    while not loaders.landed.empty():
        batches.append(loaders.landed.get())
    return batches


def _note_outcome(loaders: Loaders, config: Config, name: str, error: BaseException | None) -> None:
    if error is None:
        loaders.failing.pop(name, None)
        return
    if not isinstance(error, UserError):
        log = log_trace(config.project_dir, error)
        first = (str(error).strip().splitlines() or [""])[0]
        kind = type(error).__name__
        sentence = f"Feed {name}: unexpected {kind}: {first[:300]} (see {log})."
        error = UserError(sentence, UNEXPECTED)
    _forget(loaders, name)
    loaders.failing[name] = str(error)


def _forget(loaders: Loaders, name: str) -> None:
    """Know nothing more of a feed, and release its lock.

    So an operator can load one in trouble, with --accept-gaps for instance, before the next cycle.
    """
    for known in (loaders.seen, loaders.lag, loaders.failing, loaders.remarks):
        known.pop(name, None)
    loaders.clients.drop(name)
    lock = loaders.held.pop(name, None)
    if lock is not None:
        lock.close()


def _load(loaders: Loaders, config: Config, feed: Feed, accept_gaps: bool) -> None:
    """Load what is new of one feed, if there is something new, under its lock."""
    hold(loaders.held, config, feed.name)
    now = look_at(loaders.clients, config, feed)
    if loaders.seen.get(feed.name) == now:
        return
    remarks: list[str] = []

    def landed(batch: Batch) -> None:
        loaders.landed.put(batch)
        if batch.lag is not None:
            loaders.lag[feed.name] = batch.lag

    with loaders.slots:
        load_feed(
            loaders.spark, config, feed, accept_gaps, loaders.stopping, landed, remarks.append
        )
    loaders.remarks.pop(feed.name, None)
    if remarks:
        loaders.remarks[feed.name] = remarks[-1]
    if loaders.stopping.is_set():
        return
    loaders.seen[feed.name] = now
    if not feed.files:
        loaders.lag[feed.name] = {
            topic: dict.fromkeys(partitions, 0) for topic, partitions in now.ends.items()
        }
