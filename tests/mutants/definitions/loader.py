"""Faults in the package `ingestion`."""

from tests.mutants.mutant import Mutant

TESTS = "tests/ingestion"

SPOT_CHECKS = "tests/reconcile/test_spot_checks.py"

MUTANTS = (
    Mutant(
        name="report: a webhook that redirects counts as one that has taken the finding",
        kind="a guard left out",
        file="ingestion/report/webhook.py",
        before="build_opener(_NoRedirects)",
        after="build_opener()",
        tests=(f"{TESTS}/test_webhook.py",),
    ),
    Mutant(
        name="config: Spark's own options are accepted where all feeds share them",
        kind="a guard left out",
        file="ingestion/config/feeds.py",
        before="kafka_options(shared)",
        after="{str(key): str(value) for key, value in shared.items()}",
        tests=(f"{TESTS}/test_config.py",),
    ),
    Mutant(
        name="loader: a small table of bronze stays as it was read first",
        kind="a comparison turned",
        file="ingestion/bronze/tables.py",
        before="_rows_read[path][0] != state",
        after="_rows_read[path][0] is None",
        tests=(f"{TESTS}/test_small_tables.py",),
    ),
    Mutant(
        name="loader: reading goes on one record behind the end of a gap",
        kind="a comparison turned",
        file="ingestion/kafka/offsets.py",
        before='gap.to_offset if gap.reason == "retention" else gap.from_offset',
        after='gap.to_offset + 1 if gap.reason == "retention" else gap.from_offset',
        tests=(f"{TESTS}/test_gaps.py::test_expired_records_are_refused_then_noted",),
    ),
    Mutant(
        name="loader: a gap that was accepted is not recorded",
        kind="a mark not written",
        file="ingestion/kafka/offsets.py",
        before="    note_gaps(spark, config, feed, start)\n",
        after="",
        tests=(f"{TESTS}/test_gaps.py::test_expired_records_are_refused_then_noted",),
    ),
    Mutant(
        name="loader: how a checkpoint began is not written",
        kind="a mark not written",
        file="ingestion/kafka/offsets.py",
        before="        write_start(spark, config.bronze, feed.name, start)\n",
        after="        pass\n",
        tests=(
            f"{TESTS}/test_gaps.py::test_checkpoint_says_how_it_began",
            "tests/ingestion/test_gaps.py",
            "tests/ingestion/test_process.py",
        ),
    ),
    Mutant(
        name="loader: a batch that landed does not count until Spark has noted it",
        kind="a guard left out",
        file="ingestion/bronze/checkpoints.py",
        before="max(landed, noted))",
        after="noted)",
        tests=(
            f"{TESTS}/test_gaps.py::test_records_that_expire_after_they_landed_are_no_gap",
            "tests/ingestion/test_gaps.py",
            "tests/ingestion/test_process.py",
        ),
    ),
    Mutant(
        name="loader: a bronze that is older than its checkpoint counts as complete",
        kind="a guard left out",
        file="ingestion/bronze/agreement.py",
        before="return max(noted_batch(spark, bronze, feed, start), planned - 1) <= batch <= planned",
        after="return batch <= planned",
        tests=(
            f"{TESTS}/test_gaps.py::test_a_checkpoint_agrees_with_the_batches_that_delta_remembers",
            "tests/ingestion/test_gaps.py",
        ),
    ),
    Mutant(
        name="loader: records that are all there are taken for a gap",
        kind="a comparison turned",
        file="ingestion/kafka/gaps.py",
        before="if earliest > offset:",
        after="if earliest >= offset:",
        tests=(
            f"{TESTS}/test_gaps.py::test_records_that_expire_after_they_landed_are_no_gap",
            "tests/ingestion/test_gaps.py",
            "tests/ingestion/test_process.py",
        ),
    ),
    Mutant(
        name="loader: a batch that is sent to bronze twice lands twice",
        kind="a mark not written",
        file="ingestion/bronze/tables.py",
        before="""
        .option("txnAppId", application)
        .option("txnVersion", version)
""",
        after="\n",
        tests=(
            f"{TESTS}/test_gaps.py::test_batch_that_landed_but_was_not_noted_does_not_land_again",
        ),
    ),
    Mutant(
        name="loader: a topic that was made anew keeps its generation",
        kind="a comparison turned",
        file="ingestion/kafka/topics.py",
        before="old.generation + (old.id != NO_ID)",
        after="old.generation",
        tests=(
            f"{TESTS}/test_gaps.py::test_recreated_topic_is_refused_then_read_as_a_new_generation",
            "tests/ingestion/test_gaps.py",
            "tests/ingestion/test_process.py",
        ),
    ),
    Mutant(
        name="loader: a second one may load the same feed",
        kind="a guard left out",
        file="ingestion/loader/load.py",
        before="held = [stack.enter_context(feed_lock(locks, feed.name)) for feed in feeds]",
        after="held = [locks for feed in feeds if feed is None]",
        tests=(
            f"{TESTS}/test_process.py::test_second_loader_is_refused_and_the_first_stops_in_order",
        ),
    ),
    Mutant(
        name="loader: values of hidden options stand in messages",
        kind="a guard left out",
        file="ingestion/config/secrets.py",
        before="    secrets |= {value for option, value in options.items() if HIDDEN.search(option)}\n",
        after="",
        tests=(f"{TESTS}/test_config.py::test_scrub_hides_what_came_from_the_environment",),
    ),
    Mutant(
        name="loader: a file is read in each load",
        kind="a guard left out",
        file="ingestion/files/loading.py",
        before="        if name not in loaded:\n",
        after="        if name:\n",
        tests=(f"{TESTS}/test_files.py::test_a_file_lands_once_and_new_files_follow",),
    ),
    Mutant(
        name="loader: which files a load has begun is not written",
        kind="a mark not written",
        file="ingestion/files/loading.py",
        before="        write_text(spark, _plan_path(config, feed), json.dumps(asdict(plan), indent=1))\n",
        after="        pass\n",
        tests=(f"{TESTS}/test_files.py::test_a_load_cut_anywhere_is_finished_without_doubles",),
    ),
    Mutant(
        name="loader: a group is told no offsets when a load begins",
        kind="a mark not written",
        file="ingestion/kafka/loading.py",
        before="        _commit_to_group(spark, feed, position(spark, config.bronze, feed.name, start), remark)\n",
        after="        pass\n",
        tests=(
            f"{TESTS}/test_topics.py::test_the_group_of_a_feed_shows_what_has_landed_and_decides_nothing",
        ),
    ),
    Mutant(
        name="cycles: a feed that was loaded once has nothing new for ever",
        kind="a comparison turned",
        file="ingestion/cycles/loading.py",
        before="if loaders.seen.get(feed.name) == now:",
        after="if feed.name in loaders.seen:",
        tests=(
            f"{TESTS}/test_cycles.py::test_what_lands_is_in_gold_with_the_cycle_and_nothing_new_needs_no_dbt",
        ),
    ),
    Mutant(
        name="cycles: a feed in trouble is waited for",
        kind="a guard left out",
        file="ingestion/cycles/loading.py",
        before="for name, load in loaders.running.items() if name not in loaders.failing]",
        after="for name, load in loaders.running.items() if name]",
        tests=(
            f"{TESTS}/test_cycles.py::"
            "test_a_feed_in_trouble_keeps_no_other_back_is_said_once_and_goes_on_when_mended",
            "tests/ingestion/test_cycles.py",
        ),
    ),
    Mutant(
        name="cycles: the lock of a feed in trouble is kept",
        kind="a guard left out",
        file="ingestion/cycles/loading.py",
        before="    lock = loaders.held.pop(name, None)\n",
        after="    lock = None\n",
        tests=(
            f"{TESTS}/test_cycles.py::"
            "test_a_feed_in_trouble_keeps_no_other_back_is_said_once_and_goes_on_when_mended",
            "tests/ingestion/test_cycles.py",
        ),
    ),
    Mutant(
        name="cycles: dbt is told the changed settings of a feed that is not loaded",
        kind="a guard left out",
        file="ingestion/cycles/project.py",
        before="{**read, **landed} if doubts or troubles else None",
        after="{**landed, **read} if doubts or troubles else None",
        tests=(
            f"{TESTS}/test_cycles.py::"
            "test_a_feed_in_trouble_keeps_no_other_back_is_said_once_and_goes_on_when_mended",
            "tests/ingestion/test_cycles.py",
        ),
    ),
    Mutant(
        name="cycles: a model that failed waits for new records",
        kind="a guard left out",
        file="ingestion/cycles/one_cycle.py",
        before=" or not progress.built.is_whole\n",
        after="\n",
        tests=(
            f"{TESTS}/test_cycles.py::test_a_model_that_fails_delays_no_other_and_is_tried_again",
            "tests/ingestion/test_cycles.py",
        ),
    ),
    Mutant(
        name="generate: columns stand in the order opposite to the table's",
        kind="an order reversed",
        file="ingestion/gold_models/model_files.py",
        before="        for column in table.columns_of_gold()\n",
        after="        for column in reversed(table.columns_of_gold())\n",
        tests=(f"{TESTS}/test_generate.py::test_columns_stand_in_the_order_of_the_source_table",),
    ),
    Mutant(
        name="generate: a name that another file has is taken once more",
        kind="a guard left out",
        file="ingestion/gold_models/new_models.py",
        before="if name and (name in taken or counts[name] > 1)",
        after="if name and counts[name] > 1",
        tests=(
            f"{TESTS}/test_generate.py::test_names_that_collide_are_longer_or_reported_and_no_file_is_written_over",
        ),
    ),
    Mutant(
        name="generate: a column that the model does not have is not told",
        kind="a column forgotten",
        file="ingestion/gold_models/model_differences.py",
        before="if not (model.adds_columns or name in model.columns or name in model.left_out)",
        after="if not (model.adds_columns or model.columns or name in model.left_out)",
        tests=(
            f"{TESTS}/test_generate.py::test_a_model_is_not_compared_with_types_that_nothing_tells",
        ),
    ),
    Mutant(
        name="inspect: canal's own messages are taken for those of OMS",
        kind="a comparison turned",
        file="ingestion/sniff/recognise.py",
        before='    if "id" not in message:\n',
        after='    if "id" in message:\n',
        tests=(f"{TESTS}/test_inspect.py::test_every_sample_is_recognised",),
    ),
    Mutant(
        name="reconcile: rows that one side alone has are no difference",
        kind="a comparison turned",
        file="ingestion/reconcile/compare.py",
        before="not at_source <=> in_gold",
        after="at_source <> in_gold",
        tests=("tests/reconcile/test_reconcile.py::test_each_difference_is_told_with_its_place",),
    ),
    Mutant(
        name="spot checks: a row whose change may be on its way is a finding",
        kind="a guard left out",
        file="ingestion/cycles/spot_checks.py",
        before="complete is not None and complete > suspects[key].since",
        after="True",
        tests=(f"{SPOT_CHECKS}::test_a_row_whose_change_may_be_on_its_way_is_no_finding",),
    ),
    Mutant(
        name="spot checks: a row that the source has changed meanwhile counts as it was",
        kind="a comparison turned",
        file="ingestion/cycles/spot_checks.py",
        before="self.at_source == pair.at_source and self.in_gold",
        after="self.in_gold",
        tests=(f"{SPOT_CHECKS}::test_a_row_that_the_source_goes_on_changing_is_no_finding",),
    ),
    Mutant(
        name="spot checks: a row that gold has got meanwhile counts as it was",
        kind="a guard left out",
        file="ingestion/cycles/spot_checks.py",
        before=" and self.in_gold == pair.in_gold",
        after="",
        tests=(
            f"{SPOT_CHECKS}::test_a_row_that_gold_has_got_since_is_no_finding_before_it_is_seen_again",
        ),
    ),
)
