"""Names of the deliveries: an instant in UTC with a random tail, sorting by time."""

from __future__ import annotations

import re

from healthlog.base.clock import parse_us, text_us

_ID = re.compile(r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d\.\d{6})Z-[0-9a-f]{8}", re.ASCII)


def make_id(us: int, tail: str) -> str:
    """`20260802T080142.123456Z-5f3a9c1e` for an instant in microseconds since 1970 UTC, with a
    tail of eight lower-case hexadecimal digits; ValueError if that makes no id."""
    delivery_id = f"{text_us(us).replace('-', '').replace(':', '')}-{tail}"
    if parse_id(delivery_id) != us:
        raise ValueError("the instant or the tail makes no id")
    return delivery_id


def parse_id(text: str) -> int | None:
    """The instant of an id in microseconds since 1970 UTC; None for everything that is no id.

    Names of files are made only of what has passed here, so that no text from outside can lead
    out of the archive.
    """
    match = _ID.fullmatch(text)
    if match is None:
        return None
    try:
        us = parse_us("{}-{}-{}T{}:{}:{}Z".format(*match.groups()))
    except ValueError:
        return None
    return us if us >= 0 else None


def folder_of(delivery_id: str) -> str:
    """`2026/08/02`, the folder of a valid id relative to the archive."""
    return f"{delivery_id[:4]}/{delivery_id[4:6]}/{delivery_id[6:8]}"
