"""Places for connections."""

from __future__ import annotations

import threading

from healthlog.base.slots import Slot, Slots, Stage
from tests.support.clock import FakeClock


class Line:
    """Notes what is done to it."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def drop(self) -> None:
        self.calls.append("drop")

    def end_input(self) -> None:
        self.calls.append("end_input")


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
    slots.begin(taken[0], upload=False)
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
    assert slots.begin(taken[0], upload=False)
    assert slots.begin(taken[1], upload=True)
    slots.admit(Line())
    assert [slot.evicted for slot in taken] == [False, False, True]


def test_when_all_are_busy_nobody_is_admitted(clock: FakeClock) -> None:
    slots, taken = full(clock)
    assert all(slots.begin(slot, upload=True) for slot in taken)
    assert slots.admit(Line()) is None


def test_a_lingering_connection_gives_way(clock: FakeClock) -> None:
    slots, taken = full(clock)
    for slot in taken:
        slots.begin(slot, upload=True)
    slots.linger(taken[1])
    assert slots.admit(Line()) is not None
    assert taken[1].evicted


def test_an_evicted_connection_is_not_evicted_twice(clock: FakeClock) -> None:
    slots, taken = full(clock)
    for _ in range(3):
        assert slots.admit(Line()) is not None
        clock.advance(1)
    assert [slot.line.calls for slot in taken] == [["drop"]] * 3  # type: ignore[attr-defined]


def test_an_evicted_connection_can_begin_nothing(clock: FakeClock) -> None:
    slots, taken = full(clock)
    slots.admit(Line())
    assert not slots.begin(taken[0], upload=True)


def test_general_requests_leave_the_places_of_uploads_free(clock: FakeClock) -> None:
    slots, taken = full(clock, total=3, reserved=1)
    assert slots.begin(taken[0], upload=False)
    assert slots.begin(taken[1], upload=False)
    assert not slots.begin(taken[2], upload=False)
    assert slots.begin(taken[2], upload=True)


def test_uploads_may_take_all_places(clock: FakeClock) -> None:
    slots, taken = full(clock, total=3, reserved=1)
    assert all(slots.begin(slot, upload=True) for slot in taken)


def test_a_general_request_that_ended_makes_room(clock: FakeClock) -> None:
    slots, taken = full(clock, total=3, reserved=2)
    assert slots.begin(taken[0], upload=False)
    assert not slots.begin(taken[1], upload=False)
    slots.rest(taken[0])
    assert slots.begin(taken[1], upload=False)


def test_a_released_place_is_free(clock: FakeClock) -> None:
    slots, taken = full(clock)
    for slot in taken:
        slots.begin(slot, upload=True)
    slots.release(taken[2])
    assert slots.admit(Line()) is not None


def test_a_place_may_be_released_twice(clock: FakeClock) -> None:
    slots, taken = full(clock)
    slots.release(taken[0])
    slots.release(taken[0])
    assert len(slots) == 2


def test_at_the_stop_nobody_is_admitted(clock: FakeClock) -> None:
    slots = Slots(3, 1, clock)
    slots.stop()
    assert slots.stopping
    assert slots.admit(Line()) is None


def test_at_the_stop_those_that_wait_are_told_that_no_more_will_come(clock: FakeClock) -> None:
    slots = Slots(3, 1, clock)
    waiting, busy = Line(), Line()
    admitted(slots, waiting)
    slots.begin(admitted(slots, busy), upload=True)
    slots.stop()
    assert (waiting.calls, busy.calls) == (["end_input"], [])


def test_who_rests_after_the_stop_is_told_as_well(clock: FakeClock) -> None:
    slots = Slots(3, 1, clock)
    line = Line()
    slot = admitted(slots, line)
    slots.begin(slot, upload=False)
    slots.stop()
    slots.rest(slot)
    assert line.calls == ["end_input"]
    assert slot.stage is Stage.WAITING


def test_in_the_end_all_are_dropped(clock: FakeClock) -> None:
    slots = Slots(3, 1, clock)
    lines = [Line(), Line()]
    slots.begin(admitted(slots, lines[0]), upload=True)
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
