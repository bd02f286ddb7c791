"""A damaged journal: every command says what to do, and it helps."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.bodies import NO_JSON, ONE_DAY, PARTIAL, TWO_DAYS, minutes
from tests.support.clock import FakeClock
from tests.support.damage import flip_pages, garble_head
from tests.support.engine import open_engine
from tests.support.shell import Ran, run

COMMANDS = {
    "serve": ("serve", "--listen", "127.0.0.1:0"),
    "reindex": ("reindex",),
    "reindex --into": ("reindex", "--into", "new.db"),
    "status": ("status",),
    "check": ("check",),
    "migrate": ("migrate", "up"),
}


def garble(path: Path) -> None:
    path.write_bytes(b"no database at all" * 1000)


def flip_all_but_the_first(path: Path) -> None:
    flip_pages(path, first=2)


@pytest.fixture
def filled(data: Path, clock: FakeClock) -> Path:
    with open_engine(data, clock) as engine:
        for body in (minutes(60), TWO_DAYS, ONE_DAY, PARTIAL, NO_JSON):
            engine.post(body)
        engine.fold_all()
    return data


def said_what_to_do(ran: Ran, data: Path) -> bool:
    words = (str(data / "journal.db"), "move it away", "-wal", "-shm", "run `reindex`", "archive")
    return ran.refused(1, *words)


@pytest.mark.scenario("operations", "Damaged journal says what to do")
@pytest.mark.parametrize("harm", [garble, garble_head, flip_all_but_the_first])
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_damaged_journal_says_what_to_do(
    filled: Path, command: tuple[str, ...], harm: Callable[[Path], None], tmp_path: Path
) -> None:
    harm(filled / "journal.db")
    placed = [str(tmp_path / word) if word.endswith(".db") else word for word in command]
    assert said_what_to_do(run(*placed, "--data", filled), filled)
    assert not list(tmp_path.glob("new.db*"))


def test_what_is_said_helps(filled: Path) -> None:
    before = run("digest", "--data", filled).out
    garble(filled / "journal.db")
    (filled / "journal.db").rename(filled / "journal.db.bad")
    assert run("reindex", "--data", filled).status == 0
    assert run("digest", "--data", filled).out == before
    assert run("check", "--rebuild", "--data", filled).status == 0
