"""Where the phone is to send to."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence

from healthlog.base.errors import Refusal
from healthlog.config import Settings
from healthlog.setting_places import Address

INGEST_PATH = "/ingest"

_WHAT_TO_DO = (
    "give `pair` the listen that `serve` has, such as 0.0.0.0:8787 for every device in the network,"
    " or set public_url to the address by which the phone finds it"
)


class Unreachable(Refusal):
    """No phone can reach the service; the message names the setting to be changed."""


def urls(
    listen: Address,
    public_url: str | None,
    here: Sequence[str],
    certified: Sequence[str] | None = None,
) -> list[str]:
    """Addresses that take deliveries, the likeliest first. `here` are those of this machine, for a
    service that listens on all of them; `certified` is None for a service that speaks HTTP, else
    the names it is known by: its certificate is made for one of them. Unreachable when there is no
    address."""
    if public_url is not None:
        return [public_url + INGEST_PATH]
    if listen.port == 0:
        raise Unreachable(f"listen {listen} takes another port at each start: {_WHAT_TO_DO}")
    if _only_for_itself(listen.host):
        raise Unreachable(f"listen {listen} is for this machine alone, no phone: {_WHAT_TO_DO}")
    hosts = here if _every_address(listen.host) else [listen.host]
    if not hosts:
        raise Unreachable(f"listen {listen} is on no network that a phone is in: {_WHAT_TO_DO}")
    scheme = "http" if certified is None else "https"
    known = dict.fromkeys((*(certified or ()), *hosts))
    return [f"{scheme}://{Address(host, listen.port)}{INGEST_PATH}" for host in known]


def of_settings(settings: Settings, here: Sequence[str]) -> list[str]:
    """The same of a service with these settings."""
    certified = None if settings.tls_cert is None else settings.hosts or ()
    return urls(settings.listen, settings.public_url, here, certified)


def in_the_clear(url: str) -> bool:
    """Whether everybody on the way can read token with numbers."""
    return not url.startswith("https:")


def _only_for_itself(host: str) -> bool:
    address = _address(host)
    if address is None:
        return host.lower() == "localhost"
    return address.is_loopback


def _every_address(host: str) -> bool:
    address = _address(host)
    return address is not None and address.is_unspecified


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
