"""The loader as the user runs it: killed, stopped, started twice, with secrets."""

import random
import re
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

from ingestion.errors import CONFIGURATION, LOCKED, OK
from tests.ingestion.test_topics import feed, plain, values
from tests.support.kafka_broker import KafkaBroker
from tests.support.project import Project

pytestmark = pytest.mark.kafka

PASSWORD = "s3cret-Pa55w0rd-of-the-broker"
LANDED = re.compile(r"^shop: [0-9,]+ records, \S+ \S+, [0-9,]+ records/s, [0-9,]+ behind$")


def next_batch(loader: subprocess.Popen) -> str:
    line = loader.stdout.readline()
    assert LANDED.match(line.strip()), line + loader.stderr.read()
    return line


def test_killed_loaders_land_every_record_exactly_once(project: Project, broker: KafkaBroker):
    topic = broker.create("killed", 3)
    project.configure(feed(topic, max_offsets_per_trigger=2500), broker.servers)
    broker.produce(topic, values(5000))
    producing = threading.Event()

    def produce() -> None:
        for number in range(40):
            broker.produce(topic, values(250, start=5000 + 250 * number))
            if number % 5 == 0:
                with broker.transaction("killed", abort=number % 2 == 0) as producer:
                    producer.produce(topic, value=b"in a transaction")
            producing.wait(0.5)

    producer = threading.Thread(target=produce)
    producer.start()
    dice = random.Random(7)
    for _ in range(3):
        loader = project.start_load("--follow", "--interval", "0.1")
        next_batch(loader)
        time.sleep(dice.uniform(0, 3))
        loader.kill()
        loader.wait()
    producing.set()
    producer.join()
    last = project.start_load()
    out, err = last.communicate(timeout=240)
    assert (last.returncode, err) == (OK, "")
    assert all(LANDED.match(line) for line in out.splitlines())
    assert plain(project.messages()) == plain(broker.consume([topic]))


def test_second_loader_is_refused_and_the_first_stops_in_order(
    project: Project, broker: KafkaBroker
):
    topic = broker.create("locked")
    broker.produce(topic, values(10))
    project.configure(feed(topic), broker.servers)
    first = project.start_load("--follow", "--interval", "0.5")
    next_batch(first)
    second = project.start_load()
    out, err = second.communicate(timeout=240)
    assert second.returncode == LOCKED
    assert out == ""
    assert err == (
        f"Feed shop is being loaded by another process (pid {first.pid}): "
        "wait for it to end or stop it.\n"
    )
    first.send_signal(signal.SIGTERM)
    out, err = first.communicate(timeout=240)
    assert (first.returncode, err) == (OK, "")
    assert len(project.messages()) == 10


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory):
    broker = KafkaBroker(tmp_path_factory.mktemp("guarded"), credentials=("loader", PASSWORD))
    yield broker
    broker.stop()


def secure(broker: KafkaBroker) -> dict:
    module = "org.apache.kafka.common.security.plain.PlainLoginModule"
    return {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "PLAIN",
        "sasl.jaas.config": f'{module} required username="loader" password="${{BROKER_PASSWORD}}";',
    }


def files_with(folder: Path, text: str) -> list[Path]:
    return [
        path
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink() and text.encode() in path.read_bytes()
    ]


def test_secrets_come_from_the_environment_and_go_nowhere(project: Project, guarded: KafkaBroker):
    topic = guarded.create("guarded")
    guarded.produce(topic, values(10))
    project.configure(feed(topic), guarded.servers, **secure(guarded))
    loader = project.start_load("--debug", BROKER_PASSWORD=PASSWORD)
    out, err = loader.communicate(timeout=240)
    assert (loader.returncode, err) == (OK, "")
    assert len(project.messages()) == 10
    assert PASSWORD not in out + err
    assert (project.folder / "lakehouse/logs/spark.log").exists()
    assert files_with(project.folder, PASSWORD) == []


def test_wrong_credentials_are_one_sentence_without_them(
    project: Project, guarded: KafkaBroker, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("BROKER_PASSWORD", "wrong-" + PASSWORD)
    project.configure(feed("guarded"), guarded.servers, **secure(guarded))
    result = project.load()
    assert result.code == CONFIGURATION
    assert "refuse the credentials" in result.err
    assert PASSWORD not in result.err
    assert len(result.err.splitlines()) == 1
    assert files_with(Path.cwd() / "lakehouse", PASSWORD) == []


def test_broken_options_are_one_sentence_without_secrets(
    project: Project, guarded: KafkaBroker, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("BROKER_PASSWORD", PASSWORD)
    options = secure(guarded) | {"sasl.jaas.config": "no.Module ${BROKER_PASSWORD}"}
    project.configure(feed("guarded"), guarded.servers, **options)
    result = project.load()
    assert result.code == CONFIGURATION
    assert "Kafka does not accept its options" in result.err
    assert PASSWORD not in result.err
    assert files_with(Path.cwd() / "lakehouse", PASSWORD) == []


def test_missing_variable_stops_before_anything_starts(
    project: Project, guarded: KafkaBroker, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("BROKER_PASSWORD", raising=False)
    project.configure(feed("guarded"), guarded.servers, **secure(guarded))
    result = project.load()
    assert result.code == CONFIGURATION
    assert "needs the environment variable BROKER_PASSWORD" in result.err
