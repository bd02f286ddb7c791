"""Whose request it is behind a proxy."""

from __future__ import annotations

from ipaddress import ip_network

import pytest

from healthlog.base.heads import Headers
from healthlog.base.proxies import Proxies, address_of, forwarded_secure

OURS = Proxies([ip_network("127.0.0.1/32"), ip_network("10.0.0.0/8"), ip_network("fd00::/8")])


def said(*values: str) -> Headers:
    return Headers([("X-Forwarded-For", value) for value in values])


@pytest.mark.parametrize(
    ("peer", "values", "client"),
    [
        ("127.0.0.1", ("203.0.113.9",), "203.0.113.9"),
        ("127.0.0.1", ("6.6.6.6, 203.0.113.9",), "203.0.113.9"),
        ("127.0.0.1", ("6.6.6.6", "203.0.113.9"), "203.0.113.9"),
        ("127.0.0.1", ("203.0.113.9, 10.1.2.3",), "203.0.113.9"),
        ("127.0.0.1", ("10.1.2.4, 10.1.2.3",), "10.1.2.4"),
        ("fd00::1", ("2001:db8::7",), "2001:db8::7"),
        ("::ffff:127.0.0.1", ("203.0.113.9",), "203.0.113.9"),
        ("127.0.0.1", (), "127.0.0.1"),
        ("127.0.0.1", ("",), "127.0.0.1"),
        ("127.0.0.1", ("unknown",), "127.0.0.1"),
        ("127.0.0.1", ("203.0.113.9, <script>",), "127.0.0.1"),
        ("203.0.113.1", ("6.6.6.6",), "203.0.113.1"),
        ("", ("6.6.6.6",), ""),
    ],
)
def test_the_client_is_the_nearest_that_is_no_proxy_of_ours(
    peer: str, values: tuple[str, ...], client: str
) -> None:
    assert OURS.client(peer, said(*values)) == client


def test_without_trusted_proxies_nobody_is_believed() -> None:
    assert Proxies().client("127.0.0.1", said("203.0.113.9")) == "127.0.0.1"


def test_a_long_chain_is_not_followed_for_ever() -> None:
    assert (
        OURS.client("127.0.0.1", said(", ".join(["6.6.6.6"] + ["10.0.0.1"] * 2000))) == "10.0.0.1"
    )


@pytest.mark.parametrize(
    ("values", "secure"),
    [(("https",), True), (("HTTPS",), True), (("http, https",), True), (("https, http",), False),
     (("http",), False), ((), False)],
)  # fmt: skip
def test_a_proxy_tells_of_tls(values: tuple[str, ...], secure: bool) -> None:
    headers = Headers([("X-Forwarded-Proto", value) for value in values])
    assert forwarded_secure(headers) is secure


def test_an_address_is_told_from_a_name() -> None:
    assert str(address_of("::ffff:1.2.3.4")) == "1.2.3.4"
    assert str(address_of("fe80::1%eth0")) == "fe80::1"
    assert [address_of(text) for text in ("", "nas", "1.2.3", "1.2.3.4:5")] == [None] * 4
