"""The kinds of values that the settings of notices can have."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from healthlog.setting_kinds import Kind

_MAILBOX = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9.-]{1,253}", re.ASCII)
_LINE_MAX = 500
_COMMA = ","


def line() -> Kind:
    """A text on one line, as a str."""
    return Kind("TEXT", "1 to 500 printable characters on one line", _line)


def web_address() -> Kind:
    """An address of a page, as a str."""
    allowed = "an address such as https://example.org/path, without a name or password in it"
    return Kind("URL", allowed, _web_address)


def mailboxes(most: int) -> Kind:
    """Some addresses for mail, as a tuple."""
    several = f"1 to {most} addresses for mail with commas between" if most > 1 else "an address"
    return Kind(
        metavar="MAIL",
        allowed=f"{several}, such as me@example.org",
        read=lambda given: _mailboxes(given, most),
        show=_COMMA.join,
        joined=",".join,
    )


def _line(given: str) -> str:
    if not given.isprintable() or not 1 <= len(given) <= _LINE_MAX:
        raise ValueError("is no such text")
    return given


def _web_address(given: str) -> str:
    parts = urlsplit(_line(given))
    if parts.scheme not in ("http", "https") or not parts.hostname or not given.isascii():
        raise ValueError("is no address of http or https")
    if parts.username is not None or " " in given:
        raise ValueError("has more in it than an address")
    try:
        _ = parts.port
    except ValueError:
        raise ValueError("has a port that can't be") from None
    return given


def _mailboxes(given: str, most: int) -> tuple[str, ...]:
    found = tuple(one.strip() for one in given.split(_COMMA))
    if not all(_MAILBOX.fullmatch(one) for one in found):
        raise ValueError("has what is no address for mail")
    if len(found) > most:
        raise ValueError("has too many addresses")
    return found
