"""The address of a server that is asked over HTTP."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

_USUAL_PORTS = {"http": 80, "https": 443}
_MOST_PORTS = 65535
_ADDRESS = re.compile(
    r"https?://(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?"
    r"(?:/[A-Za-z0-9._~%/-]*)?",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where requests go; `prefix` is the path that all of them begin with."""

    secure: bool
    host: str
    port: int
    prefix: str

    @property
    def shown(self) -> str:
        """As the header Host has it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        usual = self.port == _USUAL_PORTS["https" if self.secure else "http"]
        return host if usual else f"{host}:{self.port}"


def place_of(url: str) -> Place:
    """The place of an address such as `https://api.telegram.org`; ValueError with the problem
    ("is not …") for what is none."""
    if _ADDRESS.fullmatch(url) is None:
        raise ValueError("is not an address of http or https with a host, perhaps a port, a path")
    parts = urlsplit(url)
    try:
        port = parts.port or _USUAL_PORTS[parts.scheme]
    except ValueError:
        raise ValueError(f"has a port above {_MOST_PORTS}") from None
    return Place(parts.scheme == "https", parts.hostname or "", port, parts.path.rstrip("/"))
