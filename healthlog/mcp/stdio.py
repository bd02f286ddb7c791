"""Lines from a client, lines back to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import BinaryIO

from healthlog.mcp.messages import PARSE_ERROR, error, line_of

LONGEST = 1024 * 1024
"""Bytes of a line; a question is short."""


def converse(source: BinaryIO, target: BinaryIO, answer: Callable[[bytes], bytes | None]) -> None:
    """Answer line by line until the client closes its end."""
    for line in _lines(source):
        said = _TOO_LONG if line is None else answer(line)
        if said is not None:
            target.write(said)
            target.flush()


_TOO_LONG = line_of(error(None, PARSE_ERROR, f"Parse error: a line is longer than {LONGEST} bytes"))


def _lines(source: BinaryIO) -> Iterator[bytes | None]:
    """Every line that isn't blank; None for one that is too long, which is passed over."""
    while line := source.readline(LONGEST + 1):
        if len(line) > LONGEST:
            while line and not line.endswith(b"\n"):
                line = source.readline(LONGEST)
            yield None
        elif line.strip():
            yield line
