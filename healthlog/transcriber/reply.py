"""The answer to whoever sent a recording: given after the commit, by nobody's failure.

An answer that doesn't arrive is told in the log and counted; it is never tried again later, and it
changes nothing about the recording.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from healthlog.base.log import Log
from healthlog.base.metrics import Counter
from healthlog.transcriber.rows import TELEGRAM, Recording

INPUT_DOWN, NO_RECIPIENT = "input_down", "no_recipient"
REFUSED, UNREACHABLE = "refused", "unreachable"

# A recording of these sources is answered; of others, whoever sent it comes to look.
_ANSWERED = frozenset((TELEGRAM,))
# A recording from there always has somebody to answer: that it is not named is a sign of damage.
_ERRORS = frozenset((NO_RECIPIENT,))


class Undelivered(Exception):
    """The answer could not be given: `reason` is REFUSED (the other side won't have it) or
    UNREACHABLE (it could not be told so, after a few tries)."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Recipient:
    """Whom to answer, and to which of his messages."""

    chat_id: int
    message_id: int | None
    thread_id: int | None


class Entrance(Protocol):
    """A way by which recordings come, and answers go back."""

    def reply(self, recipient: Recipient, text: str) -> None:
        """Give this answer, of any length, or raise Undelivered. It may take half a minute."""
        ...


class Replies:
    """Answers by the entrance that a recording came through; never raises.

    `entrances` holds those that are up, by the source of their recordings; it may be added to while
    the service starts. `undelivered` counts by `reason`.
    """

    def __init__(
        self, entrances: Mapping[str, Entrance], *, log: Log, undelivered: Counter
    ) -> None:
        self._entrances = entrances
        self._log = log
        self._undelivered = undelivered

    def tell(self, recording: Recording, text: str) -> None:
        """Answer, once the stage or the stop that it speaks of is committed."""
        if recording.source not in _ANSWERED:
            return
        try:
            self._deliver(recording, text)
        except Undelivered as error:
            self._note(recording.recording_id, error.reason)
        except Exception as error:  # noqa: BLE001 - an answer must not fail the step before it
            self._note(recording.recording_id, UNREACHABLE, type(error).__qualname__)

    def _deliver(self, recording: Recording, text: str) -> None:
        if recording.chat_id is None:
            raise Undelivered(NO_RECIPIENT)
        entrance = self._entrances.get(recording.source)
        if entrance is None:
            raise Undelivered(INPUT_DOWN)
        recipient = Recipient(recording.chat_id, recording.message_id, recording.thread_id)
        entrance.reply(recipient, text)

    def _note(self, recording_id: str, reason: str, error: str | None = None) -> None:
        self._undelivered.add(reason=reason)
        told = self._log.error if reason in _ERRORS else self._log.warn
        fields = {} if error is None else {"error": error}
        told("reply undelivered", recording_id=recording_id, reason=reason, **fields)
