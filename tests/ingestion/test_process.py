"""The loader as the user runs it: killed, stopped, started twice, with secrets."""

import re
import signal
import subprocess
import threading
import time
from itertools import count
from pathlib import Path

import pytest

from ingestion.errors import CONFIGURATION, LOCKED, OK
from tests.ingestion.conftest import PASSWORD
from tests.ingestion.test_topics import feed, plain, values
from tests.support.kafka_broker import KafkaBroker
from tests.support.project import Project

pytestmark = pytest.mark.kafka

LANDED = re.compile(r"^shop: [0-9,]+ records, \S+ \S+, [0-9,]+ records/s, [0-9,]+ behind$")


def next_batch(loader: subprocess.Popen) -> str:
    line = loader.stdout.readline()
    assert LANDED.match(line.strip()), line + loader.stderr.read()
    return line


# Where a batch leaves its trace when it is planned, when it has landed and when it is noted.
PLANNED, LANDED_IN_DELTA, NOTED = (
    "_checkpoints/shop/1/offsets",
    "messages/_delta_log",
    "_checkpoints/shop/1/commits",
)


def kill_when_a_batch_reaches(loader: subprocess.Popen, trace: Path) -> None:
    """Kill a loader at the moment the next batch leaves its trace."""
    before, deadline = set(trace.iterdir()), time.monotonic() + 240
    while not [path for path in trace.iterdir() if path not in before and path.name[0] != "."]:
        assert time.monotonic() < deadline and loader.poll() is None, "no batch came"
        time.sleep(0.002)
    loader.kill()
    loader.wait()


@pytest.mark.parametrize(
    "moments",
    [
        pytest.param([LANDED_IN_DELTA], id="once"),
        pytest.param([PLANNED, LANDED_IN_DELTA, NOTED], id="thrice", marks=pytest.mark.long),
    ],
)
def test_killed_loaders_land_every_record_exactly_once(
    project: Project, broker: KafkaBroker, moments: list[str]
):
    topic = broker.create(f"killed_{len(moments)}", 3)
    project.configure(feed(topic, max_offsets_per_trigger=2500), broker.servers)
    broker.produce(topic, values(5000))
    producing = threading.Event()

    def produce() -> None:
        for number in count():
            broker.produce(topic, values(250, start=5000 + 250 * number))
            if number % 5 == 0:
                with broker.transaction(topic, abort=number % 2 == 0) as producer:
                    producer.produce(topic, value=b"in a transaction")
            if producing.wait(0.5):
                break

    producer = threading.Thread(target=produce)
    producer.start()
    try:
        for moment in moments:
            loader = project.start_load("--follow", "--interval", "0.1")
            next_batch(loader)
            kill_when_a_batch_reaches(loader, project.folder / "lakehouse/bronze" / moment)
    finally:
        loader.kill()
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


def secure() -> dict:
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


def test_secrets_come_from_the_environment_and_go_nowhere(project: Project, broker: KafkaBroker):
    topic = broker.create("guarded")
    broker.produce(topic, values(10))
    project.configure(feed(topic), broker.guarded_servers, **secure())
    loader = project.start_load("--debug", BROKER_PASSWORD=PASSWORD)
    out, err = loader.communicate(timeout=240)
    assert (loader.returncode, err) == (OK, "")
    assert len(project.messages()) == 10
    assert PASSWORD not in out + err
    assert (project.folder / "lakehouse/logs/spark.log").exists()
    assert files_with(project.folder, PASSWORD) == []


def test_wrong_credentials_are_one_sentence_without_them(
    project: Project, broker: KafkaBroker, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("BROKER_PASSWORD", "wrong-" + PASSWORD)
    project.configure(feed("guarded"), broker.guarded_servers, **secure())
    result = project.load()
    assert result.code == CONFIGURATION
    assert "refuse the credentials" in result.err
    assert PASSWORD not in result.err
    assert len(result.err.splitlines()) == 1
    assert files_with(Path.cwd() / "lakehouse", PASSWORD) == []


QUOTED = PASSWORD + '" in two'
MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule"
BROKEN = {
    "no module": (
        {"sasl.jaas.config": "no.Module ${BROKER_PASSWORD}"},
        "Kafka cannot read the option sasl.jaas.config",
    ),
    # Kafka's own sentence would name what stands behind the quotation mark
    "a quotation mark in a password": (
        {"sasl.jaas.config": f'{MODULE} required username="me" password="${{BROKER_PASSWORD}}";'},
        "Kafka cannot read the option sasl.jaas.config",
    ),
    "no certificates": (
        {
            "security.protocol": "SASL_SSL",
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": "/nowhere/ca.pem",
        },
        "an option of Kafka names a file that is not there: /nowhere/ca.pem",
    ),
    "no such protocol": ({"security.protocol": "NONE"}, "Kafka does not accept its options"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_broken_options_are_one_sentence_without_secrets(
    what: str, project: Project, broker: KafkaBroker, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("BROKER_PASSWORD", QUOTED if "quotation" in what else PASSWORD)
    broken, sentence = BROKEN[what]
    project.configure(feed("guarded"), broker.guarded_servers, **(secure() | broken))
    result = project.load()
    assert result.code == CONFIGURATION
    assert sentence in result.err
    assert PASSWORD not in result.err
    assert "in two" not in result.err
    assert files_with(Path.cwd() / "lakehouse", PASSWORD) == []


def test_missing_variable_stops_before_anything_starts(
    project: Project, broker: KafkaBroker, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("BROKER_PASSWORD", raising=False)
    project.configure(feed("guarded"), broker.guarded_servers, **secure())
    result = project.load()
    assert result.code == CONFIGURATION
    assert "needs the environment variable BROKER_PASSWORD" in result.err
