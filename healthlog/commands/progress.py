"""Progress of a long command, for a person who watches a terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO


def progress(stream: TextIO, what: str) -> Callable[[int, int], None]:
    """Says `done / all what` on one line that rewrites itself, in steps of a hundredth; nothing
    where nobody watches."""
    if not stream.isatty():
        return lambda done, total: None

    shown = -1

    def say(done: int, total: int) -> None:
        nonlocal shown
        hundredth = done // max(total // 100, 1)
        if done == total or hundredth != shown:
            shown = hundredth
            stream.write(f"\r{done} / {total} {what}" + ("\n" if done == total else ""))
            stream.flush()

    return say


def progress_of_many(stream: TextIO) -> Callable[[int, int, str], None]:
    """The same of several things, one after the other, each on a line of its own."""
    lines: dict[str, Callable[[int, int], None]] = {}

    def say(done: int, total: int, what: str) -> None:
        if what not in lines:
            lines[what] = progress(stream, what)
        lines[what](done, total)

    return say
