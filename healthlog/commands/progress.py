"""Progress of a long command, for a person who watches a terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO


def progress(stream: TextIO, what: str) -> Callable[[int, int], None]:
    """Says `done / all what` on one line that rewrites itself, in steps of a hundredth; nothing
    where nobody watches."""
    if not stream.isatty():
        return lambda done, total: None

    def say(done: int, total: int) -> None:
        if done == total or done % max(total // 100, 1) == 0:
            stream.write(f"\r{done} / {total} {what}" + ("\n" if done == total else ""))
            stream.flush()

    return say
