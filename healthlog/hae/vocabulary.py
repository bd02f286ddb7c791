"""Tables of words that mean one thing in many languages."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping


def folded(word: str) -> str:
    """A word by its letters and digits alone: `In Bed`, `inBed` and `in_bed` are one."""
    composed = unicodedata.normalize("NFKC", word).casefold()
    return "".join(filter(str.isalnum, composed))


def listed(words: str) -> Iterator[str]:
    """The words of a list, folded: commas stand between them, semicolons between languages."""
    return map(folded, words.replace(";", ",").split(","))


def turned(table: Mapping[str, str]) -> dict[str, str]:
    """What each word of a table means, by the word as it is folded."""
    return {word: meant for meant, words in table.items() for word in listed(words)}
