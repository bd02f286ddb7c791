"""`backup` and `restore` killed just before every call to the file system."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.support.backups import (
    Backed,
    backed,
    backup,
    digest,
    is_whole,
    more,
    report,
    restore,
    tree,
)
from tests.support.bodies import PARTIAL, TWO_DAYS, minutes
from tests.support.clock import FakeClock
from tests.support.shell import run
from tests.support.strace import INSTALLED, Trace, counted, killing, noting, traced
from tests.support.telling import Tell

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not INSTALLED, reason="strace is not installed"),
]

ALL = 200
WRITING = ("mkdir", "write", "pwrite64", "fsync", "rename", "unlink", "rmdir", "ftruncate")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Backed:
    """A log with its backup, since when two deliveries have come, one of them pending."""
    made = backed(tmp_path_factory.mktemp("model"), TWO_DAYS, minutes(3))
    clock = FakeClock()
    clock.advance(600)
    more(made.log, clock, PARTIAL)
    more(made.log, clock, minutes(5), fold=False)
    return made


def from_its_settings(folder: Path, trace: Trace, *words: str | Path) -> int:
    """The exit status of a command that is traced from when it has read its settings."""
    settings = folder / "settings"
    settings.write_text("")
    return traced(settings, trace, *words, "--config", settings)


def swept(
    tmp_path: Path,
    rounds: int,
    life: Callable[[Path, Trace], int],
    after: Callable[[Path], None],
) -> tuple[int, int]:
    """A life ended before each of its calls in turn, before so many of them spread over it where
    there are fewer rounds than ALL; before how many it was to end, and did."""
    calls_file, folder = tmp_path / "calls", tmp_path / "undisturbed"
    assert life(folder, partial(noting, file=calls_file)) == 0
    after(folder)
    calls = [(call, nth) for call, nth in counted(calls_file) if call in WRITING]
    assert len(calls) > 60
    if rounds < ALL:
        calls = calls[rounds % 3 :: -(-len(calls) // rounds)]
    ended = 0
    for number, (call, nth) in enumerate(calls):
        folder = tmp_path / str(number)
        ended += life(folder, partial(killing, call=call, number=nth)) != 0
        after(folder)
        shutil.rmtree(folder)
    return len(calls), ended


@pytest.mark.scenario("backup", "Kill at each step of a backup leaves a whole one or none")
@pytest.mark.parametrize("again", [False, True], ids=["first", "second"])
def test_a_kill_at_any_call_of_a_backup_leaves_a_whole_one_or_none(
    tmp_path: Path, model: Backed, tell: Tell, again: bool, rounds: int
) -> None:
    before = tree(model.log)

    def life(folder: Path, trace: Trace) -> int:
        folder.mkdir()
        if again:
            shutil.copytree(model.dest, folder / "dest", copy_function=shutil.copy)
        return from_its_settings(folder, trace, "backup", folder / "dest", "--data", model.log)

    def after(folder: Path) -> None:
        dest = folder / "dest"
        assert is_whole(dest) == (again or (dest / "manifest.ndjson").exists())
        if again:
            ran = restore(dest, folder / "as-it-is")
            assert ran.status == 0
            assert report(ran)["deliveries"] in {2, 4}
        assert backup(model.log, dest).status == 0
        assert is_whole(dest)
        assert sorted(path.name.partition("-")[0] for path in dest.iterdir()) == [
            "archive", "healthlog", "incoming", "manifest.ndjson", "state",
        ]  # fmt: skip
        assert list((dest / "incoming").iterdir()) == []
        assert tree(model.log) == before

    calls, ended = swept(tmp_path, rounds, life, after)
    # SQLite may need a page more in one life than in another.
    assert ended >= calls - 2
    tell(f"backup: killed before {ended} of {calls} calls")


@pytest.mark.scenario("backup", "Kill at each step of a restore is made good by the next")
def test_a_kill_at_any_call_of_a_restore_is_made_good_by_the_next(
    tmp_path: Path, model: Backed, tell: Tell, rounds: int
) -> None:
    dest = tmp_path / "dest"
    assert backup(model.log, dest).status == 0
    right: set[str] = set()

    def life(folder: Path, trace: Trace) -> int:
        folder.mkdir()
        return from_its_settings(folder, trace, "restore", dest, "--data", folder / "new")

    def after(folder: Path) -> None:
        new = folder / "new"
        if (new / "restore.unfinished").exists():
            assert run("digest", "--data", new).refused(1, "unfinished restore")
        if (new / "restore.unfinished").exists() or not (new / "journal.db").exists():
            ran = restore(dest, new)
            assert ran.status == 0, ran.err
        right.add(digest(new))
        assert run("check", "--data", new).status == 0
        assert [path.name for path in new.rglob("*.part")] == []

    calls, ended = swept(tmp_path, rounds, life, after)
    assert len(right) == 1
    assert ended >= calls - 4
    tell(f"restore: killed before {ended} of {calls} calls")
