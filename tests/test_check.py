"""The check: every difference between archive, journal and mart by its name, and nothing else."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest

from healthlog.archive.store import Archive
from healthlog.base.db import Database
from healthlog.check import (
    Finding,
    MartUnreadable,
    check_accounts,
    check_archive,
    check_journal,
    contentless,
)
from healthlog.databases import open_to_look
from healthlog.journal import rows
from healthlog.mart import folded
from healthlog.model import Account, Delivery, Failure, Verdict
from healthlog.planning import Overdue
from tests.support.accepting import delivery
from tests.support.bodies import NO_JSON, PARTIAL, TWO_DAYS, minutes
from tests.support.clock import FakeClock
from tests.support.damage import flip_pages
from tests.support.engine import Engine

T = TypeVar("T")


def unwatched(_done: int, _total: int) -> None:
    """Nobody watches the progress."""


def of_archive(engine: Engine) -> list[Finding]:
    return list(check_archive(engine.house.archive, unwatched))


def of_journal(engine: Engine) -> list[Finding]:
    return list(check_journal(engine.house.archive, engine.journal))


def of_accounts(engine: Engine) -> list[Finding]:
    with closing(open_to_look(engine.mart.path, "mart", engine.clock)) as mart:
        return list(check_accounts(engine.journal, mart))


def filled(engine: Engine) -> list[Delivery]:
    posted = [engine.post(body) for body in (TWO_DAYS, PARTIAL, NO_JSON, minutes(60))]
    engine.fold_all()
    return posted


def test_a_sound_log_has_no_findings(engine: Engine) -> None:
    filled(engine)
    engine.post(TWO_DAYS)  # pending
    assert (of_archive(engine), of_journal(engine), of_accounts(engine)) == ([], [], [])


# The archive


def test_a_changed_byte_is_found(engine: Engine) -> None:
    one, *_ = filled(engine)
    path = engine.house.archive.body_path(one.delivery_id)
    packed = bytearray(path.read_bytes())
    packed[len(packed) // 2] ^= 1
    path.write_bytes(packed)
    [finding] = of_archive(engine)
    assert finding.what == path.name


def test_another_body_in_its_place_is_found(engine: Engine) -> None:
    one, other, *_ = filled(engine)
    archive = engine.house.archive
    path = archive.body_path(one.delivery_id)
    path.write_bytes(archive.body_path(other.delivery_id).read_bytes())
    assert of_archive(engine) == [Finding(path.name, "the body differs from its checksum")]


def test_a_body_cut_short_is_found(engine: Engine) -> None:
    one, *_ = filled(engine)
    path = engine.house.archive.body_path(one.delivery_id)
    path.write_bytes(path.read_bytes()[:-9])
    [finding] = of_archive(engine)
    assert finding.what == path.name


def test_a_missing_meta_is_found(engine: Engine) -> None:
    one, *_ = filled(engine)
    path = engine.house.archive.meta_path(one.delivery_id)
    path.unlink()
    assert of_archive(engine) == [Finding(path.name, "is missing or can't be read")]


def test_a_meta_without_a_body_is_found(engine: Engine) -> None:
    one, *_ = filled(engine)
    engine.house.archive.body_path(one.delivery_id).unlink()
    assert of_archive(engine) == [Finding(f"{one.delivery_id}.meta.json", "has no body")]


def test_a_foreign_file_is_found(engine: Engine) -> None:
    one, *_ = filled(engine)
    engine.house.archive.body_path(one.delivery_id).with_name("notes.txt").write_bytes(b"")
    [finding] = of_archive(engine)
    assert finding.what.endswith("/notes.txt")


def test_progress_counts_the_bodies(engine: Engine) -> None:
    filled(engine)
    told: list[tuple[int, int]] = []
    list(check_archive(engine.house.archive, lambda done, total: told.append((done, total))))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


# The journal


def test_a_row_without_a_body_is_found(engine: Engine) -> None:
    one, *_ = filled(engine)
    engine.house.archive.body_path(one.delivery_id).unlink()
    assert of_journal(engine) == [Finding(one.delivery_id, "has a row and no body")]


def test_a_body_without_a_row_is_found(engine: Engine) -> None:
    one, *_ = filled(engine)
    engine.journal.write(
        lambda c: c.execute(
            "DELETE FROM delivery WHERE delivery_id = ?", (one.delivery_id,)
        ).close()
    )
    assert of_journal(engine) == [Finding(one.delivery_id, "has a body and no row")]


def test_a_row_that_says_other_things_than_its_meta_is_found(engine: Engine) -> None:
    one, *_ = filled(engine)
    engine.journal.write(
        lambda c: c.execute(
            "UPDATE delivery SET aggregation = 'Days' WHERE delivery_id = ?", (one.delivery_id,)
        ).close()
    )
    assert of_journal(engine) == [Finding(one.delivery_id, "its row differs from its meta")]


class Busy(Archive):
    """An archive that takes in another delivery whenever it has been listed."""

    engine: Engine

    def scan(self) -> list[str]:
        found = super().scan()
        self.engine.post(TWO_DAYS)
        return found


def test_what_a_service_accepts_beside_is_no_finding(engine: Engine) -> None:
    filled(engine)
    archive = Busy(engine.house.data)
    archive.engine = engine
    assert list(check_journal(archive, engine.journal)) == []


class Late(Database):
    """A journal whose newest row is committed only when the pages have been read."""

    row: Delivery

    def read(self, work: Callable[[sqlite3.Connection], T], *, budget_s: float = 5.0) -> T:
        found = super().read(work, budget_s=budget_s)
        if found == []:
            self.write(partial(rows.insert, delivery=self.row))
        return found


def test_a_row_that_comes_a_moment_after_its_body_is_no_finding(
    engine: Engine, data: Path, clock: FakeClock
) -> None:
    one, *_ = filled(engine)
    engine.journal.write(
        lambda c: c.execute(
            "DELETE FROM delivery WHERE delivery_id = ?", (one.delivery_id,)
        ).close()
    )
    with closing(Late(data / "journal.db", clock=clock)) as journal:
        journal.row = one
        assert list(check_journal(engine.house.archive, journal)) == []


# The mart


def test_a_folded_row_that_the_mart_lacks_is_found(engine: Engine) -> None:
    one, *_ = filled(engine)
    _forget(engine, one)
    [finding] = of_accounts(engine)
    assert finding == Finding(one.delivery_id, "counts as parsed and the mart doesn't know it")


def test_an_account_that_differs_is_found(engine: Engine) -> None:
    one, *_ = filled(engine)
    engine.keep(one.delivery_id, Verdict(Account(7)))
    assert of_accounts(engine) == [Finding(one.delivery_id, "its account differs from the mart's")]


def test_a_failed_row_that_the_mart_has_folded_is_found(engine: Engine) -> None:
    one, *_ = filled(engine)
    engine.keep(one.delivery_id, Verdict(Account(7), Failure("internal", "broke")))
    [finding] = of_accounts(engine)
    assert finding.what == one.delivery_id


def test_a_line_without_a_row_is_found(engine: Engine) -> None:
    filled(engine)
    stranger = delivery(9999)
    engine.mart.write(partial(folded.write, number=99, delivery=stranger, account=Account(7)))
    [finding] = of_accounts(engine)
    assert finding == Finding(stranger.delivery_id, "is folded in the mart and has no row")


def test_a_mart_that_cannot_be_read_is_said_to_be_so(engine: Engine) -> None:
    filled(engine)
    engine.mart.close()
    with closing(open_to_look(engine.mart.path, "mart", engine.clock)) as mart:
        flip_pages(engine.mart.path, first=2)
        with pytest.raises(MartUnreadable):
            list(check_accounts(engine.journal, mart))


def _forget(engine: Engine, one: Delivery) -> None:
    def work(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM folded WHERE delivery_id = ?", (one.delivery_id,))

    engine.mart.write(work)


# What no digest speaks for


def test_failures_without_content_are_counted_by_kind(engine: Engine) -> None:
    posted = filled(engine)

    def late_body(_: Delivery) -> bytes:
        raise Overdue("too slow")

    late = engine.post(TWO_DAYS)
    engine.player(read_body=late_body).play(late.delivery_id)
    for one in posted[:2]:
        engine.keep(one.delivery_id, Verdict(Account(7), Failure("unreadable", "gone")))
    assert contentless(engine.journal) == {"unreadable": 2, "deadline": 1}
