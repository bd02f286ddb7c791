"""What somebody has to see to: told with its file, and not again and again."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from healthlog.alarm import AGAIN_S, Alarm
from healthlog.base.errors import Damaged, DiskFull, IOFault
from healthlog.base.log import Log
from tests.support.clock import FakeClock


class Heard:
    """An alarm with what it has told."""

    def __init__(self, clock: FakeClock) -> None:
        self._stream = io.StringIO()
        self.alarm = Alarm(Log(self._stream, clock), clock)

    @property
    def lines(self) -> list[tuple[str, Any]]:
        told = [json.loads(line) for line in self._stream.getvalue().splitlines()]
        assert {line["level"] for line in told} <= {"ERROR"}
        return [(line["msg"], line["error"]) for line in told]


@pytest.fixture
def heard(clock: FakeClock) -> Heard:
    return Heard(clock)


def test_a_failing_disk_and_a_damaged_journal_are_told_apart(heard: Heard) -> None:
    heard.alarm.of_files(DiskFull("mart.db: full"))
    heard.alarm.of_journal(IOFault("journal.db: failed"))
    heard.alarm.of_journal(Damaged("journal.db is damaged: run this"))
    assert heard.lines == [
        ("disk failed", "mart.db: full"),
        ("disk failed", "journal.db: failed"),
        ("journal damaged", "journal.db is damaged: run this"),
    ]


def test_a_damaged_mart_is_told_of_where_it_is_set_aside(heard: Heard) -> None:
    heard.alarm.of_files(Damaged("mart.db is damaged"))
    assert heard.lines == []


def test_the_same_words_are_told_once_a_minute(heard: Heard, clock: FakeClock) -> None:
    for _ in range(5):
        for error in (DiskFull("one"), DiskFull("another")):
            heard.alarm.of_files(error)
    assert [error for _, error in heard.lines] == ["one", "another"]
    clock.advance(AGAIN_S - 1)
    heard.alarm.of_files(DiskFull("one"))
    assert len(heard.lines) == 2
    clock.advance(1)
    heard.alarm.of_files(DiskFull("one"))
    assert [error for _, error in heard.lines] == ["one", "another", "one"]
