"""Small file systems of their own, and folders in which nothing can be made."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(folder: Path, options: str = "size=8m") -> Iterator[Path]:
    """A file system in memory, mounted at `folder`, which is made."""
    folder.mkdir()
    _mount("-t", "tmpfs", "-o", options, "none", str(folder))
    try:
        yield folder
    finally:
        _run("umount", "--lazy", str(folder))


@contextmanager
def bound(folder: Path, elsewhere: Path) -> Iterator[Path]:
    """A folder under another name, by a bind mount."""
    elsewhere.mkdir()
    _mount("--bind", str(folder), str(elsewhere))
    try:
        yield elsewhere
    finally:
        _run("umount", "--lazy", str(elsewhere))


@contextmanager
def read_only(disk: Path) -> Iterator[None]:
    """A mounted file system that nobody has a file open for writing in takes no writes."""
    _mount("-o", "remount,ro", str(disk))
    try:
        yield
    finally:
        _mount("-o", "remount,rw", str(disk))


@contextmanager
def sealed_folder(folder: Path) -> Iterator[None]:
    """Nothing can be made or removed in a folder inside the block, not by root either."""
    if os.geteuid() == 0:
        _or_skip("chattr", "+i", str(folder))
        try:
            yield
        finally:
            _run("chattr", "-i", str(folder))
    else:
        folder.chmod(0o500)
        try:
            yield
        finally:
            folder.chmod(0o700)


class Ballast:
    """What fills a disk."""

    def __init__(self, disk: Path) -> None:
        self._path = disk / "ballast"

    def fill(self, left: int = 0) -> None:
        """Leave `left` bytes."""
        figures = os.statvfs(self._path.parent)
        size = figures.f_bavail * figures.f_frsize - left
        with self._path.open("ab") as file:
            os.posix_fallocate(file.fileno(), file.tell(), size)

    def drop(self) -> None:
        self._path.unlink()


def _mount(*arguments: str) -> None:
    _or_skip("mount", *arguments)


def _or_skip(*command: str) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    ran = _run(*command)
    if ran.returncode != 0:
        pytest.skip(f"{command[0]} is refused here: {ran.stderr.strip()}")


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)
