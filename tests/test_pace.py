"""How fast a client sends."""

from __future__ import annotations

import pytest

from healthlog.base.pace import WINDOW_S, Pace
from tests.support.clock import FakeClock
from tests.support.http import Pieces


def pace(clock: FakeClock, *pieces: bytes) -> Pace:
    return Pace(Pieces(*pieces), clock)


def test_what_is_received_is_passed_on(clock: FakeClock) -> None:
    own = pace(clock, b"hello", b"you")
    assert [own.receive(3), own.receive(9), own.receive(9)] == [b"hel", b"lo", b"you"]
    assert own.receive(9) == b""


def test_the_rate_is_of_the_last_ten_seconds(clock: FakeClock) -> None:
    own = pace(clock, bytes(5000), *[bytes(20)] * 30)
    own.receive(5000)
    for _ in range(30):
        clock.advance(1)
        own.receive(20)
    assert own.rate() == pytest.approx(20.0)


def test_a_younger_one_is_measured_since_it_began(clock: FakeClock) -> None:
    own = pace(clock, bytes(1000), bytes(400))
    own.receive(1000)
    own.begin()
    own.receive(400)
    assert own.rate() == 400.0
    clock.advance(4)
    assert own.rate() == 100.0


def test_silence_is_seen(clock: FakeClock) -> None:
    own = pace(clock, bytes(1000))
    own.receive(1000)
    clock.advance(WINDOW_S)
    assert own.rate() == 0.0
