"""A producer's topics as they grow: whether a row has come through."""

import time

from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient


class Stream:
    """The topic that brings the table `marker`."""

    def __init__(self, servers: str, topic: str) -> None:
        self.topic, self.seen, self.assigned = topic, set(), set()
        client = {"bootstrap.servers": servers, "log_level": 0}
        self.admin = AdminClient(client)
        told = {"group.id": f"stream-{topic}", "enable.auto.commit": False}
        self.consumer = Consumer(client | told | {"fetch.message.max.bytes": 20_000_000})

    def wait_for(self, token: str, seconds: float = 120) -> None:
        """Return once some record holds the token."""
        deadline = time.monotonic() + seconds
        while True:
            self._take_new_partitions()
            while (message := self.consumer.poll(0.1)) is not None:
                if not message.error() and token.encode() in (message.value() or b""):
                    return
            assert time.monotonic() < deadline, f"{self.topic} did not bring {token}"

    def _take_new_partitions(self) -> None:
        topic = self.admin.list_topics(timeout=10).topics.get(self.topic)
        found = set(topic.partitions) if topic else set()
        if found - self.assigned:
            self.consumer.incremental_assign(
                [TopicPartition(self.topic, one, 0) for one in found - self.assigned]
            )
            self.assigned |= found

    def close(self) -> None:
        self.consumer.close()
