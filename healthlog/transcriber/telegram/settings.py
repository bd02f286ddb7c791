"""The settings of the bot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CLOUD = "https://api.telegram.org"

_CLOUD_BYTES = 20 * 1024 * 1024
_LOCAL_BYTES = 2000 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Telegram:
    """The table `[telegram]`; without a `token` there is no bot.

    `allowed_chats` are the ids of the chats that are served, `api` is the address of the Bot API,
    `files` the folder from which a Bot API server of one's own, run with `--local`, gives out files
    by their paths.
    """

    token: str | None = field(default=None, repr=False)
    allowed_chats: tuple[int, ...] = ()
    api: str = CLOUD
    files: Path | None = None

    @property
    def bot_id(self) -> int:
        """The number of the bot, with which its token begins. ValueError without a token."""
        return int((self.token or "").partition(":")[0])

    @property
    def largest_bytes(self) -> int:
        """The most that the Bot API gives out of a file."""
        return _CLOUD_BYTES if self.files is None else _LOCAL_BYTES


def telegram_of(values: Mapping[str, Any]) -> Telegram | None:
    """The settings out of their values by name, where None is one that isn't set; None without a
    token."""
    given = {name: value for name, value in values.items() if value is not None}
    return Telegram(**given) if "token" in given else None
