"""What a replay leaves alone, what its swap does, how a crash in between ends."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from healthlog.base.errors import Circumstance, DiskFull, IOFault
from healthlog.mart.store import swap_in
from healthlog.model import Account, Delivery, Failure, Verdict
from healthlog.reindex import Interrupted, Replay
from tests.support.bodies import NO_JSON, ONE_DAY, PARTIAL, TWO_DAYS, minutes
from tests.support.engine import Engine
from tests.support.limits import files_limited_to
from tests.support.replaying import (
    digest_of,
    fill,
    forget,
    lose,
    scripted,
    swap,
    take_in,
)

# What it leaves alone


def state_of(engine: Engine, posted: list[Delivery]) -> object:
    return engine.digest(), [engine.entry(one) for one in posted]


@pytest.mark.scenario("reindex", "Interrupted replay leaves the old mart")
@pytest.mark.parametrize("error", [KeyboardInterrupt(), DiskFull("no room")], ids=["stop", "full"])
def test_an_interrupted_replay_leaves_everything(
    engine: Engine, new: Path, error: BaseException
) -> None:
    posted = fill(engine)
    before = state_of(engine, posted)

    def progress(done: int, _: int) -> None:
        if done == 5:
            raise error

    with pytest.raises(type(error)):
        engine.replay(progress=progress).into(new)
    assert state_of(engine, posted) == before
    assert sorted(one.name for one in new.parent.glob("mart.db.new*")) == []


def test_a_replay_without_room_leaves_everything(engine: Engine, new: Path) -> None:
    posted = fill(engine)
    engine.post(minutes(1200))
    before = state_of(engine, posted)
    with files_limited_to(60_000), pytest.raises(Circumstance):
        engine.replay().into(new)
    assert state_of(engine, posted) == before
    assert sorted(one.name for one in new.parent.glob("mart.db.new*")) == []


def test_a_body_that_cannot_be_read_now_interrupts_the_replay(engine: Engine, new: Path) -> None:
    engine.post(TWO_DAYS)

    def fail(_: Delivery) -> None:
        raise IOFault("the device failed")

    with pytest.raises(Interrupted, match="nothing was changed"):
        engine.replay(archive=scripted(engine, fail)).into(new)
    assert not new.exists()


def test_a_replay_writes_nothing_into_the_journal(engine: Engine, new: Path) -> None:
    fill(engine)
    engine.house.disk.events.clear()
    engine.replay().into(new)
    assert engine.house.disk.events == []


@pytest.mark.scenario("archive", "Folding changes no archive file")
def test_neither_fold_nor_replay_changes_the_archive(engine: Engine, new: Path) -> None:
    for sent in (minutes(60), PARTIAL, NO_JSON, ONE_DAY):
        engine.post(sent)
    before = archived(engine)
    engine.fold_all()
    replay = engine.replay()
    replay.into(new)
    swap(engine, replay, new)
    assert archived(engine) == before


def archived(engine: Engine) -> dict[str, bytes]:
    root = engine.house.archive.root
    return {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file()}


# The swap and what comes after


def test_the_rows_of_what_is_pending_get_their_outcome(engine: Engine, new: Path) -> None:
    waiting = [engine.post(one) for one in (TWO_DAYS, PARTIAL, NO_JSON)]
    replay = engine.replay()
    replay.into(new)
    swap(engine, replay, new)
    assert engine.statuses(*waiting) == ["parsed", "partial", "failed"]


Step = Callable[[Engine, Replay, Path], None]


def _swapped(engine: Engine, _: Replay, new: Path) -> None:
    swap_in(new, engine.mart.path, engine.clock, "wal")


def _killed_at(number: int) -> Step:
    def step(engine: Engine, replay: Replay, new: Path) -> None:
        begun = [0]

        def accident() -> None:
            begun[0] += 1
            if begun[0] == number:
                raise SystemExit

        engine.house.disk.accidents = {"begin rows": accident, "rows": accident}
        with pytest.raises(SystemExit):
            take_in(engine, replay, new)
        engine.house.disk.accidents.clear()

    return step


@pytest.mark.scenario("reindex", "Crash after the swap is repaired at start")
@pytest.mark.parametrize(
    "step", [_swapped, *map(_killed_at, range(1, 7))], ids=["swap", *map(str, range(1, 7))]
)
def test_a_crash_after_the_swap_is_repaired_at_start(engine: Engine, new: Path, step: Step) -> None:
    posted = fill(engine)
    orphan = engine.post(minutes(60, 12), automation_id="A")
    forget(engine, orphan)
    gone = engine.post(minutes(60, 14))
    engine.fold_all()
    # As if an earlier program had come to other results.
    engine.keep(posted[0].delivery_id, Verdict(Account(7), Failure("internal", "broke")))
    engine.keep(posted[1].delivery_id, Verdict(Account(7, "week", "declared")))
    lose(engine, gone)
    replay = engine.replay()
    replay.into(new)
    wanted = digest_of(new, engine)
    engine.mart.close()
    step(engine, replay, new)
    engine.restart()
    engine.fold_all()
    assert engine.digest() == wanted
    for one in (*posted, orphan):
        entry, line = engine.entry(one), engine.line(one)
        assert (entry.parse_status in {"parsed", "partial"}) == (line is not None)
        if line is not None:
            assert entry.account == line
    assert engine.statuses(gone, orphan) == ["failed", "parsed"]
