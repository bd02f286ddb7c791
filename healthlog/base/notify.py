"""A notice on its way to its reader: what it says, how it is sent."""

from __future__ import annotations

import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from healthlog.base.errors import Circumstance

TIMEOUT_S = 8.0
"""For each step of sending: connecting, writing, the answer."""

STARTTLS, TLS, PLAIN = "starttls", "tls", "none"
SECURITIES = (STARTTLS, TLS, PLAIN)
"""Ways to a mail server."""


class NotSent(Circumstance):
    """A notice could not be delivered now; the message says why, without address or secret."""


@dataclass(frozen=True, slots=True)
class Notice:
    """One notice: a title in ASCII on one line, some lines of text, whether it asks for a look,
    and the same for programs."""

    title: str
    lines: Sequence[str]
    urgent: bool = True
    members: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def reason(error: Exception) -> str:
    """Why a connection failed, in few words."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate can't be trusted: {error.verify_message}"
    if isinstance(error, ssl.SSLError):
        return f"TLS failed: {(error.reason or type(error).__name__).replace('_', ' ').lower()}"
    if isinstance(error, TimeoutError):
        return "it took too long"
    told = error.strerror if isinstance(error, OSError) else None
    return told or type(error).__name__


class Channel(Protocol):
    """One way to a reader."""

    @property
    def name(self) -> str:
        """The word it is spoken of by."""

    def send(self, notice: Notice) -> None:
        """Deliver it once. NotSent."""
