"""Deliveries prepared for their fold, as far as that needs nothing but their bodies.

Run as a process (`python -m healthlog.preparing DATA SECONDS`) it is given deliveries on its
standard input and answers with what it made of each. It ends when its input does.
"""

from __future__ import annotations

import pickle
import struct
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from healthlog import planning
from healthlog.archive.store import Archive
from healthlog.base.clock import Clock, SystemClock
from healthlog.hae.memory import Memory
from healthlog.model import Delivery
from healthlog.planning import Overdue, Prepared

_SIZE = struct.Struct(">Q")


class NotAlone(Exception):
    """The layer is that of an earlier delivery, of which nothing is known here."""


class Preparer:
    """Prepares the deliveries of one archive. What takes longer than `timeout_s` is left."""

    def __init__(self, archive: Archive, clock: Clock, timeout_s: float) -> None:
        self._archive = archive
        self._clock = clock
        self._timeout_s = timeout_s
        self._memory = Memory()

    def prepared(self, delivery: Delivery) -> Prepared | None:
        """What the fold of a delivery will write; None where that can't be told here, or can't be
        handed on. Whoever folds it finds out why, and judges it."""
        until = self._clock.monotonic() + self._timeout_s

        def check() -> None:
            if self._clock.monotonic() > until:
                raise Overdue("it takes too long")

        try:
            body = self._archive.opener(delivery)
            heard = planning.hear(delivery, body, check, self._memory)
            planned = planning.plan(heard, _inherited)
        except Exception:  # noqa: BLE001 - to be met again by whoever folds
            return None
        if planned.long or planned.outline:
            return None  # its body has to be read again for the fold
        return Prepared(heard.own_layer, replace(planned, rereader=None))


def _inherited() -> str | None:
    raise NotAlone


def send(stream: IO[bytes], value: object) -> None:
    """Write one value, to be received at the other end. The stream may be buffered or not."""
    packed = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    left = memoryview(_SIZE.pack(len(packed)) + packed)
    while left:
        left = left[stream.write(left) :]
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """The next value. EOFError at the end of the stream, also within a value."""
    (size,) = _SIZE.unpack(_all(stream, _SIZE.size))
    return pickle.loads(_all(stream, size))  # noqa: S301 - sent by this program itself


def _all(stream: IO[bytes], size: int) -> bytes:
    found = bytearray()
    while len(found) < size:
        piece = stream.read(size - len(found))
        if not piece:
            raise EOFError
        found += piece
    return bytes(found)


def answer(preparer: Preparer, asked: IO[bytes], answers: IO[bytes]) -> None:
    """Answer until nobody asks any more."""
    with suppress(EOFError, BrokenPipeError):
        send(answers, None)  # it is ready
        while True:
            delivery: Delivery = receive(asked)
            send(answers, (delivery.delivery_id, preparer.prepared(delivery)))


def main() -> None:
    """Answer on the standard streams."""
    data, timeout_s = sys.argv[1:]
    preparer = Preparer(Archive(Path(data)), SystemClock(), float(timeout_s))
    answer(preparer, sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    main()
