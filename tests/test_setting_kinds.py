"""The kinds of settings: what each reads, refuses, shows."""

from __future__ import annotations

from datetime import UTC
from ipaddress import ip_network
from pathlib import Path

import pytest

from healthlog import setting_kinds as kinds
from healthlog import setting_places as places
from healthlog.setting_kinds import Kind

SIZE = kinds.size("1KiB", "1GiB")
SPAN = kinds.span("100ms", "1h")
COUNT = kinds.count(4, 4096)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (SIZE, "1024", 1024),
        (SIZE, "64MiB", 67108864),
        (SIZE, "64 mib", 67108864),
        (SIZE, "1GiB", 1024**3),
        (SIZE, "2048B", 2048),
        (SPAN, "300", 300.0),
        (SPAN, "300s", 300.0),
        (SPAN, "5m", 300.0),
        (SPAN, "1h", 3600.0),
        (SPAN, "0.5", 0.5),
        (SPAN, "100ms", 0.1),
        (SPAN, "1.5m", 90.0),
        (COUNT, "4", 4),
        (COUNT, "4096", 4096),
        (kinds.choice("WARN", "INFO"), "info", "INFO"),
        (kinds.switch(), "true", True),
        (kinds.switch(), "FALSE", False),
        (places.address(), "127.0.0.1:8787", ("127.0.0.1", 8787)),
        (places.address(), "localhost:0", ("localhost", 0)),
        (places.address(), "[::1]:8787", ("::1", 8787)),
        (places.address(), "[fe80::1%eth0]:65535", ("fe80::1%eth0", 65535)),
        *(
            (places.web_address(), text, url)
            for text, url in (
                ("https://health.example.org", "https://health.example.org"),
                ("HTTP://192.168.1.20:8787/", "http://192.168.1.20:8787"),
                ("https://h.example.org/my/log/", "https://h.example.org/my/log"),
                ("http://[fd00::7]:8787", "http://[fd00::7]:8787"),
                ("https://box/ingester", "https://box/ingester"),
            )
        ),
        (kinds.folder(), "/a b/ü", Path("/a b/ü")),
        (kinds.folder(), "~", Path.home()),
        (kinds.token(), "abcDEF123-._~+/=", "abcDEF123-._~+/="),
        (kinds.zone(), "utc", UTC),
        (kinds.file(), "/etc/ssl/cert.pem", Path("/etc/ssl/cert.pem")),
        (places.names(), "Health.Example.org", ("health.example.org",)),
        (places.names(), "nas, box.tail1234.ts.net", ("nas", "box.tail1234.ts.net")),
        (places.networks(), "127.0.0.1", (ip_network("127.0.0.1/32"),)),
        (places.networks(), "::1, 10.0.0.0/8", (ip_network("::1/128"), ip_network("10.0.0.0/8"))),
        (kinds.words(3), "Watch", ("Watch",)),
        (kinds.words(3), " Watch , *,Owner’s  iPhone", ("Watch", "*", "Owner’s iPhone")),
    ],
)
def test_a_good_text_is_read(kind: Kind, text: str, value: object) -> None:
    assert kind.read(text) == value


