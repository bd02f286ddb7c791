"""The addresses that this machine has in its networks."""

from __future__ import annotations

import fcntl
import ipaddress
import socket
import struct
from collections.abc import Iterable

_SIOCGIFADDR = 0x8915
"""Linux: the IPv4 address of an interface. Elsewhere the call fails, and only the address towards
the default route is known."""

_OF_VIRTUAL_ONES = ("docker", "br-", "veth", "virbr", "cni", "podman")
"""Interfaces behind which there are containers and virtual machines, but no phone."""

_ELSEWHERE = ("192.0.2.1", 9)
"""An address for documentation: a datagram socket that is connected to it sends nothing, but is
given the address from which it would."""


def here() -> list[str]:
    """IPv4 addresses by which others may reach this machine, the likeliest first."""
    return ordered(_towards_the_default_route(), _of_interfaces())


def ordered(likeliest: str | None, others: Iterable[str]) -> list[str]:
    """Each once, without those that are only for the machine itself or for want of another."""
    found = dict.fromkeys(([] if likeliest is None else [likeliest]) + sorted(others))
    return [one for one in found if _reachable(ipaddress.ip_address(one))]


def _reachable(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    return not (address.is_loopback or address.is_link_local or address.is_unspecified)


def _towards_the_default_route() -> str | None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        try:
            asked.connect(_ELSEWHERE)
        except OSError:
            return None
        return str(asked.getsockname()[0])


def _of_interfaces() -> set[str]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        names = [name for _, name in socket.if_nameindex() if not name.startswith(_OF_VIRTUAL_ONES)]
        found = (_of_interface(asked, name) for name in names)
        return {address for address in found if address is not None}


def _of_interface(asked: socket.socket, name: str) -> str | None:
    """None for one without an IPv4 address."""
    wanted = struct.pack("256s", name.encode())
    try:
        told = fcntl.ioctl(asked.fileno(), _SIOCGIFADDR, wanted)
    except OSError:
        return None
    return socket.inet_ntoa(told[20:24])
