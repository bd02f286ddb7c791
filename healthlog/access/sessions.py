"""Browsers that have logged in, by a cookie that the read token vouches for.

Nothing is kept of a session: its cookie says until when it holds, sealed with the read token. So it
outlives a restart, and a new token ends every session there is.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterator

from healthlog.base.clock import Clock
from healthlog.base.http1 import Headers

COOKIE = "healthlog"
LASTS_S = 90 * 24 * 3600

_SECOND_US = 1_000_000
_EXPIRES_DIGITS = 12


class Sessions:
    """`seal` is a keyed checksum of a text, another one as soon as the read token is another."""

    def __init__(self, seal: Callable[[str], bytes], clock: Clock) -> None:
        self._seal = seal
        self._clock = clock

    def begun(self, *, secure: bool) -> tuple[str, str]:
        """The header that logs a browser in."""
        expires = str(self._clock.now_us() // _SECOND_US + LASTS_S)
        return _set(f"{expires}.{self._seal(expires).hex()}", LASTS_S, secure=secure)

    def ended(self, *, secure: bool) -> tuple[str, str]:
        """The header that makes a browser forget it."""
        return _set("", 0, secure=secure)

    def shown(self, headers: Headers) -> bool:
        """Whether there is a cookie of ours at all."""
        return any(_cookies(headers))

    def valid(self, headers: Headers) -> bool:
        """Whether a cookie of ours holds."""
        # Of several one is ours: another service of this machine may have set one of this name.
        return any(self._holds(value) for value in _cookies(headers))

    def _holds(self, value: str) -> bool:
        expires, _, said = value.partition(".")
        if not (expires.isascii() and expires.isdigit() and len(expires) <= _EXPIRES_DIGITS):
            return False
        sealed = hmac.compare_digest(said.encode(), self._seal(expires).hex().encode())
        return sealed and self._clock.now_us() < int(expires) * _SECOND_US


def _set(value: str, lasts_s: int, *, secure: bool) -> tuple[str, str]:
    end = "; Secure" if secure else ""
    said = f"{COOKIE}={value}; Path=/; Max-Age={lasts_s}; HttpOnly; SameSite=Strict{end}"
    return "Set-Cookie", said


def _cookies(headers: Headers) -> Iterator[str]:
    for field in headers.get_all("Cookie"):
        for pair in field.split(";"):
            name, _, value = pair.strip(" \t").partition("=")
            if name == COOKIE and value:
                yield value
