"""What a recogniser has to be: something that takes audio, gives an operation's id, can be asked.

Every recogniser goes this way, also one that answers at once (it goes through `spool`), so that a
crash at any point is followed by a question for the old operation and not by another one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from healthlog.transcriber.cancel import Cancel
from healthlog.transcriber.transcript import Transcript

Parameters = Mapping[str, str]
"""What an attempt is made with (model, language, …): frozen in its row, never a secret."""


@dataclass(frozen=True, slots=True)
class Job:
    """Audio to be recognised: `audio` is a WAV file, 16 kHz, mono, 16 bits. `key` is the same for
    the same attempt, however often it is begun, and fit for a file name."""

    key: str
    audio: Path
    duration_ms: int
    parameters: Parameters


@dataclass(frozen=True, slots=True)
class NotYet:
    """The operation is still under way. `delay_s` until it is worth asking again, None: as set."""

    delay_s: float | None = None


class Provider(Protocol):
    """A recogniser. Its methods may be called from several threads.

    All of them raise the errors of `failures`, worded as stands there; anything else counts as a
    mistake in the program, as a `Retry` from `poll` and as `Ambiguous` from `submit`.
    """

    @property
    def name(self) -> str:
        """As in the setting `recordings_provider`."""
        ...

    @property
    def paid(self) -> bool:
        """Whether an operation costs money, so that none may be begun twice unnoticed."""
        ...

    @property
    def timeout_s(self) -> float:
        """The longest that one `submit` may take: it keeps this itself."""
        ...

    @property
    def ask_timeout_s(self) -> float:
        """The longest that one `poll` or `forget` may take: it keeps this itself."""
        ...

    @property
    def bounded_by(self) -> str:
        """The setting from which that follows, "" when it is fixed."""
        ...

    def parameters(self) -> Parameters:
        """What the next attempt is to be made with."""
        ...

    def missing(self) -> tuple[str, ...]:
        """What has to be there and isn't, a sentence each (a program, a setting). Asks no net."""
        ...

    def submit(self, job: Job, cancel: Cancel) -> str:
        """Begin an operation: its id, for `poll`.

        Retry: certainly none was begun. Ambiguous: that can't be told. Verdict. Configuration.
        Cancelled: `cancel` cut the call (`cancel.ending(…, patient=True)` if it is paid).
        """
        ...

    def find(self, key: str) -> str | None:
        """The operation that was begun under this key, None when there certainly is none.
        Ambiguous when this recogniser can't tell."""
        ...

    def poll(self, operation: str, parameters: Parameters, cancel: Cancel) -> NotYet | Transcript:
        """How an operation stands.

        Retry: the question failed, the operation may be well. Ended: it is over without a
        transcript. Verdict: it is over because of the audio. Configuration. Cancelled.
        """
        ...

    def forget(self, operation: str) -> None:
        """The transcript is safe: remove what the recogniser keeps of it. Its errors are counted
        by nobody; a second time does nothing."""
        ...

    def stop(self, budget_s: float) -> None:
        """The service stops: end what would outlive it, in so many seconds. Called once, when no
        other method is running."""
        ...
