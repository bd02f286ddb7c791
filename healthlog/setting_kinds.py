"""The kinds of values a setting can have, each with its reader, its limits, its words."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

N = TypeVar("N", int, float)

_SIZE = re.compile(r"(\d{1,15}) ?(B|KiB|MiB|GiB)?", re.ASCII | re.IGNORECASE)
_SPAN = re.compile(r"(\d{1,9}(?:\.\d{1,6})?) ?(ms|s|m|h)?", re.ASCII)
_COUNT = re.compile(r"\d{1,9}", re.ASCII)
_TOKEN = re.compile(r"[A-Za-z0-9._~+/=-]{16,256}", re.ASCII)
_BYTES = {"": 1, "b": 1, "kib": 1024, "mib": 1024**2, "gib": 1024**3}
_SECONDS = {None: 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}
_PATH_MAX_BYTES = 4095
_COMMA = ","


@dataclass(frozen=True, slots=True)
class Kind:
    """`read` makes a value of text, or raises ValueError with the problem ("is too large").

    `show` is its reverse, `allowed` completes "allowed is …", `numeric` kinds take numbers too,
    those that take a list (of texts, or of numbers too) have `joined`, which makes one text of it,
    `switched` ones take true and false.
    """

    metavar: str
    allowed: str
    read: Callable[[str], object]
    show: Callable[[Any], str] = str
    numeric: bool = False
    joined: Callable[[list[str]], str] | None = None
    switched: bool = False


def text(
    value: object,
    *,
    numbers: bool,
    joined: Callable[[list[str]], str] | None = None,
    switches: bool = False,
) -> str:
    """A value of a TOML file, or a string, as text; ValueError when it is of another type."""
    if isinstance(value, str):
        return value
    if switches and isinstance(value, bool):
        return _switch_shown(value)
    if joined and isinstance(value, list) and all(_listed(one, numbers) for one in value):
        return joined([str(one) for one in value])
    if numbers and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise ValueError(
        "is not text"
        + (" or a number" if numbers else "")
        + (" or a list of texts" if joined else "")
        + (" or true or false" if switches else "")
    )


def _listed(one: object, numbers: bool) -> bool:
    return isinstance(one, str) or (numbers and isinstance(one, int) and not isinstance(one, bool))


def size(least: str, most: str) -> Kind:
    """Bytes, as an int."""
    low, high = _bytes(least), _bytes(most)
    return Kind(
        metavar="SIZE",
        allowed=f"a size from {least} to {most}, such as 64MiB or 67108864",
        read=lambda given: within(_bytes(given), low, high),
        show=_size_shown,
        numeric=True,
    )


def span(least: str, most: str) -> Kind:
    """Seconds, as a float."""
    low, high = _seconds(least), _seconds(most)
    return Kind(
        metavar="TIME",
        allowed=f"a time from {least} to {most}, such as 300, 300s or 5m",
        read=lambda given: within(_seconds(given), low, high),
        show=lambda seconds: f"{seconds:.15g}s",
        numeric=True,
    )


def count(least: int, most: int) -> Kind:
    """A number of things, as an int."""
    return Kind(
        metavar="N",
        allowed=f"a whole number from {least} to {most}",
        read=lambda given: within(_count(given), least, most),
        numeric=True,
    )


def choice(*words: str) -> Kind:
    """One of `words`, in any case of letters."""
    by_folded = {word.casefold(): word for word in words}

    def read(given: str) -> str:
        if given.casefold() not in by_folded:
            raise ValueError("is not one of the words")
        return by_folded[given.casefold()]

    return Kind("WORD", " or ".join(words), read)


def switch() -> Kind:
    """True or false, as a bool."""
    one = choice("true", "false")
    return Kind(
        metavar="WORD",
        allowed=one.allowed,
        read=lambda given: one.read(given) == "true",
        show=_switch_shown,
        switched=True,
    )


def words(most: int) -> Kind:
    """Some words in their order, as a tuple; no two that differ by the case of letters alone."""
    return Kind(
        metavar="WORDS",
        allowed=f"1 to {most} different words with commas between, such as Watch,*,iPhone",
        read=lambda given: _words(given, most),
        show=_COMMA.join,
        joined=_COMMA.join,
    )


def folder() -> Kind:
    """A folder, as a Path; `~` is the home folder."""
    return Kind("DIR", f"the path of a folder, at most {_PATH_MAX_BYTES} bytes long", _folder)


def token() -> Kind:
    """A secret, as a str."""
    return Kind("TOKEN", "16 to 256 letters, digits or -._~+/=", _token)


def file() -> Kind:
    """A file, as a Path; `~` is the home folder."""
    return Kind("FILE", f"the path of a file, at most {_PATH_MAX_BYTES} bytes long", _folder)


def zone() -> Kind:
    """A time zone, as a tzinfo."""
    return Kind("ZONE", "a time zone known here, such as Europe/Berlin or UTC", known_zone)


def within(value: N, least: N, most: N) -> N:
    if value < least:
        raise ValueError("is too small")
    if value > most:
        raise ValueError("is too large")
    return value


def _bytes(given: str) -> int:
    match = _SIZE.fullmatch(given)
    if match is None:
        raise ValueError("is not a size")
    return int(match[1]) * _BYTES[(match[2] or "").lower()]


def _size_shown(value: int) -> str:
    for unit in ("GiB", "MiB", "KiB"):
        if value % _BYTES[unit.lower()] == 0:
            return f"{value // _BYTES[unit.lower()]}{unit}"
    return str(value)


def _seconds(given: str) -> float:
    match = _SPAN.fullmatch(given)
    if match is None:
        raise ValueError("is not a time")
    # Divided and not multiplied, so that 300ms is the float 0.3.
    return float(match[1]) / 1000 if match[2] == "ms" else float(match[1]) * _SECONDS[match[2]]


def _count(given: str) -> int:
    if _COUNT.fullmatch(given) is None:
        raise ValueError("is not a whole number")
    return int(given)


def _words(given: str, most: int) -> tuple[str, ...]:
    found = tuple(" ".join(word.split()) for word in given.split(_COMMA))
    if not all(found):
        raise ValueError("has an empty word")
    if len({word.casefold() for word in found}) < len(found):
        raise ValueError("has a word twice")
    if len(found) > most:
        raise ValueError("has too many words")
    return found


def parts(given: str) -> list[str]:
    return [part.strip() for part in given.split(_COMMA)]


def _folder(given: str) -> Path:
    if not given or "\0" in given:
        raise ValueError("is not a path")
    try:
        path = Path(given).expanduser()
    except RuntimeError:
        raise ValueError("names a home folder that isn't known") from None
    if len(os.fsencode(path)) > _PATH_MAX_BYTES:
        raise ValueError("is too long")
    return path


def _token(given: str) -> str:
    if _TOKEN.fullmatch(given) is None:
        raise ValueError("is no usable token")
    return given


def known_zone(given: str) -> tzinfo:
    """The time zone of this name; ValueError if none is known here."""
    if given.upper() == "UTC":
        # Known without a time zone database, which small images lack.
        return UTC
    try:
        return ZoneInfo(given)
    except (KeyError, ValueError, OSError):
        raise ValueError("is not a time zone known here") from None


def _switch_shown(value: bool) -> str:
    return "true" if value else "false"
