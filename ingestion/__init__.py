"""The loader: lands raw Kafka records, or captured files of them, byte for byte in bronze."""
