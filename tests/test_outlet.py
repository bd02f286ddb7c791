"""The way out for log lines, with real pipes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

import pytest

from healthlog.base.outlet import Outlet
from tests.support.patience import PATIENCE_S

WIDE = "x" * 999 + "\n"


class Pipe:
    """A pipe with an outlet at one end."""

    def __init__(self) -> None:
        self.reader, self._writer = os.pipe()
        self._outlets: list[Outlet] = []

    def outlet(self, most_lines: int = 10_000) -> Outlet:
        self._outlets.append(Outlet(self._writer, lost, most_lines=most_lines))
        return self._outlets[-1]

    def leave(self) -> None:
        if self.reader >= 0:
            os.close(self.reader)
        self.reader = -1

    def close(self) -> None:
        self.leave()
        for outlet in self._outlets:  # none may write to a descriptor that is somebody else's then
            outlet.write("the last\n")
            assert outlet.close(PATIENCE_S)
        os.close(self._writer)

    def everything(self, size: int) -> str:
        data = b""
        while len(data) < size:
            data += os.read(self.reader, size - len(data))
        return data.decode()


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    pipe = Pipe()
    yield pipe
    pipe.close()


def lost(lines: int) -> str:
    return f"{lines} lost\n"


def test_lines_come_out_in_order(pipe: Pipe) -> None:
    outlet = pipe.outlet()
    for number in range(100):
        outlet.write(f"{number:03}\n")
    assert outlet.drain(PATIENCE_S)
    assert pipe.everything(400) == "".join(f"{number:03}\n" for number in range(100))


def test_a_reader_who_stopped_holds_nobody_up(pipe: Pipe) -> None:
    outlet = pipe.outlet(50)
    for _ in range(1_000):  # more than any pipe holds
        outlet.write(WIDE)
    assert not outlet.drain(0.0)


def test_lines_left_out_are_counted_once_the_reader_goes_on(pipe: Pipe) -> None:
    outlet = pipe.outlet(50)
    for _ in range(1_000):
        outlet.write(WIDE)
    told, kept, missed = "", 0, 0
    # Lines may be left out more than once, with some taken in between.
    while kept + missed < 1_000 or not told.endswith("\n"):
        told += os.read(pipe.reader, 1 << 16).decode()
        kept = told.count(WIDE)
        missed = sum(map(int, re.findall(r"^(\d+) lost\n", told, re.MULTILINE)))
    assert kept >= 50
    assert missed > 0
    assert re.fullmatch(rf"(?:{WIDE}|\d+ lost\n)+", told)
    assert kept + missed == 1_000
    outlet.write("on\n")
    assert outlet.drain(PATIENCE_S)
    assert pipe.everything(3) == "on\n"


def test_a_reader_who_left_is_no_error(pipe: Pipe) -> None:
    outlet = pipe.outlet()
    pipe.leave()
    outlet.write("nobody reads this\n")
    assert outlet.drain(PATIENCE_S)
    outlet.write("nor this\n")
    assert outlet.drain(PATIENCE_S)


def test_a_closed_outlet_takes_nothing_more(pipe: Pipe) -> None:
    outlet = pipe.outlet()
    outlet.write("before\n")
    assert outlet.close(PATIENCE_S)
    outlet.write("after\n")
    assert outlet.close(PATIENCE_S)
    assert pipe.everything(7) == "before\n"


def test_closing_waits_for_a_reader_no_longer_than_allowed(pipe: Pipe) -> None:
    outlet = pipe.outlet()
    for _ in range(1_000):
        outlet.write(WIDE)
    assert not outlet.close(0.0)
