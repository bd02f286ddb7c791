"""The proxy that the environment names for https, as other programs take it from there."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies_environment, proxy_bypass

_USUAL_PORT = 8080


@dataclass(frozen=True, slots=True)
class Proxy:
    """An HTTP proxy that is asked for a tunnel; `headers` are for it alone."""

    host: str
    port: int
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


def proxy_for(host: str) -> Proxy | None:
    """What `HTTPS_PROXY` names, None when there is none or `NO_PROXY` leaves the host out.

    ValueError for one that isn't an HTTP proxy.
    """
    named = getproxies_environment().get("https")
    if not named or proxy_bypass(host):
        return None
    parts = urlsplit(named if "://" in named else f"http://{named}")
    if parts.scheme != "http" or not parts.hostname:
        raise ValueError("HTTPS_PROXY must name an HTTP proxy, such as http://proxy:3128")
    return Proxy(
        parts.hostname, parts.port or _USUAL_PORT, _credentials(parts.username, parts.password)
    )


def _credentials(user: str | None, password: str | None) -> dict[str, str]:
    if user is None:
        return {}
    pair = f"{unquote(user)}:{unquote(password or '')}"
    return {"Proxy-Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}
