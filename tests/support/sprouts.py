"""Random bodies: good ones in every spelling, and what becomes of them when they are hurt."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

_KEYS = (
    *("data", "metrics", "workouts", "ecg", "symptoms", "appleHealth", "news", "name"),
    *("units", "elements", "date", "qty", "", "d\\u0061ta", "\\ud83d\\ude00"),
)
_TEXTS = (
    *("step_count", "sleep_analysis", "heart_rate", "blood_pressure", "", " ", "x]", "},{", "[{"),
    *('\\"', "\\\\", "\\u005d", "\\ud83d\\ude00", "Часы\u00a0— проба", "\U0001f600", "\\/"),
    *("2026-05-03 07:00:00 +0200", "a" * 70, "\\\\\\\\\\\\"),
)
_SPOILED = ("\\ud800", "\\udfff x", "\\ud83d", "\\udc00\\ud800", "\\uD800\\u0041")
_NUMBERS = (
    *("0", "-0", "1", "12345678901234567890", "1e5", "-2.5E-3", "1.0", "NaN", "Infinity"),
    *("-Infinity", "0.16799999999999998", "1e400"),
)
_WORDS = ("null", "true", "false", "{}", "[]", '""')
_BLANKS = ("", "", "", " ", "\n", "\t", "\r\n  ", " " * 40)


class Sprout:
    """Grows bodies."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._deep = False

    def body(self) -> str:
        """A body that is JSON, its shape near to that of the phone."""
        chance = self._chance
        self._deep = chance.random() < 0.1
        if chance.random() < 0.03:
            return self.value(3)
        members = [self._section() for _ in range(chance.randint(0, 3))]
        if chance.random() < 0.8:
            inner = self._object([self._section() for _ in range(chance.randint(0, 4))])
            members.insert(chance.randint(0, len(members)), ("data", inner))
        if chance.random() < 0.15:
            members.append(("data", self.value(2)))
        return self._blank() + self._object(members) + self._blank()

    def value(self, levels: int) -> str:
        chance = self._chance
        kind = chance.random()
        if levels and kind < 0.2:
            return self._list([self.value(levels - 1) for _ in range(chance.randint(0, 5))])
        if levels and kind < 0.4:
            keys = [chance.choice(_KEYS) for _ in range(chance.randint(0, 4))]
            return self._object([(key, self.value(levels - 1)) for key in keys])
        if self._deep and kind < 0.41:
            deep = chance.choice((5, 60, 94, 97, 101))
            left, right = chance.choice((("[", "]"), ('{"a":', "}")))
            return left * deep + "1" + right * deep
        if kind < 0.7:
            return self._text()
        return chance.choice((*_NUMBERS, *_WORDS))

    def _section(self) -> tuple[str, str]:
        chance = self._chance
        key = chance.choice(("metrics", "metrics", "metrics", "workouts", "appleHealth", "news"))
        kind = chance.random()
        if kind < 0.12:
            return key, self.value(3)
        if key == "metrics":
            return key, self._list([self._metric() for _ in range(chance.randint(0, 4))])
        inside = self._list([self._element() for _ in range(chance.choice((0, 2, 9)))])
        if key == "appleHealth":
            return key, self._object([("exportDate", self._text()), ("elements", inside)])
        return key, inside

    def _metric(self) -> str:
        chance = self._chance
        if chance.random() < 0.1:
            return self.value(2)
        data = self._list([self._element() for _ in range(chance.choice((0, 1, 4, 30)))])
        members = [("name", self._text()), ("units", self.value(1)), ("data", data)]
        if chance.random() < 0.2:
            members.append((chance.choice(("name", "data", "units", "note")), self.value(2)))
        chance.shuffle(members)
        return self._object(members)

    def _element(self) -> str:
        chance = self._chance
        if chance.random() < 0.2:
            return self.value(3)
        members = [
            (
                "date",
                f'"2026-05-{chance.randint(1, 30):02} 07:{chance.randint(0, 59):02}:00 +0200"',
            ),
            (chance.choice(("qty", "Avg")), chance.choice(_NUMBERS)),
        ]
        if chance.random() < 0.3:
            members.append(("source", self._text()))
        chance.shuffle(members)
        return self._object(members)

    def _object(self, members: list[tuple[str, str]]) -> str:
        pairs = (
            f'{self._blank()}"{key}"{self._blank()}:{self._blank()}{value}{self._blank()}'
            for key, value in members
        )
        return "{" + (",".join(pairs) or self._blank()) + "}"

    def _list(self, values: list[str]) -> str:
        inside = ",".join(f"{self._blank()}{value}{self._blank()}" for value in values)
        return "[" + (inside or self._blank()) + "]"

    def _text(self) -> str:
        chance = self._chance
        texts = _SPOILED if chance.random() < 0.01 else _TEXTS
        return '"' + "".join(chance.choices(texts, k=chance.choice((1, 1, 1, 3)))) + '"'

    def _blank(self) -> str:
        return self._chance.choice(_BLANKS)


def hurt(body: bytes, chance: random.Random) -> bytes:
    """The same with something missing, too much, or other than it was."""
    at = chance.randrange(len(body) + 1)
    upto = min(len(body), at + chance.choice((1, 1, 2, 10)))
    ways: tuple[Callable[[], bytes], ...] = (
        lambda: body[:at],
        lambda: body[:at] + body[upto:],
        lambda: body[:at] + chance.choice(_MARKS) + body[at:],
        lambda: body[:at] + chance.choice(_MARKS) + body[upto:],
        lambda: body[:at] + bytes([chance.randrange(256)]) + body[upto:],
        lambda: body + chance.choice((b"x", b"}", b" {}", b"\x00", b" \n", b"\xff")),
        lambda: b"\xef\xbb\xbf" + body,
        lambda: body[:at] + body[at:upto] * 2 + body[upto:],
    )
    return chance.choice(ways)()


_MARKS = (
    *(b",", b":", b"{", b"}", b"[", b"]", b'"', b"\\", b"1", b"-", b".", b"e", b"nul", b"\\ud800"),
    *(b"\xff", b"\xc3", b"\x00", b"\n", b"9" * 5_000, b"//"),
)


def cut(body: bytes, chance: random.Random) -> Iterator[bytes]:
    """The bytes in pieces of random lengths."""
    at = 0
    while at < len(body):
        upto = at + chance.choice((1, 3, 40, 300))
        yield body[at:upto]
        at = upto
