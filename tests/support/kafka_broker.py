"""A real Kafka broker for tests: one KRaft node on 127.0.0.1, started from Maven's jars."""

import socket
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewPartitions, NewTopic

from ingestion.spark.jars import fetch_server_jars

JAVA = ["java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xms64m"]
PROPERTIES = """
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port}{guarded},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}{guarded}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT
inter.broker.listener.name=PLAINTEXT
controller.listener.names=CONTROLLER
log.dirs={data}
num.partitions=1
auto.create.topics.enable={creates}
offsets.topic.num.partitions=1
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
share.coordinator.state.topic.num.partitions=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
num.network.threads=1
num.io.threads=2
background.threads=2
message.max.bytes=20000000
log.cleaner.dedupe.buffer.size=4194304
log.cleaner.backoff.ms=200
log.segment.bytes=67108864
log.retention.ms=-1
# A killed broker must come back at once, without waiting for its own old registration.
broker.session.timeout.ms=1000
broker.heartbeat.interval.ms=250
controller.quorum.election.timeout.ms=100
controller.quorum.election.backoff.max.ms=100
controller.quorum.fetch.timeout.ms=500
{extra}
"""
# The user and the password that clients of the guarded listener must give.
SASL = """
sasl.enabled.mechanisms=PLAIN
listener.name.sasl_plaintext.plain.sasl.jaas.config=\
org.apache.kafka.common.security.plain.PlainLoginModule required \
username="{user}" password="{password}" user_{user}="{password}";
"""


