"""Names of what came in: an instant in UTC with a random tail, sorting by time."""

from __future__ import annotations

import re
from functools import lru_cache

from healthlog.base.clock import parse_us, text_us

_ID = re.compile(r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d\.\d{6})Z-[0-9a-f]{8}", re.ASCII)


def make_id(us: int, tail: str) -> str:
    """`20260802T080142.123456Z-5f3a9c1e` for an instant in microseconds since 1970 UTC, with a
    tail of eight lower-case hexadecimal digits; ValueError if that makes no id."""
    made = f"{text_us(us).replace('-', '').replace(':', '')}-{tail}"
    if parse_id(made) != us:
        raise ValueError("the instant or the tail makes no id")
    return made


def parse_id(text: str) -> int | None:
    """The instant of an id in microseconds since 1970 UTC; None for everything that is no id.

    Names of files are made only of what has passed here, so that no text from outside can lead
    out of the folder they are in.
    """
    match = _ID.fullmatch(text)
    return None if match is None else _instant(*match.groups())


@lru_cache(1_000)
def _instant(*parts: str) -> int | None:
    """The instant of an id by its parts: it is asked for several times while the id is in hand."""
    try:
        us = parse_us("{}-{}-{}T{}:{}:{}Z".format(*parts))
    except ValueError:
        return None
    return us if us >= 0 else None


def folder_of(one: str) -> str:
    """`2026/08/02`, the folder of a valid id below that of all."""
    return f"{one[:4]}/{one[4:6]}/{one[6:8]}"
