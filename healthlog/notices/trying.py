"""A notice that is sent to see whether notices arrive."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from healthlog.base.notify import Channel, NotSent
from healthlog.notices.words import trial


class Tried(NamedTuple):
    """What became of a trial on one way: `reason` says why it was not sent, None if it was."""

    name: str
    reason: str | None


def tried(ways: Iterable[Channel]) -> Iterator[Tried]:
    """One trial on each way, sent as the result is asked for."""
    for way in ways:
        try:
            way.send(trial())
        except NotSent as error:
            yield Tried(way.name, str(error))
        else:
            yield Tried(way.name, None)
