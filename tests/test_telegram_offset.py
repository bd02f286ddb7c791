"""The number that confirms updates, and the chats that the bot knows."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from healthlog.transcriber.telegram import chats, offset
from healthlog.transcriber.telegram.offset import Handled
from tests.support.accepting import open_journal
from tests.support.clock import FakeClock

BOT, OTHER = 42, 43


@pytest.fixture
def journal(data: Path, clock: FakeClock) -> Iterator[sqlite3.Connection]:
    """A connection to the tables, committing as it goes."""
    with open_journal(data, clock):
        pass
    with closing(sqlite3.connect(data / "journal.db", isolation_level=None)) as connection:
        yield connection


@pytest.mark.scenario("telegram", "Number of the next update only grows")
def test_the_number_only_grows(journal: sqlite3.Connection) -> None:
    assert offset.next_update(journal, BOT) is None
    assert not offset.is_handled(journal, BOT, 500)
    offset.advance(journal, BOT, 500, 1)
    assert offset.next_update(journal, BOT) == 501
    for update_id in (500, 499, 1):
        assert offset.is_handled(journal, BOT, update_id)
        with pytest.raises(Handled):
            offset.advance(journal, BOT, update_id, 2)
    offset.advance(journal, BOT, 507, 3)
    assert offset.next_update(journal, BOT) == 508


@pytest.mark.scenario("telegram", "Telegram begins to count anew")
def test_telegram_begins_to_count_anew(journal: sqlite3.Connection) -> None:
    offset.advance(journal, BOT, 900_000_000, 1)
    assert not offset.is_handled(journal, BOT, 10_000)
    offset.advance(journal, BOT, 10_000, 2)
    assert offset.next_update(journal, BOT) == 10_001


def test_each_bot_has_its_own_number(journal: sqlite3.Connection) -> None:
    offset.advance(journal, BOT, 500, 1)
    assert offset.next_update(journal, OTHER) is None
    offset.advance(journal, OTHER, 7, 1)
    assert offset.next_update(journal, BOT) == 501


def test_a_moved_group_is_served_under_its_new_number(journal: sqlite3.Connection) -> None:
    assert not chats.is_served(journal, {-5}, -100)
    chats.note_move(journal, -5, -100, 1)
    chats.note_move(journal, -5, -200, 2)
    assert chats.present(journal, -5) == -100
    assert chats.is_served(journal, {-5}, -100)
    assert not chats.is_served(journal, {-5}, -200)
    assert not chats.is_served(journal, {-6}, -100)


def test_moves_make_no_circle(journal: sqlite3.Connection) -> None:
    chats.note_move(journal, 1, 2, 1)
    chats.note_move(journal, 2, 3, 1)
    chats.note_move(journal, 3, 1, 1)
    assert chats.present(journal, 1) == 3


def test_so_many_strangers_are_remembered_and_no_more(journal: sqlite3.Connection) -> None:
    assert chats.note_stranger(journal, -1, 0)
    for number in range(1, 1001):
        assert chats.note_stranger(journal, number, number)
    assert not chats.note_stranger(journal, 1000, 2000)
    assert journal.execute("SELECT count(*) FROM telegram_stranger").fetchone() == (1000,)
    assert chats.note_stranger(journal, -1, 3000)


def test_the_oldest_stranger_is_found_in_the_index(journal: sqlite3.Connection) -> None:
    [(_, _, _, plan)] = journal.execute(
        "EXPLAIN QUERY PLAN SELECT chat_id FROM telegram_stranger"
        " ORDER BY told_at_us DESC, chat_id DESC LIMIT -1 OFFSET 1000"
    ).fetchall()
    assert "USING COVERING INDEX telegram_stranger_told" in plan
