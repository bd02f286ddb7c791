"""Kinds of settings that name places on a network."""

from __future__ import annotations

import ipaddress
import re
from typing import NamedTuple

from healthlog.setting_kinds import Kind, parts, within

_ADDRESS = re.compile(r"(?:\[(?P<v6>[^\]]+)\]|(?P<host>[A-Za-z0-9._-]{1,253})):(?P<port>\d{1,5})")
_NAME = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?", re.ASCII)
_WEB = re.compile(
    r"(?P<scheme>https?)://(?P<place>(?:\[(?P<v6>[^\]]+)\]|[A-Za-z0-9._-]{1,253})(?::(?P<port>\d{1,5}))?)"
    r"(?P<path>(?:/[A-Za-z0-9._~-]+)*)/?",
    re.ASCII | re.IGNORECASE,
)
_WEB_MAX_CHARACTERS = 200
_ADDED = "/ingest"

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class Address(NamedTuple):
    """Where to listen; an IPv6 host stands without brackets."""

    host: str
    port: int

    def __str__(self) -> str:
        """As it is written in a setting."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


def address() -> Kind:
    """Host plus port, as an Address."""
    allowed = "host:port with a port from 0 to 65535, such as 127.0.0.1:8787 or [::1]:8787"
    return Kind("HOST:PORT", allowed, _address)


def web_address() -> Kind:
    """Where a service is found by others, as a str without a slash at its end. None is shown as
    the empty text."""
    allowed = (
        "http:// or https:// with a host, a port and a path if there are any, at most"
        f" {_WEB_MAX_CHARACTERS} characters, such as https://health.example.org"
    )
    return Kind("URL", allowed, _web_address, show=lambda url: url or "")


def names() -> Kind:
    """Names of hosts, as a tuple in lower case."""
    return Kind(
        metavar="NAMES",
        allowed="names of hosts without port, with commas between, such as health.example.org,nas",
        read=_names,
        show=",".join,
        joined=",".join,
    )


def networks() -> Kind:
    """Addresses or networks, as a tuple of networks."""
    return Kind(
        metavar="NETWORKS",
        allowed="IP addresses or networks with commas between, such as 127.0.0.1,172.16.0.0/12",
        read=_networks,
        show=lambda found: ",".join(map(str, found)),
        joined=",".join,
    )


def _names(given: str) -> tuple[str, ...]:
    found = tuple(name.lower() for name in parts(given))
    if not all(_NAME.fullmatch(name) for name in found):
        raise ValueError("has something that is no host's name")
    return found


def _networks(given: str) -> tuple[Network, ...]:
    try:
        return tuple(ipaddress.ip_network(part) for part in parts(given))
    except ValueError:
        raise ValueError("has something that is no address or network") from None


def _address(given: str) -> Address:
    match = _ADDRESS.fullmatch(given)
    if match is None:
        raise ValueError("is not host:port")
    if match["v6"] is not None:
        _v6(match["v6"])
    port = within(int(match["port"]), 0, 65535)
    return Address(match["v6"] or match["host"], port)


def _v6(given: str) -> None:
    try:
        ipaddress.IPv6Address(given)
    except ValueError:
        raise ValueError("has no IPv6 address in its brackets") from None


def _web_address(given: str) -> str:
    match = _WEB.fullmatch(given)
    if match is None:
        raise ValueError("is not the address of a service")
    if len(given) > _WEB_MAX_CHARACTERS:
        raise ValueError("is too long")
    if match["v6"] is not None:
        _v6(match["v6"])
    if match["port"] is not None:
        within(int(match["port"]), 1, 65535)
    if match["path"].lower().endswith(_ADDED):
        raise ValueError(f"ends in {_ADDED}, which is added to it")
    return f"{match['scheme'].lower()}://{match['place']}{match['path']}"
