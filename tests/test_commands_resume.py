"""`resume`: with a service, without one, with the wrong one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from healthlog.base.clock import SystemClock
from healthlog.base.lock import FileLock
from healthlog.databases import open_up_to_date
from healthlog.transcriber import rows
from healthlog.transcriber.rows import Arrival, Meta
from tests.support import certificates
from tests.support.process import READ
from tests.support.serviced import running
from tests.support.shell import Ran, run

FIRST, SECOND = "20260802T080142.123456Z-00000001", "20260802T080143.123456Z-00000002"
THIRD = "20260802T080144.123456Z-00000003"
TOKEN = ("--read-token", READ)


@pytest.fixture
def stopped(data: Path) -> Path:
    """A data directory with three recordings that are stopped, two of them for their time."""
    with closing(open_up_to_date(data / "journal.db", "journal", SystemClock(), "wal")) as journal:
        for one in (FIRST, SECOND, THIRD):
            arrival = Arrival(one, 1_785_657_702_123_456, 5, "0" * 64)
            journal.write(lambda c, a=arrival: rows.insert(c, a, Meta("http", "m4a")))  # type: ignore[misc]
        journal.write(
            lambda c: (
                c.execute(
                    "UPDATE recording SET stopped_at_us = 1, attempts = 5,"
                    " stop_reason = iif(recording_id = ?, 'verdict', 'stuck')",
                    (THIRD,),
                ).rowcount
            )
        )
    return data


def still_stopped(data: Path) -> list[str]:
    with closing(open_up_to_date(data / "journal.db", "journal", SystemClock(), "wal")) as journal:
        query = "SELECT recording_id FROM recording WHERE stopped_at_us IS NOT NULL ORDER BY 1"
        return journal.read(lambda c: [row[0] for row in c.execute(query)])


def resumed(ran: Ran) -> int:
    assert (ran.status, ran.err) == (0, "")
    told = json.loads(ran.out)
    assert told.keys() == {"resumed"}
    return int(told["resumed"])


@contextmanager
def served(data: Path, **given: str) -> Iterator[tuple[str, ...]]:
    """A service with its lock; the flags by which a command finds it."""
    with FileLock(data / "lock"), running(data, recordings_workers="0", **given) as (service, _):
        yield (*TOKEN, "--listen", f"127.0.0.1:{service.port}")


@pytest.mark.scenario("recording-doors", "Command takes recordings up again without a service")
def test_recordings_are_taken_up_without_a_service(stopped: Path) -> None:
    assert resumed(run("resume", FIRST, "--data", stopped)) == 1
    assert still_stopped(stopped) == [SECOND, THIRD]
    again = run("resume", FIRST, "--data", stopped)
    assert again.refused(1, FIRST, "there is no stopped recording of that id")
    assert resumed(run("resume", "--reason", "stuck", "--data", stopped)) == 1
    assert still_stopped(stopped) == [THIRD]


@pytest.mark.scenario("recording-doors", "Command takes recordings up again by the service")
def test_recordings_are_taken_up_by_the_service(stopped: Path) -> None:
    with served(stopped) as to:
        assert resumed(run("resume", "--reason", "stuck", "--data", stopped, *to)) == 2
        assert resumed(run("resume", THIRD, "--data", stopped, *to)) == 1
        again = run("resume", THIRD, "--data", stopped, *to)
        assert again.refused(1, "says: It isn't stopped.")
        none = run("resume", "../x", "--data", stopped, *to)
        assert none.refused(1, "says: There is no such recording.")
        elsewhere = ("--listen", "127.0.0.1:1", *TOKEN)
        lost = run("resume", "--reason", "stuck", "--data", stopped, *elsewhere)
        assert lost.refused(1, "no answer from a service at 127.0.0.1:1", "--listen")
    assert still_stopped(stopped) == []


def test_recordings_are_taken_up_by_a_service_that_speaks_tls(stopped: Path) -> None:
    cert, key = map(str, certificates.pair("one"))
    with served(stopped, tls_cert=cert, tls_key=key) as to:
        tls = ("--tls-cert", cert, "--tls-key", key)
        assert resumed(run("resume", "--reason", "stuck", "--data", stopped, *to, *tls)) == 2
        plain = run("resume", THIRD, "--data", stopped, *to)
        assert plain.refused(1, "127.0.0.1")
    assert still_stopped(stopped) == [THIRD]


@pytest.mark.scenario("recording-doors", "Command reaches no service of another log")
def test_another_log_is_not_reached(stopped: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir(mode=0o700)
    with served(other) as to, FileLock(stopped / "lock"):
        found = run("resume", "--reason", "stuck", "--data", stopped, *to)
        assert found.refused(1, "says: This service keeps another data directory.")
    assert still_stopped(stopped) == [FIRST, SECOND, THIRD]


@pytest.mark.parametrize("arguments", [(), (FIRST, "--reason", "stuck"), ("--reason", "bored")])
def test_it_wants_either_a_recording_or_a_reason(data: Path, arguments: tuple[str, ...]) -> None:
    found = run("resume", *arguments, "--data", data)
    assert (found.status, found.out) == (2, "")


def test_a_folder_that_is_no_log_is_said(tmp_path: Path) -> None:
    assert run("resume", FIRST, "--data", tmp_path / "none").refused(1)
