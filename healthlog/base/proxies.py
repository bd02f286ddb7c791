"""Whose request it is, when a proxy of the owner's stands before the service."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence

from healthlog.base.heads import Headers

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_HOPS_MAX = 32


def address_of(text: str) -> IPAddress | None:
    """The address that a text names, an IPv4 one inside an IPv6 one as itself; else None."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


class Proxies:
    """Believes what `trusted` ones say of the client; everybody else may say what they like."""

    def __init__(self, trusted: Sequence[Network] = ()) -> None:
        self._trusted = tuple(trusted)

    def client(self, peer: str, headers: Headers) -> str:
        """The address nearest to us that is no trusted proxy, as X-Forwarded-For tells it."""
        client = peer
        hops = ",".join(headers.get_all("X-Forwarded-For")).split(",")
        # From the right: each trusted one added the address that it saw itself.
        for hop in reversed(hops[-_HOPS_MAX:]):
            if not self._trusts(client):
                break
            address = address_of(hop.strip(" \t"))
            if address is None:
                break
            client = str(address)
        return client

    def _trusts(self, text: str) -> bool:
        address = address_of(text)
        return address is not None and any(
            address in network for network in self._trusted if network.version == address.version
        )


def forwarded_secure(headers: Headers) -> bool:
    """Whether a proxy says that the browser spoke TLS with it.

    Anybody may say so: it makes cookies and checks stricter for whoever says it, never laxer.
    """
    said = (headers.get("X-Forwarded-Proto") or "").rpartition(",")[2]
    return said.strip(" \t").lower() == "https"
