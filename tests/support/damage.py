"""Damage as disks do it: bytes flipped, files cut short."""

from __future__ import annotations

from pathlib import Path

PAGE = 4096


def garble_head(path: Path) -> None:
    """The file begins with 100 bytes of garbage."""
    with path.open("r+b") as file:
        file.write(bytes(at * 37 % 256 for at in range(100)))


def flip_pages(path: Path, first: int, last: int | None = None) -> None:
    """Every byte from page `first` on, counted from 1, is turned over; up to page `last`."""
    with path.open("r+b") as file:
        file.seek((first - 1) * PAGE)
        rest = file.read() if last is None else file.read((last - first + 1) * PAGE)
        file.seek((first - 1) * PAGE)
        file.write(bytes(255 - one for one in rest))


def truncate(path: Path, pages: int) -> None:
    """Only the first pages are left."""
    with path.open("r+b") as file:
        file.truncate(pages * PAGE)


def flip_byte(path: Path) -> None:
    """The byte in the middle is turned over."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)


def page_with(path: Path, text: bytes) -> tuple[int, int]:
    """The last page that has a text in it, twice: the first and the last of a stretch."""
    page = path.read_bytes().rindex(text) // PAGE + 1
    return page, page
