"""How a step or a recogniser can fail, by what is to be done about it.

What these say is written into rows, events, logs: a message holds words of the program, numbers,
names of settings, never what was spoken, who sent it, or what a foreign program printed.
"""

from __future__ import annotations

from healthlog.base.errors import Circumstance, Refusal


class Retry(Circumstance):
    """It didn't work this time. `retry_after_s` is the least pause that the other side asked for,
    `spent` how many tries it has cost already where that is counted elsewhere.

    Raised by `submit` it says that certainly no operation was begun.
    """

    def __init__(self, message: str, *, retry_after_s: float = 0.0) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s
        self.spent = 0


class Verdict(Refusal):
    """This recording will never do: it is stopped at once."""


class Configuration(Circumstance):
    """The owner's fault, not the recording's; `setting` names what has to be put right, such as
    `recordings_openai_key` or `ffmpeg`."""

    def __init__(self, setting: str, message: str) -> None:
        super().__init__(f"{setting}: {message}")
        self.setting = setting


class Ambiguous(Circumstance):
    """Whether an operation was begun can't be told, such as when the connection broke after the
    request was out."""


class Ended(Circumstance):
    """The operation is over without a transcript, or nobody knows it any more: polling it again is
    of no use, but another one might do.

    `cause` says what happened. `charged`: it may have cost money. `cut`: our own stop ended it.
    """

    def __init__(
        self, cause: Retry | Configuration, *, charged: bool = False, cut: bool = False
    ) -> None:
        super().__init__(str(cause))
        self.cause = cause
        self.charged = charged
        self.cut = cut


class Cancelled(Circumstance):
    """The service's own stop ended the step, and nothing else did."""


class LostClaim(Circumstance):
    """Somebody else holds the recording, or nobody: nothing may be written for it here."""