@pytest.mark.parametrize(
    ("kind", "text", "said"),
    [
        (SIZE, "1023", "is too small"),
        (SIZE, "1073741825", "is too large"),
        (SIZE, "9" * 15, "is too large"),
        *(
            (places.names(), text, "no host's name")
            for text in (
                "",
                "a,",
                "nas:8787",
                "http://nas",
                "*.example.org",
                "a b",
                ".x",
                "x" * 254,
            )
        ),
        *(
            (places.networks(), text, "no address or network")
            for text in ("", "nas", "10.0.0.1/8", "1.2.3.4,", "::1%eth0/64", "300.0.0.1")
        ),
        *(
            (SIZE, text, "is not a size")
            for text in ("", "-1", "1.5MiB", "64MB", "1e6", "9" * 16, "٣")
        ),
        (SPAN, "0", "is too small"),
        (SPAN, "99ms", "is too small"),
        (SPAN, "3601", "is too large"),
        (SPAN, "999999999h", "is too large"),
        *(
            (SPAN, text, "is not a time")
            for text in ("", "-1", "1d", "nan", "inf", "1e3", "5 m s", "5M")
        ),
        (COUNT, "3", "is too small"),
        (COUNT, "4097", "is too large"),
        *((COUNT, text, "is not a whole number") for text in ("", "4.0", "+4", "1_0", "9" * 10)),
        (kinds.choice("WARN", "INFO"), "LOUD", "is not one of the words"),
        *(
            (places.address(), text, "is not host:port")
            for text in (
                "",
                "8787",
                ":8787",
                "host",
                "host:",
                "::1:8787",
                "a b:1",
                "h:1:2",
                "h:-1",
                "h:1\n",
            )
        ),
        (places.address(), "host:65536", "is too large"),
        (places.address(), "[host]:1", "has no IPv6 address in its brackets"),
        *(
            (places.web_address(), text, "is not the address of a service")
            for text in (
                "",
                "health.example.org",
                "ftp://health.example.org",
                "https://",
                "https://a b",
                "https://me:secret@health.example.org",
                "https://health.example.org/?a=b",
                "https://health.example.org/#a",
                "https://health.example.org//",
                "https://h:x",
                "https://h\n",
            )
        ),
        (places.web_address(), "https://h:0", "is too small"),
        (places.web_address(), "https://h:65536", "is too large"),
        (places.web_address(), "https://[host]", "has no IPv6 address in its brackets"),
        (places.web_address(), "https://h/" + "x" * 200, "is too long"),
        (places.web_address(), "https://h/log/ingest/", "ends in /ingest, which is added to it"),
        *((kinds.folder(), text, "is not a path") for text in ("", "a\0b")),
        (kinds.folder(), "~nobody-of-this-name/x", "home folder"),
        (kinds.folder(), "x" * 5000, "is too long"),
        *(
            (kinds.token(), text, "is no usable token")
            for text in ("", "x" * 15, "x" * 257, "x" * 20 + "\n")
        ),
        *(
            (kinds.zone(), text, "is not a time zone known here")
            for text in (
                "",
                "Mars/Base",
                "../zoneinfo/UTC",
                "/etc/localtime",
                "Europe",
                "a\0b",
                "x" * 300,
            )
        ),
    ],
)
def test_a_bad_text_is_refused_in_words(kind: Kind, text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        kind.read(text)


@pytest.mark.parametrize(
    ("kind", "text", "shown"),
    [
        (SIZE, "65536", "64KiB"),
        (SIZE, "1025", "1025"),
        (SIZE, "1024MiB", "1GiB"),
        (SPAN, "5m", "300s"),
        (SPAN, "100ms", "0.1s"),
        (COUNT, "192", "192"),
        (kinds.switch(), "False", "false"),
        (places.address(), "[::1]:1", "[::1]:1"),
        (places.address(), "host:1", "host:1"),
        (places.web_address(), "https://h/log/", "https://h/log"),
        (kinds.zone(), "Europe/Berlin", "Europe/Berlin"),
        (places.names(), "A, b", "a,b"),
        (places.networks(), "1.2.3.4, ::/8", "1.2.3.4/32,::/8"),
        (kinds.words(3), "Watch, *", "Watch,*"),
    ],
)
def test_a_value_is_shown_as_a_text_that_reads_the_same(kind: Kind, text: str, shown: str) -> None:
    value = kind.read(text)
    assert kind.show(value) == shown
    assert kind.read(shown) == value


def test_numbers_of_a_file_are_texts_for_numeric_kinds_only() -> None:
    assert (kinds.text(300, numbers=True), kinds.text(0.5, numbers=True)) == ("300", "0.5")
    with pytest.raises(ValueError, match="is not text"):
        kinds.text(300, numbers=False)


def test_true_and_false_of_a_file_are_texts_for_switches_only() -> None:
    assert [kinds.text(value, numbers=False, switches=True) for value in (True, False)] == [
        *("true", "false"),
    ]
    with pytest.raises(ValueError, match="is not text or true or false"):
        kinds.text(1, numbers=False, switches=True)


@pytest.mark.parametrize("value", [True, [1], {"a": 1}, None])
def test_other_values_of_a_file_are_no_texts(value: object) -> None:
    with pytest.raises(ValueError, match="is not text or a number"):
        kinds.text(value, numbers=True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has an empty word"),
        ("Watch,,iPhone", "has an empty word"),
        ("Watch, watch", "has a word twice"),
        ("a,b,c,d", "has too many words"),
    ],
)
def test_bad_words_are_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        kinds.words(3).read(text)


def test_a_list_of_texts_in_a_file_is_one_for_kinds_that_take_lists() -> None:
    assert kinds.text(["Watch", "*"], numbers=False, joined=",".join) == "Watch,*"
    for value in (["Watch", 1], {"a": "b"}, 5):
        with pytest.raises(ValueError, match="is not text or a list of texts"):
            kinds.text(value, numbers=False, joined=",".join)
    with pytest.raises(ValueError, match="is not text"):
        kinds.text(["Watch"], numbers=False)


def test_an_address_that_is_not_set_is_shown_as_nothing() -> None:
    assert places.web_address().show(None) == ""
