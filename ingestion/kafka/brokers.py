"""What the brokers know of topics, asked through Kafka's own admin client in Spark's JVM."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from py4j.java_gateway import JavaObject
from py4j.protocol import Py4JJavaError
from pyspark.errors.exceptions.captured import CapturedException
from pyspark.sql import SparkSession

from ingestion.config.feeds import Feed, Offsets
from ingestion.config.secrets import resolve, scrub
from ingestion.errors import CONFIGURATION, SOURCE, UNEXPECTED, UserError

# A wrong address is reported within 30 seconds.
TIMEOUTS = {"default.api.timeout.ms": "15000", "request.timeout.ms": "7500"}
# Kafka counts milliseconds; Spark counts microseconds, in as many bits.
TOO_LATE = (2**63 - 1) // 1000 + 1
# The client's id for topics of brokers older than 2.8, which have none.
NO_ID = "AAAAAAAAAAAAAAAAAAAAAA"
UNREACHABLE = ("TimeoutException", "DisconnectException", "NetworkException")
REFUSED = ("SaslAuthenticationException", "SslAuthenticationException", "AuthenticationException")
FORBIDDEN = (
    "TopicAuthorizationException",
    "ClusterAuthorizationException",
    "AuthorizationException",
)


@dataclass(frozen=True)
class Topic:
    """A topic as the brokers describe it."""

    id: str
    partitions: int


@contextmanager
def broker_errors(feed: Feed) -> Iterator[None]:
    """Turn errors of the Kafka client into sentences."""
    try:
        yield
    except Py4JJavaError as error:
        raise explain(feed, error.java_exception) from None
    except CapturedException as error:
        raise explain(feed, error._origin) from None


@contextmanager
def group_errors(feed: Feed) -> Iterator[None]:
    """Turn errors of the Kafka client about the feed's consumer group into sentences."""
    try:
        yield
    except Py4JJavaError as error:
        java = error.java_exception
    except CapturedException as error:
        java = error._origin
    else:
        return
    name, text = list(_causes(java))[-1]
    problem = f"Feed {feed.name}: its offsets were not committed to the group {feed.group}"
    if name == "UnknownMemberIdException":
        raise UserError(
            f"{problem}: consumers are members of it; give the feed a group of its own.",
            CONFIGURATION,
        )
    if name == "GroupAuthorizationException":
        raise UserError(f"{problem}: grant this user READ on the group.", CONFIGURATION)
    reason = scrub((text or name).splitlines()[0], feed.kafka)
    raise UserError(f"{problem}: {name}: {reason}", SOURCE)


def explain(feed: Feed, error: JavaObject) -> UserError:
    """Return the sentence for an error of the Kafka client, wherever it is among the causes."""
    causes = list(_causes(error))
    names = [name for name, _ in causes]
    servers = feed.kafka["bootstrap.servers"]
    if any(name in REFUSED for name in names):
        return UserError(
            f"Feed {feed.name}: the brokers at {servers} refuse the credentials: check the "
            "security settings under kafka.",
            CONFIGURATION,
        )
    if any(name in FORBIDDEN for name in names):
        return UserError(
            f"Feed {feed.name}: the brokers at {servers} do not let this user read its topics: "
            "grant READ and DESCRIBE on them.",
            CONFIGURATION,
        )
    unresolvable = any("resolvable bootstrap" in text for _, text in causes)
    if unresolvable or any(name in UNREACHABLE for name in names):
        return UserError(
            f"Feed {feed.name}: no broker answers at {servers}: check bootstrap.servers and "
            "that the brokers run.",
            SOURCE,
        )
    if any("JAAS config" in text for _, text in causes):
        # Kafka names the word at which it stopped, which may be a part of a password
        return UserError(
            f"Feed {feed.name}: Kafka cannot read the option sasl.jaas.config: it ends with a "
            'semicolon, and a " or \\ of a password has a \\ before it.',
            CONFIGURATION,
        )
    name, text = causes[-1]
    reason = scrub((text or name).splitlines()[0], feed.kafka)
    if name in ("NoSuchFileException", "FileNotFoundException"):
        return UserError(
            f"Feed {feed.name}: an option of Kafka names a file that is not there: {reason}",
            CONFIGURATION,
        )
    if name in ("ConfigException", "KafkaException", "IllegalArgumentException"):
        return UserError(
            f"Feed {feed.name}: Kafka does not accept its options: {reason}", CONFIGURATION
        )
    return UserError(f"Feed {feed.name}: reading from Kafka failed: {name}: {reason}", UNEXPECTED)


def _causes(cause: JavaObject) -> Iterator[tuple[str, str]]:
    while cause is not None:
        yield cause.getClass().getSimpleName(), str(cause.getMessage() or "")
        cause = cause.getCause()


