"""Where the phone is to send to."""

from __future__ import annotations

import ipaddress

import pytest

from healthlog import config
from healthlog.pairing.addresses import here, ordered
from healthlog.pairing.reach import Unreachable, in_the_clear, of_settings, urls
from healthlog.setting_places import Address

HERE = ["192.168.1.20", "10.8.0.3"]


def listening(text: str) -> Address:
    host, _, port = text.rpartition(":")
    return Address(host, int(port))


@pytest.mark.scenario("pairing", "Service that no phone can reach is refused with what to change")
@pytest.mark.parametrize("listen", ["127.0.0.1:8787", "127.9.9.9:80", "::1:8787", "localhost:8787"])
def test_an_address_of_the_machine_alone_is_refused(listen: str) -> None:
    with pytest.raises(Unreachable) as refused:
        urls(listening(listen), None, HERE)
    assert "for this machine alone" in str(refused.value)
    assert all(word in str(refused.value) for word in ("listen", "0.0.0.0:8787", "public_url"))


@pytest.mark.scenario("pairing", "Service that no phone can reach is refused with what to change")
def test_a_port_that_changes_is_refused() -> None:
    with pytest.raises(Unreachable, match="another port at each start"):
        urls(listening("0.0.0.0:0"), None, HERE)


def test_a_machine_without_a_network_is_told_so() -> None:
    with pytest.raises(Unreachable, match="on no network"):
        urls(listening("0.0.0.0:8787"), None, [])


@pytest.mark.scenario("pairing", "Every address of the machine is offered")
@pytest.mark.parametrize("listen", ["0.0.0.0:8787", ":::8787"])
def test_every_address_of_the_machine_is_offered(listen: str) -> None:
    assert urls(listening(listen), None, HERE) == [
        "http://192.168.1.20:8787/ingest",
        "http://10.8.0.3:8787/ingest",
    ]


@pytest.mark.parametrize(
    ("listen", "url"),
    [
        ("192.168.1.7:80", "http://192.168.1.7:80/ingest"),
        ("box.lan:8787", "http://box.lan:8787/ingest"),
        ("fd00::7:8787", "http://[fd00::7]:8787/ingest"),
    ],
)
def test_a_single_address_is_the_one(listen: str, url: str) -> None:
    assert urls(listening(listen), None, HERE) == [url]


@pytest.mark.scenario("pairing", "Service that speaks TLS is told as such")
@pytest.mark.parametrize(
    ("listen", "names", "hosts"),
    [
        ("0.0.0.0:8787", ("health.example.org",), ["health.example.org", *HERE]),
        ("0.0.0.0:8787", (), HERE),
        ("box.lan:8787", ("box.lan", "nas"), ["box.lan", "nas"]),
    ],
)
def test_a_service_with_tls_is_told_as_such(
    listen: str, names: tuple[str, ...], hosts: list[str]
) -> None:
    expected = [f"https://{host}:8787/ingest" for host in hosts]
    assert urls(listening(listen), None, HERE, names) == expected


@pytest.mark.scenario("pairing", "Service that speaks TLS is told as such")
def test_the_settings_tell_whether_it_speaks_tls() -> None:
    given = {"listen": "192.168.1.7:8787", "hosts": "health.example.org"}
    plain = config.settings(given, {}, None)
    assert of_settings(plain, HERE) == ["http://192.168.1.7:8787/ingest"]
    sealed = config.settings({**given, "tls_cert": "cert.pem"}, {}, None)
    assert of_settings(sealed, HERE) == [
        "https://health.example.org:8787/ingest",
        "https://192.168.1.7:8787/ingest",
    ]


@pytest.mark.scenario("pairing", "Public address comes before all")
@pytest.mark.parametrize("listen", ["127.0.0.1:8787", "0.0.0.0:8787", "0.0.0.0:0"])
def test_a_public_address_comes_before_all(listen: str) -> None:
    public = "https://health.example.org/log"
    assert urls(listening(listen), public, HERE) == ["https://health.example.org/log/ingest"]


def test_only_https_hides_what_is_sent() -> None:
    assert in_the_clear("http://192.168.1.20:8787/ingest")
    assert not in_the_clear("https://health.example.org/ingest")


def test_the_likeliest_address_comes_first_each_once() -> None:
    others = {"192.168.1.20", "10.8.0.3", "127.0.0.1", "169.254.7.7", "0.0.0.0"}
    assert ordered("192.168.1.20", others) == ["192.168.1.20", "10.8.0.3"]
    assert ordered(None, others) == ["10.8.0.3", "192.168.1.20"]
    assert ordered("127.0.0.1", set()) == []


def test_addresses_of_this_machine_are_such_that_others_may_use() -> None:
    found = [ipaddress.ip_address(one) for one in here()]
    assert len(set(found)) == len(found)
    assert all(one.version == 4 and not one.is_loopback for one in found)
