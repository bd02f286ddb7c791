"""The lines between a builder and its service, both ways; how a builder is started."""

from __future__ import annotations

import io
import json
import queue
from pathlib import Path
from typing import Any

import pytest

from healthlog import builder
from healthlog.base.log import Log
from healthlog.builder import BuildFailed, Built, Process, Telling
from healthlog.model import Account, Failure, Verdict
from healthlog.reindex import Report
from healthlog.replay import Outcome
from tests.support.bodies import NO_JSON, TWO_DAYS
from tests.support.clock import FakeClock
from tests.support.engine import open_engine
from tests.support.patience import PATIENCE_S
from tests.support.serviced import settings

REPORT = Report(9, 0, 1, Outcome(folded=7, partial=2, malformed=1, broken=1, points=40, new=40), 33)
VERDICT = Verdict(Account(77, uncovered=("a", "b")), Failure("malformed", "the body is no JSON"))


@pytest.fixture
def stream() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def telling(stream: io.StringIO, clock: FakeClock) -> Telling:
    return Telling(Log(stream, clock, "DEBUG"), 100)


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_what_was_built_arrives_whole(telling: Telling) -> None:
    built = Built((1_234, "id"), REPORT)
    telling.hear(builder.built_line(built))
    assert telling.built(0) == built


def test_a_verdict_arrives_whole(telling: Telling) -> None:
    telling.hear(builder.failed_line("id", VERDICT))
    assert telling.failed == {"id": VERDICT}


def test_progress_is_what_was_told_last(telling: Telling) -> None:
    assert telling.progress == (0, 100)
    telling.hear(builder.progress_line(3, 200))
    assert telling.progress == (3, 200)


def test_the_reason_for_giving_up_is_that_of_the_failure(telling: Telling) -> None:
    telling.hear(builder.gave_up_line("the disk is full"))
    with pytest.raises(BuildFailed, match="the disk is full"):
        telling.built(1)


@pytest.mark.parametrize("status", [1, -9])
def test_what_was_built_counts_only_with_a_good_end(telling: Telling, status: int) -> None:
    telling.hear(builder.built_line(Built((1, "id"), REPORT)))
    with pytest.raises(BuildFailed, match=f"ended with status {status}"):
        telling.built(status)


def test_an_end_without_a_mart_is_a_failure(telling: Telling) -> None:
    with pytest.raises(BuildFailed):
        telling.built(0)


def test_errors_of_the_builder_go_on_into_the_log(telling: Telling, stream: io.StringIO) -> None:
    other = io.StringIO()
    Log(other, FakeClock()).error("delivery failed", delivery_id="id", kind="unreadable")
    telling.hear(other.getvalue())
    [line] = lines(stream)
    assert (line["level"], line["msg"], line["kind"]) == ("ERROR", "delivery failed", "unreadable")


@pytest.mark.parametrize(
    "line",
    ["", "oops", "5", "[]", "{}", '{"done":1}', '{"built":{}}', '{"failed":{"a":1}}', '{"msg":1}'],
)
def test_a_line_that_is_not_understood_is_passed_over(telling: Telling, line: str) -> None:
    telling.hear(line)
    assert telling.progress == (0, 100)
    assert telling.failed == {}


# The process


def test_a_process_builds_with_the_settings_of_the_service(
    data: Path, clock: FakeClock, telling: Telling
) -> None:
    with open_engine(data, clock) as engine:
        for body in (TWO_DAYS, NO_JSON):
            engine.post(body)
        ends: queue.Queue[int] = queue.Queue()
        path = data / "mart.db.new-0"
        start = Process(settings(data, journal_mode="delete", fold_timeout="90s"))
        start(path, telling.hear, ends.put)
        assert ends.get(timeout=PATIENCE_S) == 0
        built = telling.built(0)
        assert built.report.outcome == Outcome(folded=1, malformed=1, points=2, new=2)
        assert built.upto[1] == engine.house.rows()[-1]
        assert [verdict.status for verdict in telling.failed.values()] == ["failed"]
        assert telling.progress == (2, 2)
    assert path.exists()
