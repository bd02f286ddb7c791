"""Places for connections."""

from __future__ import annotations

import threading
from functools import partial

from healthlog.base.slots import Slot, Slots, Stage
from tests.support.clock import FakeClock
from tests.support.patience import PATIENCE_S


class Line:
    """Notes what is done to it."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def drop(self) -> None:
        self.calls.append("drop")

    def end_input(self) -> None:
        self.calls.append("end_input")

    def hurry(self, at: float, /) -> None:
        self.calls.append(f"hurry {at}")


def admitted(slots: Slots, line: Line | None = None) -> Slot:
    slot = slots.admit(line or Line())
    assert slot is not None
    return slot


def full(clock: FakeClock, total: int = 3, reserved: int = 1) -> tuple[Slots, list[Slot]]:
    """Slots all taken by waiting connections, one second apart."""
    slots = Slots(total, reserved, clock)
    taken = []
    for _ in range(total):
        taken.append(admitted(slots))
        clock.advance(1)
    return slots, taken


def test_connections_are_admitted_up_to_the_total(clock: FakeClock) -> None:
    slots, taken = full(clock)
    assert len(slots) == 3
    assert not any(slot.evicted for slot in taken)


def test_the_one_that_waits_longest_gives_way(clock: FakeClock) -> None:
    slots, taken = full(clock)
    assert slots.admit(Line()) is not None
    assert [slot.evicted for slot in taken] == [True, False, False]
    assert taken[0].line.calls == ["drop"]  # type: ignore[attr-defined]


def test_who_rests_again_has_waited_least(clock: FakeClock) -> None:
    slots, taken = full(clock)
    slots.begin(taken[0])
    slots.rest(taken[0])
    slots.admit(Line())
    assert [slot.evicted for slot in taken] == [False, True, False]


def test_who_has_said_nothing_has_waited_since_its_admission(clock: FakeClock) -> None:
    slots, taken = full(clock)
    slots.rest(taken[0])
    slots.admit(Line())
    assert taken[0].evicted


def test_a_busy_connection_is_never_evicted(clock: FakeClock) -> None:
    slots, taken = full(clock)
    assert slots.begin(taken[0])
    assert slots.begin_upload(taken[1])
    slots.admit(Line())
    assert [slot.evicted for slot in taken] == [False, False, True]


def test_when_all_are_busy_nobody_is_admitted(clock: FakeClock) -> None:
    slots, taken = full(clock)
    assert [slots.begin(slot) for slot in taken[:2]] == [True, True]
    assert slots.begin_upload(taken[2])
    assert slots.admit(Line()) is None


def test_of_many_places_some_are_left_for_those_that_have_not_asked_yet(clock: FakeClock) -> None:
    slots, taken = full(clock, total=48, reserved=16)
    assert [slots.begin(slot) for slot in taken].count(True) == 30
    assert slots.begin_upload(taken[40])
    assert slots.admit(Line()) is not None


def test_a_lingering_connection_gives_way(clock: FakeClock) -> None:
    slots, taken = full(clock, reserved=3)
    for slot in taken:
        slots.begin_upload(slot)
    slots.linger(taken[1])
    assert slots.admit(Line()) is not None
    assert taken[1].evicted


def test_who_is_held_back_gives_way_first(clock: FakeClock) -> None:
    slots, taken = full(clock)
    slots.hold(taken[2], 0.001)
    assert slots.admit(Line()) is not None
    assert [slot.evicted for slot in taken] == [False, False, True]


def test_an_answer_is_held_back_no_longer_than_its_place_is_free(clock: FakeClock) -> None:
    slots, taken = full(clock, total=1, reserved=0)
    thread = threading.Thread(target=slots.hold, args=(taken[0], 1000.0))
    thread.start()
    while taken[0].stage is not Stage.HELD:
        threading.Event().wait(0.001)
    assert slots.admit(Line()) is not None
    thread.join(PATIENCE_S)
    assert not thread.is_alive()


def test_at_the_stop_nothing_is_held_back(clock: FakeClock) -> None:
    slots, taken = full(clock)
    slots.stop()
    slots.hold(taken[0], 1000.0)
    assert taken[0].stage is Stage.HELD


def test_an_evicted_connection_is_not_evicted_twice(clock: FakeClock) -> None:
    slots, taken = full(clock)
    for _ in range(3):
        assert slots.admit(Line()) is not None
        clock.advance(1)
    assert [slot.line.calls for slot in taken] == [["drop"]] * 3  # type: ignore[attr-defined]


def test_an_evicted_connection_can_begin_nothing(clock: FakeClock) -> None:
    slots, taken = full(clock)
    slots.admit(Line())
    assert not slots.begin_upload(taken[0])


def test_general_requests_leave_the_places_of_uploads_free(clock: FakeClock) -> None:
    slots, taken = full(clock, total=3, reserved=1)
    assert slots.begin(taken[0])
    assert slots.begin(taken[1])
    assert not slots.begin(taken[2])
    assert slots.begin_upload(taken[2])


def test_a_general_request_that_ended_makes_room(clock: FakeClock) -> None:
    slots, taken = full(clock, total=3, reserved=2)
    assert slots.begin(taken[0])
    assert not slots.begin(taken[1])
    slots.rest(taken[0])
    assert slots.begin(taken[1])


def test_a_released_place_is_free(clock: FakeClock) -> None:
    slots, taken = full(clock)
    for slot in taken[:2]:
        slots.begin(slot)
    slots.begin_upload(taken[2])
    slots.release(taken[2])
    assert slots.admit(Line()) is not None


def test_a_place_may_be_released_twice(clock: FakeClock) -> None:
    slots, taken = full(clock)
    slots.release(taken[0])
    slots.release(taken[0])
    assert len(slots) == 2


# ---- uploads


def uploading(clock: FakeClock, *rates: float) -> tuple[Slots, list[Slot]]:
    """Uploads of these rates, ten seconds old, in all places there are for them."""
    slots = Slots(len(rates) + 4, len(rates), clock)
    taken = [admitted(slots) for _ in rates]
    for slot, rate in zip(taken, rates, strict=True):
        slot.rate = partial(float, rate)
        assert slots.begin_upload(slot)
    clock.advance(10)
    return slots, taken


def test_the_slowest_upload_gives_way_to_a_new_one(clock: FakeClock) -> None:
    slots, taken = uploading(clock, 30.0, 10.0, 20.0)
    fresh = admitted(slots)
    assert slots.begin_upload(fresh)
    assert [slot.cut for slot in taken] == [False, True, False]
    assert taken[1].line.calls == [f"hurry {clock.monotonic()}"]  # type: ignore[attr-defined]
    assert not fresh.cut


def test_an_upload_is_cut_once(clock: FakeClock) -> None:
    slots, taken = uploading(clock, 30.0, 10.0, 20.0)
    assert all(slots.begin_upload(admitted(slots)) for _ in range(2))
    assert [slot.cut for slot in taken] == [False, True, True]


def test_what_was_cut_once_is_nothing_special_any_more(clock: FakeClock) -> None:
    slots, taken = uploading(clock, 30.0, 10.0)
    slots.begin_upload(admitted(slots))
    slots.rest(taken[1])
    assert not taken[1].cut


def test_a_young_upload_is_not_cut(clock: FakeClock) -> None:
    slots, taken = uploading(clock, 30.0, 10.0)
    assert slots.begin_upload(admitted(slots))  # so fresh that it has no rate at all
    assert slots.begin_upload(admitted(slots))
    assert [slot.cut for slot in taken] == [True, True]


def test_an_upload_waits_for_a_place_where_none_can_be_told_to_be_slow(clock: FakeClock) -> None:
    slots = Slots(4, 1, clock)
    first, second = admitted(slots), admitted(slots)
    assert slots.begin_upload(first)
    thread = threading.Thread(target=slots.rest, args=(first,))
    thread.start()
    assert slots.begin_upload(second)
    thread.join()


def test_an_upload_that_finds_no_place_is_refused(clock: FakeClock) -> None:
    slots = Slots(4, 1, clock)
    assert slots.begin_upload(admitted(slots))
    assert not slots.begin_upload(admitted(slots))


def test_no_upload_begins_at_the_stop(clock: FakeClock) -> None:
    slots = Slots(4, 1, clock)
    slot = admitted(slots)
    slots.stop()
    assert not slots.begin_upload(slot)


# ---- the stop


def test_at_the_stop_nobody_is_admitted(clock: FakeClock) -> None:
    slots = Slots(3, 1, clock)
    slots.stop()
    assert slots.stopping
    assert slots.admit(Line()) is None


def test_at_the_stop_those_that_wait_are_told_that_no_more_will_come(clock: FakeClock) -> None:
    slots = Slots(3, 1, clock)
    waiting, busy = Line(), Line()
    admitted(slots, waiting)
    slots.begin_upload(admitted(slots, busy))
    slots.stop()
    assert (waiting.calls, busy.calls) == (["end_input"], [])


def test_who_rests_after_the_stop_is_told_as_well(clock: FakeClock) -> None:
    slots = Slots(3, 1, clock)
    line = Line()
    slot = admitted(slots, line)
    slots.begin(slot)
    slots.stop()
    slots.rest(slot)
    assert line.calls == ["end_input"]
    assert slot.stage is Stage.WAITING


def test_at_the_stop_who_lingers_is_hurried(clock: FakeClock) -> None:
    slots = Slots(3, 1, clock)
    before, after = Line(), Line()
    slots.linger(admitted(slots, before))
    late = admitted(slots, after)
    slots.begin(late)
    slots.stop()
    slots.linger(late)
    soon = f"hurry {clock.monotonic() + 1}"
    assert (before.calls, after.calls) == ([soon], [soon])


def test_in_the_end_all_are_dropped(clock: FakeClock) -> None:
    slots = Slots(3, 1, clock)
    lines = [Line(), Line()]
    slots.begin_upload(admitted(slots, lines[0]))
    admitted(slots, lines[1])
    slots.drop_all()
    assert [line.calls for line in lines] == [["drop"], ["drop"]]


def test_waiting_for_the_last_ends_at_its_deadline(clock: FakeClock) -> None:
    slots = Slots(3, 1, clock)
    assert slots.wait_empty(clock.monotonic())
    admitted(slots)
    assert not slots.wait_empty(clock.monotonic())
    assert not slots.wait_empty(clock.monotonic() - 5)


def test_waiting_for_the_last_ends_with_its_release(clock: FakeClock) -> None:
    slots = Slots(3, 1, clock)
    slot = admitted(slots)
    thread = threading.Thread(target=slots.release, args=(slot,))
    thread.start()
    assert slots.wait_empty(clock.monotonic() + 20)
    thread.join()