class KafkaBroker:
    """One broker process with its data folder; with credentials it has a second port that asks for them."""

    def __init__(
        self,
        folder: Path,
        credentials: tuple[str, str] | None = None,
        creates_topics: bool = False,
    ) -> None:
        self.folder = folder
        self.jars = fetch_server_jars("kafka_broker")
        self.port, controller = free_port(), free_port()
        self.servers = f"127.0.0.1:{self.port}"
        self.client = {"bootstrap.servers": self.servers, "log_level": 0}
        extra = guarded = ""
        if credentials:
            user, password = credentials
            extra = SASL.format(user=user, password=password)
            self.guarded_servers = f"127.0.0.1:{free_port()}"
            guarded = f",SASL_PLAINTEXT://{self.guarded_servers}"
        folder.mkdir(parents=True, exist_ok=True)
        self.properties = folder / "server.properties"
        self.properties.write_text(
            PROPERTIES.format(
                port=self.port,
                controller=controller,
                data=folder / "data",
                creates=str(creates_topics).lower(),
                guarded=guarded,
                extra=extra,
            )
        )
        self._java(
            "-Xmx64m", "kafka.tools.StorageTool", "format", "-t", "IbSMXVibQDughovmq4ZvmA"
        ).wait()
        self.start()
        self.admin = AdminClient(self.client | {"reconnect.backoff.max.ms": 200})
        self.wait_until_ready()
        self.producer = Producer(self.client | {"message.max.bytes": 20_000_000, "linger.ms": 5})

    def _java(self, heap: str, main: str, *arguments: str) -> subprocess.Popen:
        options = ["-c"] if main.endswith("StorageTool") else []
        log = (self.folder / "broker.log").open("ab")
        return subprocess.Popen(
            [
                *JAVA,
                heap,
                "-cp",
                f"{self.jars}/*",
                main,
                *arguments,
                *options,
                str(self.properties),
            ],
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )

    def start(self) -> None:
        self.process = self._java("-Xmx192m", "kafka.Kafka")

    def wait_until_ready(self, seconds: float = 60) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            assert self.process.poll() is None, (self.folder / "broker.log").read_text()[-3000:]
            try:
                if self.admin.list_topics(timeout=1).brokers:
                    return
            except Exception:
                time.sleep(0.1)
        raise TimeoutError("the broker did not answer")

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(60)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(60)

    def restart(self, kill: bool = False) -> None:
        if kill:
            self.kill()
        else:
            self.stop()
        self.start()
        self.wait_until_ready()

    def create(self, topic: str, partitions: int = 1, **config: str) -> str:
        named = {key.replace("_", "."): value for key, value in config.items()}
        new = NewTopic(topic, partitions, 1, config=named)
        for future in self.admin.create_topics([new]).values():
            future.result(30)
        self._wait(lambda: len(self._partitions(topic)) == partitions)
        return topic

    def delete(self, topic: str) -> None:
        for future in self.admin.delete_topics([topic]).values():
            future.result(30)
        self._wait(lambda: topic not in self.admin.list_topics(timeout=5).topics)

    def add_partitions(self, topic: str, total: int) -> None:
        for future in self.admin.create_partitions([NewPartitions(topic, total)]).values():
            future.result(30)
        self._wait(lambda: len(self._partitions(topic)) == total)

    def expire_before(self, topic: str, partition: int, offset: int) -> None:
        """Move the start of the log, as retention does."""
        wanted = [TopicPartition(topic, partition, offset)]
        for future in self.admin.delete_records(wanted).values():
            future.result(30)

    def produce(self, topic: str, records: Iterable[dict]) -> None:
        for record in records:
            while True:
                try:
                    self.producer.produce(topic, **record)
                    break
                except BufferError:
                    self.producer.poll(0.1)
            self.producer.poll(0)
        assert self.producer.flush(60) == 0

    @contextmanager
    def transaction(self, name: str, abort: bool = False) -> Iterator[Producer]:
        producer = Producer(self.client | {"transactional.id": name})
        producer.init_transactions(30)
        producer.begin_transaction()
        yield producer
        producer.flush(30)
        producer.abort_transaction(30) if abort else producer.commit_transaction(30)

    def consume(self, topics: list[str]) -> list[dict]:
        """Return all records that a read_committed consumer gets, sorted by coordinates."""
        places = [TopicPartition(t, p, 0) for t in topics for p in self._partitions(t)]
        consumer = Consumer(
            self.client
            | {
                "group.id": f"check-{time.monotonic_ns()}",
                "enable.auto.commit": False,
                "enable.partition.eof": True,
                "isolation.level": "read_committed",
                "auto.offset.reset": "earliest",
                "fetch.message.max.bytes": 20_000_000,
            }
        )
        consumer.assign(places)
        found, ended, deadline = [], set(), time.monotonic() + 60
        while len(ended) < len(places):
            assert time.monotonic() < deadline, "the consumer did not reach the end"
            message = consumer.poll(1)
            if message is None:
                continue
            if message.error():
                ended.add((message.topic(), message.partition()))
                continue
            found.append(
                {
                    "topic": message.topic(),
                    "partition": message.partition(),
                    "offset": message.offset(),
                    "timestamp": message.timestamp()[1],
                    "timestamp_type": message.timestamp()[0] - 1,
                    "headers": message.headers(),
                    "key": message.key(),
                    "value": message.value(),
                }
            )
        consumer.close()
        return sorted(found, key=lambda one: (one["topic"], one["partition"], one["offset"]))

    def committed(self, group: str, topic: str) -> dict[int, int]:
        """Return the offsets that a consumer group has committed, by partition; negative: none."""
        consumer = Consumer(self.client | {"group.id": group})
        places = [TopicPartition(topic, partition) for partition in self._partitions(topic)]
        found = consumer.committed(places, timeout=30)
        consumer.close()
        return {place.partition: place.offset for place in found}

    def commit(self, group: str, topic: str, offset: int) -> None:
        """Let a consumer group stand at this offset of partition 0."""
        consumer = Consumer(self.client | {"group.id": group})
        consumer.commit(offsets=[TopicPartition(topic, 0, offset)], asynchronous=False)
        consumer.close()

    def _partitions(self, topic: str) -> list[int]:
        described = self.admin.list_topics(topic, timeout=5).topics[topic]
        return [] if described.error else sorted(described.partitions)

    def _wait(self, done) -> None:
        deadline = time.monotonic() + 30
        while not done():
            assert time.monotonic() < deadline
            time.sleep(0.05)


def free_port() -> int:
    """Return a port of 127.0.0.1 that nothing uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