@contextmanager
def admin_client(spark: SparkSession, feed: Feed) -> Iterator[JavaObject]:
    """Yield an admin client that has the feed's own consumer options."""
    properties = spark._jvm.java.util.Properties()
    for option, value in (resolve(feed.name, feed.kafka) | TIMEOUTS).items():
        properties.setProperty(option, value)
    with broker_errors(feed):
        client = spark._jvm.org.apache.kafka.clients.admin.AdminClient.create(properties)
    try:
        yield client
    finally:
        client.close(spark._jvm.java.time.Duration.ZERO)


def feed_topics(spark: SparkSession, client: JavaObject, feed: Feed) -> dict[str, Topic]:
    """Return the topics that the feed reads; a topic that it declares must exist."""
    with broker_errors(feed):
        existing = set(client.listTopics().names().get())
        if feed.topic_pattern is not None:
            wanted = [topic for topic in sorted(existing) if matches(spark, feed, topic)]
        else:
            wanted = list(feed.topics)
        missing = [topic for topic in wanted if topic not in existing]
        if missing:
            raise UserError(
                f"Feed {feed.name}: the brokers at {feed.kafka['bootstrap.servers']} have no topic "
                f"{', '.join(missing)}: create it or correct topics.",
                SOURCE,
            )
        if not wanted:
            return {}
        described = client.describeTopics(wanted).allTopicNames().get()
        return {
            topic: Topic(
                described.get(topic).topicId().toString(), described.get(topic).partitions().size()
            )
            for topic in wanted
        }


def matches(spark: SparkSession, feed: Feed, topic: str) -> bool:
    """Return whether the topic's name matches the feed's pattern, as Kafka and Spark match it."""
    try:
        return spark._jvm.java.util.regex.Pattern.matches(feed.topic_pattern, topic)
    except CapturedException:
        raise UserError(
            f"Feed {feed.name}: topic_pattern is not a regular expression as Java writes them: "
            f"{feed.topic_pattern}."
        ) from None


def earliest_offsets(
    spark: SparkSession, client: JavaObject, feed: Feed, topics: dict[str, Topic]
) -> Offsets:
    """Return the first offset that the brokers still hold of each partition."""
    specs = spark._jvm.org.apache.kafka.clients.admin.OffsetSpec
    return _offsets(spark, client, feed, topics, specs.earliest(), committed=False)


def latest_offsets(
    spark: SparkSession, client: JavaObject, feed: Feed, topics: dict[str, Topic], committed: bool
) -> Offsets:
    """Return the end of each partition; with `committed` it is before open transactions."""
    specs = spark._jvm.org.apache.kafka.clients.admin.OffsetSpec
    return _offsets(spark, client, feed, topics, specs.latest(), committed)


def explain_load(spark: SparkSession, feed: Feed, cause: JavaObject) -> UserError:
    """Return the sentence for why a query failed, also where a record's timestamp is the cause."""
    error = explain(feed, cause)
    if error.exit_code != UNEXPECTED:
        return error
    with admin_client(spark, feed) as client:
        spec = spark._jvm.org.apache.kafka.clients.admin.OffsetSpec.forTimestamp(TOO_LATE)
        topics = feed_topics(spark, client, feed)
        found = _offsets(spark, client, feed, topics, spec, committed=False)
    places = [
        f"topic {topic}, partition {partition}, offset {offset}"
        for topic, partitions in sorted(found.items())
        for partition, offset in sorted(partitions.items())
        if offset >= 0
    ]
    if not places:
        return error
    return UserError(
        f"Feed {feed.name}: Spark cannot read the timestamp at {'; '.join(places)}, which is too "
        "large, as where a producer writes nanoseconds for Kafka's milliseconds: correct the "
        "producer, and take the record out of the topic (docs/feeds.md).",
        UNEXPECTED,
    )


def _offsets(
    spark: SparkSession,
    client: JavaObject,
    feed: Feed,
    topics: dict[str, Topic],
    spec: JavaObject,
    committed: bool,
) -> Offsets:
    kafka = spark._jvm.org.apache.kafka
    level = kafka.common.IsolationLevel.valueOf(
        "READ_COMMITTED" if committed else "READ_UNCOMMITTED"
    )
    wanted = spark._jvm.java.util.HashMap()
    for topic, described in topics.items():
        for partition in range(described.partitions):
            place = kafka.common.TopicPartition(topic, partition)
            wanted.put(place, spec)
    with broker_errors(feed):
        options = kafka.clients.admin.ListOffsetsOptions(level)
        answer = client.listOffsets(wanted, options).all().get()
    found: Offsets = {topic: {} for topic in topics}
    for place in answer.keySet():
        found[place.topic()][place.partition()] = answer.get(place).offset()
    return found
