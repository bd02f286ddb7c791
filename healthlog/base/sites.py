"""Which site a browser takes us for, which one its request comes from.

A page of any site may make a browser ask us (CSRF), and may have its own name point at us (DNS
rebinding). Neither can be done to a program that shows a token in a header.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from healthlog.base.heads import Headers
from healthlog.base.proxies import address_of

_AUTHORITY = re.compile(r"(?:\[(?P<v6>[0-9A-Fa-f:.]+)\]|(?P<name>[^:\[\]]+))(?::(?P<port>\d*))?")
_DEFAULT_PORTS = {"http": "80", "https": "443"}


class Sites:
    """The names by which this service may be asked for: addresses, localhost, and `names`."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._names = {_plain(name) for name in names}

    def knows(self, host: str | None) -> bool:
        """Whether the header Host names this service, whatever the port."""
        found = _AUTHORITY.fullmatch(host or "")
        if found is None:
            return False
        if found["v6"] is not None:
            return address_of(found["v6"]) is not None
        name = _plain(found["name"])
        if name == "localhost" or name.endswith(".localhost"):  # RFC 6761 §6.3
            return True
        return name in self._names or address_of(name) is not None


def from_own_page(headers: Headers, *, secure: bool) -> bool:
    """Whether a browser says that one of our own pages made the request; silence is no."""
    site = headers.get("Sec-Fetch-Site")
    if site is not None and site != "same-origin":
        return False
    origin = headers.get("Origin")
    if origin is None:
        return site is not None
    scheme, _, authority = origin.partition("://")
    if scheme not in _DEFAULT_PORTS or (secure and scheme != "https"):
        return False
    host = headers.get("Host") or ""
    return bool(authority) and _place(authority, scheme) == _place(host, scheme)


def _place(authority: str, scheme: str) -> tuple[str, str]:
    """Name, port; of what is no authority nothing that equals another's."""
    found = _AUTHORITY.fullmatch(authority)
    if found is None:
        return authority, "?"
    return _plain(found["v6"] or found["name"]), found["port"] or _DEFAULT_PORTS[scheme]


def _plain(name: str) -> str:
    return name.lower().removesuffix(".")
