"""Which site a browser takes us for."""

from __future__ import annotations

import pytest

from healthlog.base.heads import Headers
from healthlog.base.sites import Sites, from_own_page

SITES = Sites(["health.example.org", "NAS"])


@pytest.mark.scenario("security", "A name that is not ours is refused to browsers")
@pytest.mark.parametrize(
    ("host", "known"),
    [
        ("127.0.0.1:8787", True),
        ("192.168.1.5", True),
        ("[::1]:8787", True),
        ("[fd00::5]", True),
        ("localhost:8787", True),
        ("LOCALHOST", True),
        ("localhost.:8787", True),
        ("log.localhost", True),
        ("health.example.org", True),
        ("Health.Example.Org:443", True),
        ("nas:8787", True),
        (None, False),
        ("", False),
        ("evil.example.org", False),
        ("health.example.org.evil.example", False),
        ("xhealth.example.org", False),
        ("127.0.0.1.evil.example", False),
        ("localhost.evil.example", False),
        ("notlocalhost", False),
        ("2130706433", False),
        ("0x7f.1", False),
        ("[::1", False),
        ("[nas]", False),
        ("nas:8787:1", False),
        ("user@nas", False),
    ],
)
def test_a_host_is_known_or_not(host: str | None, known: bool) -> None:
    assert SITES.knows(host) is known


def asking(host: str = "nas:8787", **fields: str) -> Headers:
    return Headers([("Host", host), *((n.replace("_", "-"), v) for n, v in fields.items())])


@pytest.mark.scenario("security", "A page of another site changes nothing")
@pytest.mark.parametrize(
    ("host", "fields", "own"),
    [
        ("nas:8787", {"Origin": "http://nas:8787"}, True),
        ("nas:8787", {"Origin": "http://NAS:8787"}, True),
        ("nas:8787", {"Origin": "http://nas:8787", "Sec_Fetch_Site": "same-origin"}, True),
        ("nas:8787", {"Sec_Fetch_Site": "same-origin"}, True),
        ("nas", {"Origin": "http://nas:80"}, True),
        ("nas", {"Origin": "https://nas"}, True),
        ("nas:443", {"Origin": "https://nas"}, True),
        ("[::1]:8787", {"Origin": "http://[::1]:8787"}, True),
        ("nas:8787", {}, False),
        ("nas:8787", {"Origin": "null"}, False),
        ("nas:8787", {"Origin": ""}, False),
        ("nas:8787", {"Origin": "http://"}, False),
        ("nas:8787", {"Origin": "file://"}, False),
        ("nas:8787", {"Origin": "nas:8787"}, False),
        ("nas:8787", {"Origin": "http://nas"}, False),
        ("nas:8787", {"Origin": "http://nas:8788"}, False),
        ("nas:8787", {"Origin": "http://evil.example"}, False),
        ("nas:8787", {"Origin": "http://nas:8787.evil.example"}, False),
        ("nas:8787", {"Origin": "http://nas:8787@evil.example"}, False),
        ("nas:8787", {"Origin": "http://nas:8787", "Sec_Fetch_Site": "cross-site"}, False),
        ("nas:8787", {"Origin": "http://nas:8787", "Sec_Fetch_Site": "same-site"}, False),
        ("nas:8787", {"Origin": "http://nas:8787", "Sec_Fetch_Site": "none"}, False),
        ("", {"Origin": "http://"}, False),
    ],
)
def test_a_request_is_from_a_page_of_ours_or_not(
    host: str, fields: dict[str, str], own: bool
) -> None:
    assert from_own_page(asking(host, **fields), secure=False) is own


def test_over_tls_a_page_without_it_is_another_site() -> None:
    headers = asking("nas", Origin="http://nas")
    assert not from_own_page(headers, secure=True)
    assert from_own_page(asking("nas", Origin="https://nas"), secure=True)
