"""The watch over a real journal, telling real servers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from healthlog.base.errors import Damaged, Inaccessible
from healthlog.base.ids import make_id
from healthlog.base.notify import Channel, Notice, NotSent
from healthlog.base.notify_http import Web, Webhook
from healthlog.journal import heard, notices, outcomes, rows
from healthlog.model import Account, Failure, Verdict
from healthlog.notices.refusals import LastRefusals
from healthlog.notices.watch import LOOK_S, Watch
from tests.support.accepting import House, open_house, outsider, plans
from tests.support.clock import FakeClock
from tests.support.folding import delivery
from tests.support.receivers import WebReceiver, web_receiver

HOUR_S = 3600
WAITS = "waits"
GIB = 1024**3


@dataclass(slots=True)
class Guarded:
    """A house with a watch; `free` is what is left of the disk."""

    house: House
    channels: list[Channel]
    free: int | Exception = 5 * GIB
    watch: Watch = field(init=False)
    refusals: LastRefusals = field(init=False)
    sent: int = 0

    def __post_init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        self.refusals = LastRefusals(self.house.clock)
        self.watch = Watch(
            self.house.journal,
            self.channels,
            self.refusals,
            free=self.measured,
            low=GIB,
            log=self.house.log,
            clock=self.house.clock,
        )

    def measured(self) -> int:
        if isinstance(self.free, Exception):
            raise self.free
        return self.free

    def send(self, of: str | None = "A", failure: str | None = None) -> str:
        """A delivery of an automation that came now, and how its fold ended; its id."""
        now_us = self.house.clock.now_us()
        self.sent += 1
        name = None if of is None else f"Name {of}"
        at = dict.fromkeys(("received_at_us", "clock_at_us", "said_at_us"), now_us + self.sent)
        delivery_id = make_id(now_us + self.sent, f"{self.sent:08x}")
        one = delivery(
            0, b"", None, delivery_id=delivery_id, automation_id=of, automation_name=name, **at
        )
        self.house.journal.write(partial(rows.insert, delivery=one))
        if failure != WAITS:
            self.judge(delivery_id, failure)
        return delivery_id

    def judge(self, delivery_id: str, failure: str | None = None) -> None:
        """The fold of a delivery ends."""
        failed = None if failure is None else Failure(failure, "in words")
        verdict = Verdict(Account(self.house.clock.now_us()), failed)
        self.house.journal.write(
            partial(outcomes.write_verdict, delivery_id=delivery_id, verdict=verdict)
        )

    def live(self, hours: int, *of: str) -> None:
        """The automations send every hour; a look after the last."""
        for _ in range(hours):
            self.house.clock.advance(HOUR_S)
            for one in of:
                self.send(one)
        self.watch.look()

    def wait(self, hours: float) -> None:
        """Nothing is heard for so long, with a look every half an hour."""
        for _ in range(round(hours * 2)):
            self.house.clock.advance(HOUR_S / 2)
            self.watch.look()

    def open(self) -> list[str]:
        return [one.key for one in self.house.journal.read(notices.kept)]


@pytest.fixture
def receiver() -> Iterator[WebReceiver]:
    with web_receiver() as receiver:
        yield receiver


@pytest.fixture
def guarded(data: Path, clock: FakeClock, receiver: WebReceiver) -> Iterator[Guarded]:
    with open_house(data, clock) as house:
        yield Guarded(house, [Webhook(Web(receiver.url()))])


def told(receiver: WebReceiver) -> list[dict[str, Any]]:
    return [one.json() for one in receiver.came]


def kinds(said: dict[str, Any]) -> tuple[list[str], list[str]]:
    return [one["kind"] for one in said["causes"]], [one["kind"] for one in said["over"]]


@pytest.mark.scenario("notices", "One notice of silence, one of its end")
def test_silence_is_told_once_and_so_is_its_end(guarded: Guarded, receiver: WebReceiver) -> None:
    guarded.live(96, "A", "B")
    guarded.wait(100)
    [said] = told(receiver)
    assert kinds(said) == (["quiet", "quiet"], [])
    assert sorted(said["text"].splitlines()) == [
        f"“Name {of}” has sent nothing for 30 hours; usually it is silent for an hour at most."
        for of in "AB"
    ]
    guarded.live(1, "A")
    assert kinds(told(receiver)[1]) == ([], ["quiet"])
    assert "“Name A” sends again, after 4 days." in told(receiver)[1]["text"]
    guarded.live(1, "A", "B")
    assert len(receiver.came) == 3
    guarded.live(24, "A", "B")
    assert len(receiver.came) == 3
    assert guarded.open() == []


@pytest.mark.scenario("notices", "Restart repeats nothing")
def test_a_restart_repeats_nothing(guarded: Guarded, receiver: WebReceiver) -> None:
    guarded.live(96, "A")
    guarded.wait(50)
    assert len(receiver.came) == 1
    for _ in range(3):
        guarded.restart()
        guarded.wait(10)
    assert len(receiver.came) == 1
    guarded.restart()
    guarded.live(1, "A")
    assert kinds(told(receiver)[1]) == ([], ["quiet"])


@pytest.mark.scenario("notices", "Time without the service is no silence")
def test_a_service_that_was_off_blames_no_phone(guarded: Guarded, receiver: WebReceiver) -> None:
    guarded.live(96, "A")
    guarded.house.clock.advance(96 * HOUR_S)
    guarded.restart()
    guarded.wait(20)
    assert receiver.came == []
    guarded.wait(20)
    assert len(receiver.came) == 1


@pytest.mark.scenario("notices", "Deliveries that fail")
def test_failing_deliveries_are_told_once(guarded: Guarded, receiver: WebReceiver) -> None:
    guarded.live(3, "A")
    guarded.send("A", "malformed")
    guarded.watch.look()
    assert receiver.came == []
    for _ in range(5):
        guarded.house.clock.advance(60)
        guarded.send("A", "malformed")
        guarded.watch.look()
    [said] = told(receiver)
    assert kinds(said) == (["failing"], [])
    assert "The last 2 deliveries of “Name A” could not be taken (malformed)" in said["text"]
    guarded.house.clock.advance(60)
    guarded.send("A")
    guarded.watch.look()
    assert kinds(told(receiver)[1]) == ([], ["failing"])


@pytest.mark.scenario("notices", "Delivery that is not taken in")
def test_a_delivery_that_waits_is_told(guarded: Guarded, receiver: WebReceiver) -> None:
    waiting = guarded.send("A", WAITS)
    guarded.wait(0.5)
    assert receiver.came == []
    guarded.wait(2)
    assert kinds(told(receiver)[0]) == (["waiting"], [])
    guarded.judge(waiting)
    guarded.wait(0.5)
    assert kinds(told(receiver)[1]) == ([], ["waiting"])


@pytest.mark.scenario("notices", "Disk running low")
def test_a_disk_running_low_is_told_once(guarded: Guarded, receiver: WebReceiver) -> None:
    guarded.wait(1)
    guarded.free = GIB - 1
    guarded.wait(5)
    guarded.free = GIB + 1
    guarded.wait(1)
    guarded.free = GIB - 1
    guarded.wait(1)
    [said] = told(receiver)
    assert kinds(said) == (["disk"], [])
    assert "1024 MiB are left" in said["text"]
    guarded.free = 2 * GIB
    guarded.wait(1)
    assert kinds(told(receiver)[1]) == ([], ["disk"])


def test_deliveries_that_are_refused_for_good_are_told(
    guarded: Guarded, receiver: WebReceiver
) -> None:
    for status in (401, 408, 503):
        guarded.refusals.note(status)
    guarded.wait(0.5)
    assert receiver.came == []
    guarded.refusals.note(413)
    guarded.wait(1)
    assert kinds(told(receiver)[0]) == (["refused"], [])
    guarded.wait(24)
    assert kinds(told(receiver)[1]) == ([], ["refused"])


def test_a_disk_that_cannot_be_measured_keeps_nothing_else_back(
    guarded: Guarded, receiver: WebReceiver
) -> None:
    guarded.free = Inaccessible("nobody may look there")
    guarded.refusals.note(413)
    guarded.wait(1)
    assert kinds(told(receiver)[0]) == (["refused"], [])


@pytest.mark.scenario("notices", "Notice that can't be sent")
def test_what_cannot_be_sent_is_sent_later(guarded: Guarded, receiver: WebReceiver) -> None:
    receiver.status = 500
    guarded.free = 0
    guarded.wait(10)
    tries = len(receiver.came)
    # At first after a look or two, then once an hour.
    assert 9 <= tries <= 14
    assert guarded.house.lines("notice not sent")[0]["reason"] == "it answered 500"
    receiver.status = 200
    guarded.wait(3)
    assert len(receiver.came) == tries + 1
    assert [line["kinds"] for line in guarded.house.lines("notice sent")] == [["disk"]]


def test_what_is_over_before_it_was_told_is_not_told(
    guarded: Guarded, receiver: WebReceiver
) -> None:
    receiver.status = 500
    guarded.free = 0
    guarded.wait(0.5)
    guarded.free = 5 * GIB
    receiver.status = 200
    guarded.wait(5)
    assert [one.json()["title"] for one in receiver.came] == ["healthlog: the disk is nearly full"]
    assert guarded.open() == []


class Broken:
    """A way that is never open."""

    name = "broken"

    def send(self, notice: Notice) -> None:
        raise NotSent("closed")


def test_one_way_of_two_is_enough(data: Path, clock: FakeClock, receiver: WebReceiver) -> None:
    with open_house(data, clock) as house:
        guarded = Guarded(house, [Broken(), Webhook(Web(receiver.url()))], free=0)
        guarded.wait(5)
        assert len(receiver.came) == 1
        assert [line["channel"] for line in house.lines("notice not sent")] == ["broken"]


def test_without_any_way_nothing_piles_up(data: Path, clock: FakeClock) -> None:
    with open_house(data, clock) as house:
        guarded = Guarded(house, [], free=0)
        guarded.wait(2)
        assert guarded.open() == ["disk"]
        guarded.free = 5 * GIB
        guarded.wait(1)
        assert guarded.open() == []
        assert house.lines("notice sent") == []


@pytest.mark.scenario("notices", "Notices hold no health data")
def test_notices_hold_nothing_of_the_body(guarded: Guarded, receiver: WebReceiver) -> None:
    guarded.live(96, "A")
    intake = guarded.house.intake(last_stamp_us=guarded.house.clock.now_us())
    guarded.house.accept(intake, b'{"canary": 1}', automation_id="A", automation_name="A")
    guarded.free = 0
    guarded.wait(60)
    said = json.dumps(told(receiver))
    assert len(receiver.came) >= 2
    assert "canary" not in said
    assert "canary" not in guarded.house.stream.getvalue()


def test_a_busy_journal_puts_a_look_off(guarded: Guarded, receiver: WebReceiver) -> None:
    guarded.free = 0
    with outsider(guarded.house.data / "journal.db"):
        guarded.watch.look_safely()
    assert receiver.came == []
    assert guarded.house.lines("look failed") == []
    guarded.watch.look_safely()
    assert len(receiver.came) == 1


def test_a_damaged_journal_puts_a_look_off(guarded: Guarded) -> None:
    def damaged() -> int:
        raise Damaged

    guarded.watch._free = damaged
    guarded.watch.look_safely()
    assert guarded.house.lines("look failed") == []


def test_a_mistake_ends_no_watch(guarded: Guarded) -> None:
    def broken() -> int:
        raise KeyError("canary")

    guarded.watch._free = broken
    guarded.watch.look_safely()
    [line] = guarded.house.lines("look failed")
    assert line["level"] == "ERROR"
    assert "canary" not in line["error"]


def test_a_disk_that_can_not_be_measured_says_nothing(
    guarded: Guarded, receiver: WebReceiver
) -> None:
    def gone() -> int:
        raise FileNotFoundError

    guarded.watch._free = gone
    guarded.watch.look()
    assert receiver.came == []


def test_looks_are_minutes_apart() -> None:
    assert 60 <= LOOK_S <= 900


# ---- rows


def test_outages_are_kept_for_a_while(data: Path, clock: FakeClock) -> None:
    with open_house(data, clock) as house:
        for at_us in (1_000, 1_500, 9_000, 9_100):
            house.journal.write(partial(notices.listen, now_us=at_us, deaf_us=1_000, kept_us=5_000))
        assert house.journal.read(notices.outages) == [(1_500, 9_000)]
        # A clock that was put back is no outage.
        house.journal.write(partial(notices.listen, now_us=50, deaf_us=1_000, kept_us=5_000))
        assert house.journal.read(notices.listened_at_us) == 50
        house.journal.write(partial(notices.listen, now_us=20_000, deaf_us=50_000, kept_us=5_000))
        assert house.journal.read(notices.outages) == []


def test_questions_about_senders_use_their_index(data: Path, clock: FakeClock) -> None:
    with open_house(data, clock) as house:
        found = [
            plans(house.journal, partial(question, automation_id=of, from_us=0))
            for of in ("A", "")
            for question in (heard.arrivals, heard.failures)
        ]
    lines = [line for plan in found for line in plan]
    assert len(lines) == 4
    assert all("SEARCH delivery USING" in line and "delivery_automation" in line for line in lines)


def test_files_make_no_rhythm(data: Path, clock: FakeClock) -> None:
    with open_house(data, clock) as house:
        intake = house.intake(last_stamp_us=clock.now_us())
        for _ in range(3):
            clock.advance(HOUR_S)
            house.accept(intake, b"{}", imported=True, said_at_us=5)
            house.accept(intake, b"{}")
        assert len(house.journal.read(partial(heard.arrivals, automation_id="", from_us=0))) == 3
