"""The only package that starts a JVM: Spark, its jars, its archive of classes."""
