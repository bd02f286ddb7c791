"""Quirks of the phone that no other test speaks of (docs/quirks.md): what is read back of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from healthlog.base.clock import parse_us
from healthlog.base.conversation import Conversation, Host, Limits
from healthlog.base.http1 import Late
from healthlog.base.slots import Slots
from healthlog.base.web import App, tokens_only
from healthlog.series.source_order import SourceOrder
from tests.support.clock import FakeClock
from tests.support.folding import case
from tests.support.http import FakeWire, Pieces, bearer, post
from tests.support.reading import (
    DAYS,
    MINUTES,
    SECONDS,
    Desk,
    body,
    metric,
    open_desk,
    reply_of,
    steps,
    values,
)
from tests.support.records import nights, segment

STEPS = "step_count"


@pytest.fixture
def desk(data: Path, clock: FakeClock) -> Iterator[Desk]:
    with open_desk(data, clock) as desk:
        yield desk


def series(desk: Desk, name: str = STEPS, bucket: str = "day", **more: str) -> dict[str, Any]:
    items = desk.items("/api/v1/series", metric=name, bucket=bucket, **more)
    return {item["start"]: item.get("value") for item in items}


class Slow(Pieces):
    """A client of whose pieces each takes its time, on a wire that is cut at its deadline."""

    def __init__(self, clock: FakeClock, each_s: float, *pieces: bytes) -> None:
        super().__init__(*pieces)
        self.wire = FakeWire(self)
        self._clock, self._each_s = clock, each_s

    def receive(self, size: int, /) -> bytes:
        if self.calls:  # the head comes at once
            self._clock.advance(self._each_s)
        if self._clock.monotonic() > self.wire.read_at[-1]:
            raise Late("scripted")
        return super().receive(size)


@pytest.mark.parametrize(("each_s", "status"), [(55, 200), (65, 408)])
def test_a_slow_first_export_has_five_minutes(
    desk: Desk, clock: FakeClock, each_s: float, status: int
) -> None:
    whole = post("/ingest", case("01_days_plain.json"), "Authorization: Bearer ingest")
    head, _, content = whole.partition(b"\r\n\r\n")
    fifth = len(content) // 5 + 1
    pieces = [content[at : at + fifth] for at in range(0, len(content), fifth)]
    client = Slow(clock, each_s, head + b"\r\n\r\n", *pieces)
    slots = Slots(4, 1, clock)
    slot = slots.admit(client.wire)
    assert slot is not None
    app = App(desk.routes(), tokens_only(bearer), lambda _: None)
    Conversation(Host(app, Limits(), slots, desk.house.log, clock), client.wire, slot, "x").serve()
    assert reply_of(bytes(client.wire.sent)).status == status


@pytest.mark.parametrize("order", [*itertools.permutations(range(3))])
def test_windows_that_come_late_count_at_their_own_time(desk: Desk, order: tuple[int, ...]) -> None:
    windows = [
        steps(*((f"2026-06-0{first + n} 0{h}:00:00 +0200", h) for n in (0, 1) for h in range(9)))
        for first in (1, 2, 3)
    ]
    for place in order:
        desk.send(windows[place], "Hours")
    assert series(desk) == {f"2026-06-0{day}": 36 for day in (1, 2, 3, 4)}


def told(desk: Desk) -> list[tuple[float, str]]:
    items = desk.items("/api/v1/why", metric=STEPS, layer="day", at="2026-05-05")
    return [(item["readings"][0]["qty"], item["verdict"]) for item in items]


def test_a_delayed_snapshot_stands_and_shows_what_it_replaced(desk: Desk) -> None:
    desk.send(case("03_days_partial_later.json"), DAYS)
    desk.send(case("02_days_partial_first.json"), DAYS)
    assert series(desk) == {"2026-05-05": 71}
    assert told(desk) == [(71, "stands"), (9794, "outdated")]
    # The next push mends it.
    desk.send(case("03_days_partial_later.json"), DAYS)
    assert series(desk) == {"2026-05-05": 9794}


def test_a_snapshot_that_says_how_old_it_is_overrules_nothing_later(desk: Desk) -> None:
    desk.send(case("03_days_partial_later.json"), DAYS)
    said_at_us = parse_us("2026-05-05T09:00:00Z")
    desk.send(case("02_days_partial_first.json"), DAYS, imported=True, said_at_us=said_at_us)
    assert series(desk) == {"2026-05-05": 9794}
    assert told(desk) == [(71, "outdated"), (9794, "stands")]


def test_a_night_that_one_source_lacks_is_told_by_the_other_until_it_comes(desk: Desk) -> None:
    def night() -> tuple[float, list[str]]:
        found = desk.get("/api/v1/days/2026-06-02").json()["night"]
        return found["total_h"], found["sources"]

    span = ("2026-06-01 23:00:00 +0200", "2026-06-02 07:00:00 +0200")
    desk.send(nights(segment(*span, "Asleep", source="Sleep Cycle")), SECONDS)
    assert night() == (8, ["Sleep Cycle"])
    stages = [
        segment("2026-06-01 23:10:00 +0200", "2026-06-02 03:10:00 +0200", "Core"),
        segment("2026-06-02 03:10:00 +0200", "2026-06-02 06:40:00 +0200", "Deep"),
    ]
    desk.send(nights(*stages), SECONDS)
    assert night() == (7.5, ["Watch"])


def test_one_body_of_seconds_beside_minutes_counts_once(desk: Desk) -> None:
    def pushed() -> bytes:
        beats = [{"date": f"2026-06-01 12:00:{n:02} +0200", "qty": 60 + n} for n in range(5)]
        walked = [{"date": f"2026-06-01 12:0{n}:00 +0200", "qty": 10.5} for n in range(4)]
        return body(metric("heart_rate", "bpm", *beats), metric(STEPS, "count", *walked))

    for aggregation in ("Default", MINUTES, None):
        desk.send(pushed(), aggregation)
        assert (series(desk), series(desk, "heart_rate")) == (
            {"2026-06-01": 42},
            {"2026-06-01": 62},
        )
    assert {one["layer"] for one in desk.points("heart_rate")} == {"raw"}


def test_fractions_of_steps_add_up(desk: Desk) -> None:
    minutes = [(f"2026-06-01 12:{n:02}:00 +0200", 0.238438) for n in range(60)]
    desk.send(steps(*minutes), MINUTES)
    assert series(desk) == {"2026-06-01": pytest.approx(60 * 0.238438)}
    assert {one["qty"] for one in desk.points(STEPS)} == {0.238438}


@pytest.mark.parametrize("aggregation", [DAYS, SECONDS])
@pytest.mark.parametrize("offset", ["+1100", "+1400", "+0000", "-1200"])
def test_a_reading_at_local_midnight_stays_on_its_day(
    desk: Desk, offset: str, aggregation: str
) -> None:
    resting = {"date": f"2026-06-02 00:00:00 {offset}", "qty": 54}
    desk.send(body(metric("resting_heart_rate", "count/min", resting)), aggregation)
    assert series(desk, "resting_heart_rate") == {"2026-06-02": 54}
    assert [one["day"] for one in desk.points("resting_heart_rate")] == ["2026-06-02"]


def test_points_of_several_offsets_are_chosen_by_instant(desk: Desk) -> None:
    # As texts they would stand the other way round, and one would be off the edge.
    later, earlier = "2026-06-01 09:00:00 -0700", "2026-06-01 10:00:00 +0200"
    desk.send(steps((later, 2), (earlier, 1)), MINUTES)
    assert [one["qty"] for one in desk.points(STEPS)] == [1, 2]
    assert [one["qty"] for one in desk.points(STEPS, from_="2026-06-01T16:00:00Z")] == [2]
    assert [one["qty"] for one in desk.points(STEPS, to="2026-06-01T18:00:00+02:00")] == [1]


def test_a_level_told_as_quantity_or_range_is_one_series(desk: Desk) -> None:
    old = {"date": "2025-06-01 00:00:00 +0200", "qty": 58}
    new = {"date": "2026-06-01 00:00:00 +0200", "Min": 52, "Avg": 54.5, "Max": 58}
    for name in ("resting_heart_rate", "walking_speed", "vo2_max", "blood_oxygen_saturation"):
        desk.send(body(metric(name, None, old)), DAYS)
        desk.send(body(metric(name, None, new)), DAYS)
        items = desk.items("/api/v1/series", metric=name, bucket="day")
        assert values(items, "value", "min", "max") == [(58, 58, 58), (54.5, 52, 58)]


@pytest.mark.parametrize(
    "typed", ["Owner's Apple Watch", "owner’s apple watch", "Owner\u2018s  Apple\u00a0Watch"]
)
def test_a_device_is_found_by_its_name_as_one_types_it(typed: str) -> None:
    watch, phone = ("Owner’s Apple Watch",), ("Owner’s iPhone",)
    order = SourceOrder(("iPhone", typed))
    assert sorted((watch, phone), key=order.place) == [phone, watch]
    assert sorted((watch, phone), key=SourceOrder((typed, "iPhone")).place) == [watch, phone]


def test_a_device_is_one_whatever_blanks_its_name_has(desk: Desk) -> None:
    for name in ("Owner’s Apple\u00a0Watch", "Owner’s Apple Watch", " Owner’s  Apple Watch"):
        data = {"date": "2026-06-01 12:00:07 +0200", "qty": 5, "source": name}
        desk.send(body(metric(STEPS, "count", data)), SECONDS)
    [one] = desk.points(STEPS)
    assert one["sources"] == ["Owner’s Apple Watch"]
    first = desk.items("/api/v1/deliveries")[0]["delivery_id"]
    assert "Apple\u00a0Watch".encode() in desk.get(f"/api/v1/deliveries/{first}/body").body
