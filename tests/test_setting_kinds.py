"""The kinds of settings: what each reads, refuses, shows."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path

import pytest

from healthlog import setting_kinds as kinds
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
        (kinds.address(), "127.0.0.1:8787", ("127.0.0.1", 8787)),
        (kinds.address(), "localhost:0", ("localhost", 0)),
        (kinds.address(), "[::1]:8787", ("::1", 8787)),
        (kinds.address(), "[fe80::1%eth0]:65535", ("fe80::1%eth0", 65535)),
        (kinds.folder(), "/a b/ü", Path("/a b/ü")),
        (kinds.folder(), "~", Path.home()),
        (kinds.token(), "abcDEF123-._~+/=", "abcDEF123-._~+/="),
        (kinds.zone(), "utc", UTC),
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
            (kinds.address(), text, "is not host:port")
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
        (kinds.address(), "host:65536", "is too large"),
        (kinds.address(), "[host]:1", "has no IPv6 address in its brackets"),
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
        (kinds.address(), "[::1]:1", "[::1]:1"),
        (kinds.address(), "host:1", "host:1"),
        (kinds.zone(), "Europe/Berlin", "Europe/Berlin"),
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
    assert kinds.text(["Watch", "*"], numbers=False, lists=True) == "Watch,*"
    for value in (["Watch", 1], {"a": "b"}, 5):
        with pytest.raises(ValueError, match="is not text or a list of texts"):
            kinds.text(value, numbers=False, lists=True)
    with pytest.raises(ValueError, match="is not text"):
        kinds.text(["Watch"], numbers=False)
