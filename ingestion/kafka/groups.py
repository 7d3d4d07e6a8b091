"""How far bronze has come, committed to a consumer group: every Kafka tool shows the lag.

The loader never reads from the group: Delta and the checkpoint show which records bronze has.
"""

from pyspark.sql import SparkSession

from ingestion.config.feeds import Feed, Offsets
from ingestion.kafka import brokers


def commit_offsets(spark: SparkSession, feed: Feed, offsets: Offsets) -> None:
    """Set the offsets of the feed's group to these, the next ones that bronze does not hold.

    Where the group has members, or the user may not write to it, a UserError says so.
    """
    jvm = spark._jvm
    kafka = jvm.org.apache.kafka
    wanted = jvm.java.util.HashMap()
    for topic, partitions in offsets.items():
        for partition, offset in partitions.items():
            place = kafka.common.TopicPartition(topic, partition)
            wanted.put(place, kafka.clients.consumer.OffsetAndMetadata(offset))
    if wanted.isEmpty():
        return
    with brokers.admin_client(spark, feed) as client, brokers.group_errors(feed):
        client.alterConsumerGroupOffsets(feed.group, wanted).all().get()
