"""The numbers of `/stats`, of what is there and of what is not."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest

from healthlog.base import migrate
from healthlog.base.clock import text_us
from healthlog.journal.queue import Waiting
from healthlog.journal.tallies import LastDelivery
from healthlog.rebuild import RebuildState
from healthlog.stats import JournalNumbers, MartNumbers, mart_numbers, stats, told
from healthlog.version import VERSION
from healthlog.worker import WorkerState
from tests.support.accepting import SECOND_US
from tests.support.clock import MORNING_US, FakeClock
from tests.support.reading import DAYS, MINUTES, Desk, steps

NOTHING = JournalNumbers({}, None, 0, 0, ())
EMPTY = MartNumbers(0, 1, 1, {})


def numbers(desk: Desk) -> Any:
    """The object once it has been JSON."""
    now_us = desk.house.clock.now_us()
    return json.loads(json.dumps(stats(desk.house.journal, desk.mart, desk.state, now_us)))


def test_an_empty_log_has_its_numbers_all_the_same(desk: Desk) -> None:
    [newest] = [one.number for one in migrate.load("mart")][-1:]
    assert numbers(desk) == {
        "version": VERSION,
        "deliveries": {"pending": 0, "parsed": 0, "partial": 0, "failed": 0},
        "oldest_pending": None,
        "archive": {"bodies": 0, "bytes": 0},
        "mart": {"points": 0, "records": {}, "schema": newest, "parser": 1},
        "worker": {
            "alive": False,
            "last_pass_started_at": None,
            "last_pass_finished_at": None,
            "passes": None,
            "folded": None,
        },
        "rebuild": None,
        "last_delivery": {},
        "notices": {"last_at": None, "open": []},
        "recordings": {"stopped": 0, "workers": 0},
    }


@pytest.mark.scenario("reading", "Stats count what is there")
def test_stats_count_what_is_there(desk: Desk, clock: FakeClock) -> None:
    sent = [steps((f"2026-05-0{day} 00:00:00 +0200", 1)) for day in (3, 4, 5)]
    for content in sent:
        desk.send(content, DAYS, automation_id="A-1", automation_name="Days")
    partly = steps(("2026-05-06 00:00:00 +0200", 1), ("never", 1))
    desk.send(partly, DAYS, automation_id="A-1", automation_name="Days, renamed")
    waiting = steps(("2026-05-06 09:00:00 +0200", 1))
    older = desk.keep(waiting, MINUTES, automation_id="A-2", automation_name="Minutes")
    clock.advance(60)
    newer = desk.keep(waiting, MINUTES, automation_id="A-2", automation_name="Minutes")
    clock.advance(30)

    found = desk.get("/stats").json()
    assert found["deliveries"] == {"pending": 2, "parsed": 3, "partial": 1, "failed": 0}
    assert found["oldest_pending"] == {
        "delivery_id": older.delivery_id,
        "received_at": text_us(older.received_at_us),
        "age_s": 90,
    }
    size = sum(map(len, sent)) + len(partly) + 2 * len(waiting)
    assert found["archive"] == {"bodies": 6, "bytes": size}
    assert found["mart"]["points"] == 4
    assert {key: (one["name"], one["age_s"]) for key, one in found["last_delivery"].items()} == {
        "A-1": ("Days, renamed", 90),
        "A-2": ("Minutes", 30),
    }
    assert found["last_delivery"]["A-2"]["received_at"] == text_us(newer.received_at_us)


def test_a_worker_tells_of_its_passes() -> None:
    state = WorkerState(True, MORNING_US, MORNING_US + SECOND_US, passes=3, folded=5)
    assert told(NOTHING, EMPTY, state, MORNING_US)["worker"] == {
        "alive": True,
        "last_pass_started_at": "2026-08-02T08:01:42.123456Z",
        "last_pass_finished_at": "2026-08-02T08:01:43.123456Z",
        "passes": 3,
        "folded": 5,
    }


@pytest.mark.scenario("reindex", "Progress of the rebuild is visible")
def test_a_rebuild_tells_how_far_it_is(desk: Desk) -> None:
    state = RebuildState(412, 9_000, "9000 deliveries were folded by another parser", MORNING_US)
    desk.parts["rebuild_state"] = lambda: state
    assert desk.get("/stats").json()["rebuild"] == {
        "done": 412,
        "total": 9_000,
        "reason": "9000 deliveries were folded by another parser",
        "started_at": "2026-08-02T08:01:42.123456Z",
    }


def test_a_dead_worker_is_visible(desk: Desk) -> None:
    desk.state = WorkerState(alive=False, passes=7)
    worker = numbers(desk)["worker"]
    assert (worker["alive"], worker["passes"]) == (False, 7)


def test_ages_count_from_the_clock_as_read_and_never_below_zero() -> None:
    stamped_us = MORNING_US + 1_000 * SECOND_US  # a stamp may run ahead of a clock put back
    waiting = Waiting("x", stamped_us, MORNING_US)
    last = LastDelivery("A-1", None, "x", stamped_us, MORNING_US)
    journal = JournalNumbers({"pending": 1}, waiting, 1, 1, (last,))

    def ages(now_us: int) -> tuple[object, object]:
        found: Any = told(journal, EMPTY, None, now_us)
        return found["oldest_pending"]["age_s"], found["last_delivery"]["A-1"]["age_s"]

    assert ages(MORNING_US + 90 * SECOND_US) == (90, 90)
    assert ages(MORNING_US - 90 * SECOND_US) == (0, 0)


def test_senders_without_an_id_are_one_automation(desk: Desk) -> None:
    desk.send(steps(("2026-05-03 00:00:00 +0200", 1)), DAYS, automation_id=None)
    assert list(numbers(desk)["last_delivery"]) == [""]


@pytest.mark.scenario("reading", "Stats list the automations heard last")
def test_invented_automations_do_not_bloat_the_numbers(desk: Desk) -> None:
    for number in range(105):
        desk.house.clock.advance(1)
        desk.keep(b"{}", automation_id=f"{999 - number}", automation_name="x" * 10)
    heard = list(numbers(desk)["last_delivery"])
    assert heard == [f"{999 - number}" for number in range(104, 4, -1)]


def test_the_parser_is_that_by_which_the_mart_was_last_folded(desk: Desk) -> None:
    desk.send(steps(("2026-05-03 00:00:00 +0200", 1)), DAYS)
    desk.mart.write(lambda c: void(c.execute("UPDATE folded SET parser = 99")))
    assert desk.mart.read(mart_numbers).parser == 99


def test_points_are_counted_without_a_look_at_them(desk: Desk) -> None:
    desk.send(steps(("2026-05-03 00:00:00 +0200", 1)), DAYS)
    desk.mart.write(lambda c: void(c.execute("DELETE FROM point")))
    assert desk.mart.read(mart_numbers).points == 1


def test_the_same_numbers_come_without_a_service(desk: Desk) -> None:
    desk.send(steps(("2026-05-03 00:00:00 +0200", 1)), DAYS)
    alone = partial(stats, desk.house.journal, desk.mart, None, desk.house.clock.now_us())
    desk.state = WorkerState(alive=True, passes=1)
    running, without = numbers(desk), json.loads(json.dumps(alone()))
    assert running.pop("worker") != without.pop("worker")
    assert running == without


def void(_: object) -> None:
    """A write gives back no cursor."""


def test_records_are_counted_by_kind(desk: Desk) -> None:
    moods = [
        {"id": f"0A1B2C3D-0000-4000-8000-00000000000{number}", "valence": 0.1,
         "start": f"2026-05-0{number}T20:00:00Z", "end": f"2026-05-0{number}T20:00:00Z"}
        for number in (1, 2)
    ]  # fmt: skip
    symptom = {"name": "Fatigue", "start": "2026-05-05 10:00:00 +0200", "severity": "Mild"}
    desk.send(json.dumps({"data": {"stateOfMind": moods, "symptoms": [symptom]}}).encode())
    assert numbers(desk)["mart"]["records"] == {"state_of_mind": 2, "symptom": 1}
