"""Backups made and restored by their commands, with disks that fail at a chosen step."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from healthlog.archive.disk import Disk
from healthlog.backup.make import Backup, Watch
from healthlog.backup.manifest import Manifest, opened
from healthlog.backup.place import Place
from healthlog.base.files import Part
from healthlog.base.snapshot import look
from healthlog.check import Finding
from healthlog.home import Home
from healthlog.journal import rows
from healthlog.model import Delivery
from tests.support.bodies import NO_JSON, PARTIAL, TWO_DAYS, minutes
from tests.support.clock import FakeClock
from tests.support.engine import open_engine
from tests.support.shell import Ran, run

BODIES = (TWO_DAYS, PARTIAL, NO_JSON, minutes(60))
TOKENS = b'{"ingest": "ingest-token-of-a-log", "read": "read-token-of-a-log"}\n'


def filled(data: Path, clock: FakeClock, *bodies: bytes) -> list[Delivery]:
    """A log of a few deliveries, folded, with tokens and settings, left by an earlier process."""
    data.mkdir(mode=0o700, exist_ok=True)
    (data / "tokens.json").write_bytes(TOKENS)
    (data / "healthlog.toml").write_bytes(b'timezone = "Europe/Berlin"\n')
    return more(data, clock, *(bodies or BODIES))


def more(data: Path, clock: FakeClock, *bodies: bytes, fold: bool = True) -> list[Delivery]:
    """Further deliveries of a log."""
    with open_engine(data, clock) as engine:
        engine.restart()
        posted = [engine.post(body, automation_id="A") for body in bodies]
        if fold:
            engine.fold_all()
        return posted


@dataclass(frozen=True, slots=True)
class Backed:
    """A log and its backup, made once for many tests, of which each has a copy."""

    log: Path
    dest: Path
    digest: str

    def copy(self, folder: Path) -> Backed:
        log, dest = folder / "log", folder / "dest"
        for source, target in ((self.log, log), (self.dest, dest)):
            shutil.copytree(source, target, copy_function=shutil.copy)
        return Backed(log, dest, self.digest)


def backed(folder: Path, *bodies: bytes) -> Backed:
    """A log of a few deliveries, backed up."""
    log, dest = folder / "log", folder / "dest"
    filled(log, FakeClock(), *bodies)
    assert backup(log, dest).status == 0
    return Backed(log, dest, digest(log))


def files_of(data: Path, one: Delivery) -> tuple[Path, Path]:
    """Body and meta of a delivery, below a data directory or a backup."""
    [body] = data.glob(f"archive/*/*/*/{one.delivery_id}.json.gz")
    return body, body.with_name(f"{one.delivery_id}.meta.json")


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with its contents, what SQLite keeps beside its files aside."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(("-wal", "-shm"))
    }


def backup(data: Path, dest: Path, *flags: str) -> Ran:
    return run("backup", dest, "--data", data, *flags)


def restore(source: Path, data: Path, *flags: str) -> Ran:
    return run("restore", source, "--data", data, *flags)


def report(ran: Ran) -> dict[str, Any]:
    """The last line of what a command said."""
    told: dict[str, Any] = json.loads(ran.out.splitlines()[-1])
    return told


def findings(ran: Ran) -> list[str]:
    """What is named before it."""
    return ran.out.splitlines()[:-1]


def digest(data: Path) -> str:
    """The line that `digest` prints."""
    ran = run("digest", "--data", data)
    assert ran.status == 0, ran.err
    return ran.out


def is_whole(dest: Path) -> bool:
    """Whether a folder holds a backup in which nothing is missing or other than it was."""
    return restore(dest, dest.with_name("nowhere"), "--check").status == 0


def manifest(dest: Path) -> Manifest:
    return opened(dest / "manifest.ndjson")


def state(dest: Path) -> Path:
    """The folder of databases and settings that the manifest names."""
    return dest / manifest(dest).head.state


def ids_in(journal: Path) -> list[str]:
    """The ids of the rows in the copy of a journal."""
    with closing(look(journal)) as connection:
        return rows.all_ids(connection)


class _Stepping(Part):
    """A part that tells its disk what is done to it."""

    disk: FailingDisk

    def write(self, data: bytes) -> None:
        self.disk.step()
        super().write(data)

    def sync(self) -> None:
        self.disk.step()
        super().sync()

    def rename(self, target: Path) -> None:
        self.disk.step()
        super().rename(target)


class FailingDisk(Disk):
    """The real disk, whose calls end in `error` from the `first` one on, or that one alone."""

    def __init__(self, first: int, error: BaseException, *, once: bool = False) -> None:
        self.steps = 0
        self._first = first
        self._error = error
        self._once = once

    @property
    def failed(self) -> bool:
        return self.steps >= self._first

    def step(self) -> None:
        self.steps += 1
        if self.steps == self._first or (self.failed and not self._once):
            raise self._error

    def part(self, folder: Path) -> Part:
        self.step()
        part = _Stepping.create(folder)
        assert isinstance(part, _Stepping)
        part.disk = self
        return part

    def make_folders(self, folder: Path, root: Path) -> None:
        self.step()
        super().make_folders(folder, root)

    def sync_folder(self, folder: Path) -> None:
        self.step()
        super().sync_folder(folder)

    def remove(self, path: Path) -> None:
        self.step()
        super().remove(path)


def make(
    data: Path,
    dest: Path,
    disk: Disk,
    clock: FakeClock,
    *,
    room: Callable[[], object] = lambda: None,
) -> list[Finding]:
    """A backup in this process on a disk of the test's own; its findings."""
    found: list[Finding] = []
    place = Place(dest, disk)
    clock.advance(1)
    with place.claimed(data):
        watch = Watch(found.append, lambda *_: None, room)
        Backup(Home(data), place, disk=disk, clock=clock, watch=watch, again=False).make()
    return found
