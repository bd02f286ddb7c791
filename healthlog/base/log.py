"""Log lines: one JSON object each, ASCII only.

A line holds no health data. Errors of foreign modules are written by type alone, because their
texts quote the input (`invalid literal for int(): '…'`); errors of this program, the system and
SQLite itself choose their words and are written in full.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import traceback
from collections.abc import Mapping
from typing import Protocol

from healthlog.base.clock import Clock, text_ms

LEVELS = ("DEBUG", "INFO", "WARN", "ERROR")
_OWN_PACKAGE = __name__.partition(".")[0]
_FRAMES_SHOWN = 30
_CHAIN_SHOWN = 10


class Lines(Protocol):
    """Where lines go."""

    def write(self, text: str, /) -> int: ...

    def flush(self) -> None: ...


class Log:
    """Writes lines to `stream`; usable from all threads; never raises into the caller."""

    def __init__(self, stream: Lines, clock: Clock, level: str = "INFO") -> None:
        if level not in LEVELS:
            raise ValueError(f"no such level: {level}")
        self._stream = stream
        self._clock = clock
        self._least = LEVELS.index(level)
        self._lock = threading.Lock()

    def debug(self, msg: str, /, **fields: object) -> None:
        """For whoever looks for a fault."""
        self._write("DEBUG", msg, fields)

    def info(self, msg: str, /, **fields: object) -> None:
        """What happened as intended."""
        self._write("INFO", msg, fields)

    def warn(self, msg: str, /, **fields: object) -> None:
        """What the owner may want to know."""
        self._write("WARN", msg, fields)

    def error(self, msg: str, /, **fields: object) -> None:
        """What the owner must know."""
        self._write("ERROR", msg, fields)

    def exception(self, msg: str, /, error: BaseException, **fields: object) -> None:
        """ERROR with the fields `error` (one line) and `traceback` (newest error first)."""
        self._write("ERROR", msg, {**fields, "error": _said(error), "traceback": _story(error)})

    def flush(self) -> None:
        """Hand everything to the system."""
        with self._lock:
            try:
                self._stream.flush()
            except (OSError, ValueError):
                return

    def _write(self, level: str, msg: str, fields: dict[str, object]) -> None:
        if LEVELS.index(level) < self._least:
            return
        line = line_of(self._clock, level, msg, fields)
        with self._lock:
            try:
                self._stream.write(line)
                self._stream.flush()
            except (OSError, ValueError):
                # A closed or full pipe must not stop what was being told about.
                return


def line_of(clock: Clock, level: str, msg: str, fields: Mapping[str, object]) -> str:
    """One line as it is written."""
    head: dict[str, object] = {"time": text_ms(clock.now_us()), "level": level, "msg": msg}
    named = {name + "_" if name in head else name: value for name, value in fields.items()}
    try:
        return json.dumps({**head, **named}, default=str, allow_nan=False) + "\n"
    except Exception:  # noqa: BLE001 - whatever a field does, the line must come out
        plain = {name: type(value).__name__ for name, value in named.items()}
        return json.dumps({**head, "unwritable": plain}) + "\n"


def _said(error: BaseException) -> str:
    kind = type(error)
    own = kind.__module__.partition(".")[0] == _OWN_PACKAGE
    of_sqlite = isinstance(error, sqlite3.Error) and hasattr(error, "sqlite_errorcode")
    if own or of_sqlite or isinstance(error, OSError):
        return f"{kind.__qualname__}: {error}"
    return kind.__qualname__


def _story(error: BaseException) -> str:
    told: list[str] = []
    current: BaseException | None = error
    seen: set[int] = set()
    while current is not None and id(current) not in seen and len(told) < _CHAIN_SHOWN:
        seen.add(id(current))
        frames = traceback.format_tb(current.__traceback__, limit=-_FRAMES_SHOWN)
        told.append("".join(frames) + _said(current))
        hidden = current.__suppress_context__
        current = current.__cause__ or (None if hidden else current.__context__)
    return "\ncaused by:\n".join(told)
