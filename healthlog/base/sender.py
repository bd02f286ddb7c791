"""Answers written to one wire, each within its deadline."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from healthlog.base.answers import Response
from healthlog.base.clock import Clock
from healthlog.base.framing import LAST_CHUNK, Framing, chunk, framing_of, head_of, slices
from healthlog.base.log import Log
from healthlog.base.web import answer_to
from healthlog.base.wire import Deadlines, NotTaken, Wire

_JOINED_MAX_BYTES = 65536


class WrongLength(Exception):
    """A body that is not as long as its handler said."""


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of an answer; `reason` is "" when it went as its handler meant it."""

    status: int
    reason: str
    taken: bool  # by the client's side, whole
    keep: bool  # the connection is fit for another request


class Sender:
    """Writes answers. A streamed one gets `write_timeout_s` anew for every 64 KiB taken."""

    def __init__(
        self,
        wire: Wire,
        deadlines: Deadlines,
        *,
        write_timeout_s: float,
        log: Log,
        clock: Clock,
    ) -> None:
        self._wire = wire
        self._deadlines = deadlines
        self._write_timeout_s = write_timeout_s
        self._log = log
        self._clock = clock
        self._begun = False

    def send(self, response: Response, *, minor: int, head_only: bool, keep: bool) -> Sent:
        """Never raises. `keep`: nothing else speaks against another request."""
        self._begun = False
        try:
            return self._sent(response, minor, head_only, keep)
        except NotTaken as error:
            self._wire.abort()
            return Sent(response.status, str(error), taken=False, keep=False)
        except Exception as error:  # noqa: BLE001 - a streaming handler may raise anything
            if self._begun or isinstance(response.body, bytes):
                return self._broken(response, error)
            return self._instead(error, minor, head_only)
        finally:
            _close(response.body)

    def _sent(self, response: Response, minor: int, head_only: bool, keep: bool) -> Sent:
        framing = framing_of(response, minor)
        keep = keep and not framing.ends_by_close
        connection = ("" if minor > 0 else "keep-alive") if keep else "close"
        now_us = self._clock.now_us()
        head = head_of(response, framing, connection=connection, now_us=now_us)
        if head_only or framing.bodiless:
            self._out(head)
        elif isinstance(response.body, bytes):
            self._whole(head, response.body)
        else:
            self._stream(head, response.body, framing)
        return Sent(response.status, "", taken=True, keep=keep)

    def _whole(self, head: bytes, body: bytes) -> None:
        if len(body) <= _JOINED_MAX_BYTES:
            self._out(head + body)
        else:
            self._out(head)
            self._out(body)

    def _stream(self, head: bytes, pieces: Iterable[bytes], framing: Framing) -> None:
        """The head leaves with the first slice: until then an error can still be answered."""
        lead = head
        total = 0
        for piece in slices(pieces):
            total += len(piece)
            if framing.length is not None and total > framing.length:
                raise WrongLength("the body is longer than its handler said")
            self._grant()
            self._out(lead + (chunk(piece) if framing.chunked else piece))
            lead = b""
        if framing.length is not None and total < framing.length:
            raise WrongLength("the body is shorter than its handler said")
        tail = lead + (LAST_CHUNK if framing.chunked else b"")
        if tail:
            self._grant()
            self._out(tail)

    def _grant(self) -> None:
        self._deadlines.set(write_at=self._clock.monotonic() + self._write_timeout_s)

    def _out(self, data: bytes) -> None:
        self._begun = True
        self._wire.send(data)

    def _broken(self, response: Response, error: Exception) -> Sent:
        """Too late to say so in the answer: the client must see a break, not an end."""
        self._log.exception("answer broke off", error, status=response.status)
        self._wire.abort()
        return Sent(response.status, "the answer broke off", taken=False, keep=False)

    def _instead(self, error: Exception, minor: int, head_only: bool) -> Sent:
        answer = answer_to(error)
        if answer.failure is not None:
            self._log.exception("request failed", answer.failure)
        sent = self.send(answer.response, minor=minor, head_only=head_only, keep=False)
        return replace(sent, reason=sent.reason or answer.response.reason)


def _close(body: bytes | Iterable[bytes]) -> None:
    """A generator left before its end holds on to its file or its read transaction."""
    close = getattr(body, "close", None)
    if close is not None:
        close()
