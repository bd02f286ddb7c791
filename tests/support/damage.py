"""Damage as disks do it: bytes flipped, files cut short."""

from __future__ import annotations

from pathlib import Path

PAGE = 4096


def garble_head(path: Path) -> None:
    """The file begins with 100 bytes of garbage."""
    with path.open("r+b") as file:
        file.write(bytes(at * 37 % 256 for at in range(100)))


def flip_pages(path: Path, first: int) -> None:
    """Every byte from page `first` on, counted from 1, is turned over."""
    with path.open("r+b") as file:
        file.seek((first - 1) * PAGE)
        rest = file.read()
        file.seek((first - 1) * PAGE)
        file.write(bytes(255 - one for one in rest))


def truncate(path: Path, pages: int) -> None:
    """Only the first pages are left."""
    with path.open("r+b") as file:
        file.truncate(pages * PAGE)
