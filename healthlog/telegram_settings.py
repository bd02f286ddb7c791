"""The settings of the Telegram bot: the table `[telegram]`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from healthlog.base.http_place import place_of
from healthlog.setting import Setting
from healthlog.setting_kinds import Kind, folder

TABLE = "telegram"

_TOKEN = re.compile(r"[1-9][0-9]{0,15}:[A-Za-z0-9_-]{10,64}", re.ASCII)
_CHAT = re.compile(r"-?[1-9][0-9]{0,15}", re.ASCII)
_MOST_CHATS = 100
_COMMA = ","


def _row(name: str, kind: Kind, default: str, told: str, *, secret: bool = False) -> Setting:
    return Setting(f"{TABLE}_{name}", kind, default, told, secret=secret, table=TABLE)


def bot_token() -> Kind:
    """The secret of a bot, as a str."""

    def read(given: str) -> str:
        if _TOKEN.fullmatch(given) is None:
            raise ValueError("is no token of a bot")
        return given

    return Kind(
        "TOKEN", "what BotFather gives, such as 123456789:AAF-abc_defghijklmnopqrstuvw", read
    )


def chats() -> Kind:
    """Numbers of chats, as a tuple of ints."""
    return Kind(
        metavar="CHATS",
        allowed=f"up to {_MOST_CHATS} numbers of chats with commas between, such as 4711,-1004711",
        read=_chats,
        show=lambda numbers: _COMMA.join(map(str, numbers)),
        numeric=True,
        joined=_COMMA.join,
    )


def _chats(given: str) -> tuple[int, ...]:
    numbers = [one.strip() for one in given.split(_COMMA)] if given.strip() else []
    if not all(_CHAT.fullmatch(one) for one in numbers):
        raise ValueError("holds what is no number of a chat")
    if len(numbers) > _MOST_CHATS:
        raise ValueError("has too many numbers")
    return tuple(int(one) for one in numbers)


def web_address() -> Kind:
    """The address of a server, as a str."""

    def read(given: str) -> str:
        place_of(given)
        return given

    return Kind("URL", "an address of http or https, such as http://127.0.0.1:8081", read)


TELEGRAM: tuple[Setting, ...] = (
    _row("token", bot_token(), "", "token of the bot; without it there is none", secret=True),
    _row("allowed_chats", chats(), "", "numbers of the chats that the bot serves"),
    _row("api", web_address(), "https://api.telegram.org", "where the Bot API is"),
    _row("files", folder(), "", "where a Bot API server run with --local keeps files"),
)


@dataclass(frozen=True, slots=True)
class TelegramSettings:
    """The values in force, None what isn't set."""

    token: str | None = field(repr=False)
    allowed_chats: tuple[int, ...] | None
    api: str
    files: Path | None


def telegram_of(values: Mapping[str, object]) -> TelegramSettings:
    """The values out of those of all settings."""
    arguments: dict[str, Any] = {one.short: values[one.name] for one in TELEGRAM}
    return TelegramSettings(**arguments)


def values_of(given: TelegramSettings) -> dict[str, object]:
    """The values by the names of the settings."""
    return {f"{TABLE}_{one.name}": getattr(given, one.name) for one in fields(given)}
