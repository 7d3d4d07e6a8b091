"""The cycles of `run --follow`, one after the other in one process and one Spark."""

import time
from contextlib import ExitStack
from threading import Event

from pyspark.sql import SparkSession

from ingestion.bronze.tables import create_tables
from ingestion.config.feeds import Config
from ingestion.cycles import loading
from ingestion.cycles.ending import Listeners, end_cycle, listeners_of
from ingestion.cycles.loading import Loaders
from ingestion.cycles.one_cycle import Options, Progress, run_cycle
from ingestion.cycles.project import Project
from ingestion.cycles.spot_checks import spot_checks
from ingestion.errors import OK, UserError
from ingestion.loader.load import stop_signals
from ingestion.locks import metastore_lock
from ingestion.progress import say
from ingestion.report.metrics_server import metrics_server
from ingestion.spark.session import session


def follow(config: Config, options: Options) -> int:
    """Load and build what is new, cycle after cycle, until Ctrl-C or SIGTERM.

    If one feed or model is in trouble, the others go on; a UserError says why none can.
    """
    held: dict[str, ExitStack] = {}
    with ExitStack() as stack:
        inherited = [stack.enter_context(metastore_lock(config.lakehouse / "locks"))]
        for name in config.feeds:
            try:
                inherited.append(loading.hold(held, config, name))
            except UserError:
                # reported by the first cycle, which tries again
                continue
        say("Starting Spark ...")
        spark = session(config.project_dir, hive=True, inherited=inherited)
        create_tables(spark, config.bronze)
        server = stack.enter_context(metrics_server(options.metrics_port))
        checks = spot_checks(spark, options.spot_check_every)
        listeners = listeners_of(options.metrics_file, server, checks)
        stopping = stack.enter_context(stop_signals())
        loaders = loading.loaders_of(spark, stopping, held)
        stack.callback(loading.close, loaders)
        run_cycles(spark, config, options, loaders, stopping, listeners)
    say("Stopped; the next run goes on where this one ended.")
    return OK


def run_cycles(
    spark: SparkSession,
    config: Config,
    options: Options,
    loaders: Loaders,
    stopping: Event,
    listeners: Listeners,
) -> None:
    """Run one cycle after the other until stopped; the current one is finished first."""
    project, progress, number = Project(config), Progress(), 0
    while not stopping.is_set():
        number += 1
        started = time.monotonic()
        project, progress, cycle = run_cycle(spark, project, progress, options, loaders, number)
        end_cycle(project.config, cycle, listeners)
        stopping.wait(max(0.0, options.interval - (time.monotonic() - started)))
