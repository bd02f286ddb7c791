"""What wrong credentials cost."""

from __future__ import annotations

import pytest

from healthlog.base.strikes import FORGOTTEN_S, FREE, Strikes
from tests.support.clock import FakeClock

HOME = "203.0.113.9"


def delays(strikes: Strikes, times: int, remote: str = HOME) -> list[float]:
    return [strikes.failed(remote).delay_s for _ in range(times)]


@pytest.mark.scenario("security", "Wrong tokens are delayed after ten")
def test_the_eleventh_is_delayed_then_longer_and_longer(clock: FakeClock) -> None:
    strikes = Strikes(clock)
    assert delays(strikes, FREE) == [0.0] * FREE
    assert delays(strikes, 6) == [1.0, 2.0, 4.0, 8.0, 8.0, 8.0]


def test_the_count_goes_down_with_time(clock: FakeClock) -> None:
    strikes = Strikes(clock)
    delays(strikes, FREE + 3)
    clock.advance(3 * FORGOTTEN_S)
    assert delays(strikes, 2) == [1.0, 2.0]
    clock.advance(100 * FORGOTTEN_S)
    assert strikes.failed(HOME).failures == 1


def test_one_address_costs_another_nothing(clock: FakeClock) -> None:
    strikes = Strikes(clock)
    delays(strikes, 100)
    assert delays(strikes, 1, "203.0.113.10") == [0.0]


def test_addresses_of_one_ipv6_network_count_together(clock: FakeClock) -> None:
    strikes = Strikes(clock)
    for host in range(FREE):
        strikes.failed(f"2001:db8:1:2::{host + 1:x}")
    assert delays(strikes, 1, "2001:db8:1:2:ffff::1") == [1.0]
    assert delays(strikes, 1, "2001:db8:1:3::1") == [0.0]
    assert delays(strikes, FREE, "::ffff:203.0.113.9")[-1] == 0.0
    assert delays(strikes, 1) == [1.0]


def test_what_is_no_address_counts_as_itself(clock: FakeClock) -> None:
    strikes = Strikes(clock)
    assert delays(strikes, FREE + 1, "")[-1] == 1.0


def test_a_flood_of_addresses_is_forgotten_from_its_beginning(clock: FakeClock) -> None:
    strikes = Strikes(clock)
    delays(strikes, 100)
    for number in range(5000):
        strikes.failed(f"10.{number >> 8 & 255}.{number & 255}.1")
    assert len(strikes) == 1024
    assert delays(strikes, 1) == [0.0]


def test_a_flood_of_one_address_is_told_of_ever_more_rarely(clock: FakeClock) -> None:
    strikes = Strikes(clock)
    told = [number for number in range(1, 1001) if strikes.failed(HOME).told]
    assert told == [*range(1, 11), 16, 32, 64, 128, 256, 512]
