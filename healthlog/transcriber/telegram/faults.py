"""What can keep a call of the Bot API from its result.

Messages are the program's own words: what the other side wrote may quote what people wrote, and an
address holds the token.
"""

from __future__ import annotations

from healthlog.base.errors import Circumstance

TOKEN, API, FILES = "telegram_token", "telegram_api", "telegram_files"

TOO_BIG, UNAVAILABLE = "too big", "unavailable"
NO_THREAD, OTHER = "no thread", "other"


class Fault(Circumstance):
    """`trouble` is the word for it in the log, `setting` what the owner has to put right, if that
    is what it takes."""

    trouble = "network"
    setting: str | None = None


class Unreached(Fault):
    """The request did not go out: it was certainly not obeyed."""


class Unanswered(Fault):
    """The request went out, and no answer to it came: it may have been obeyed or not."""


class Overloaded(Fault):
    """Too many requests: not before `retry_after_s` (429)."""

    trouble = "limited"

    def __init__(self, retry_after_s: float) -> None:
        super().__init__(f"Telegram asks for a pause of {retry_after_s:g} s")
        self.retry_after_s = retry_after_s


class ServerFault(Fault):
    """The other side's own trouble (5xx)."""

    trouble = "server"

    def __init__(self, status: int) -> None:
        super().__init__(f"the Bot API answered {status}")
        self.status = status


class Conflict(Fault):
    """Somebody else takes this bot's updates (409)."""

    trouble = "conflict"

    def __init__(self) -> None:
        super().__init__(
            "another program takes the updates of this bot: only one may, so stop the other"
            " or give it a bot of its own"
        )


class WebhookSet(Fault):
    """The updates go to a webhook (409)."""

    trouble = "webhook"

    def __init__(self) -> None:
        super().__init__(
            "a webhook is set for this bot, which keeps its updates from being asked for:"
            " remove it with deleteWebhook"
        )


class Denied(Fault):
    """The Bot API doesn't know this token (401, 404, 421)."""

    trouble = "token"
    setting = TOKEN

    def __init__(self) -> None:
        super().__init__(f"{TOKEN}: the Bot API does not accept it")


class NotTheApi(Fault):
    """What answered isn't the Bot API."""

    trouble = "address"
    setting = API

    def __init__(self, status: int) -> None:
        super().__init__(f"{API}: what answers there ({status}) is not the Bot API")


class NoFolder(Fault):
    """A file lies with the Bot API server, which can't be read from here."""

    trouble = "files"
    setting = FILES


class Declined(Fault):
    """The Bot API won't do this (400, 403 and other 4xx): asking again is of no use. `kind` is one
    of the words above."""

    trouble = "declined"

    def __init__(self, status: int, kind: str = OTHER) -> None:
        super().__init__(f"the Bot API declined ({status}, {kind})")
        self.kind = kind


class Moved(Declined):
    """The group has become a supergroup with the id `to`."""

    def __init__(self, to: int) -> None:
        super().__init__(400, "moved")
        self.to = to
