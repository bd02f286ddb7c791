"""Which source is believed first, where several speak of the same time."""

from __future__ import annotations

from dataclasses import dataclass

from healthlog.reading import Sources

OTHERS = "*"
"""Stands in the order for every source that no word of it names."""

_APOSTROPHES = dict.fromkeys(map(ord, "\u2018\u2019\u02bc\u00b4`"), "'")

Place = tuple[int, int, Sources]
"""Place of a source set in the order; the least is believed first. No two sets share one."""


@dataclass(frozen=True, slots=True)
class SourceOrder:
    """An order of sources by words that their names contain, in any case of letters, with any
    blanks or apostrophes: phones write U+00A0 and U+2019, which nobody types."""

    words: tuple[str, ...] = ("Watch", OTHERS, "iPhone")

    def place(self, sources: Sources) -> Place:
        """What the phone merged of several sources stands before all that one source says, the
        more it merged the further before."""
        if len(sources) > 1:
            return (-1, -len(sources), sources)
        return (self._of_name(sources[0] if sources else ""), 0, sources)

    def _of_name(self, name: str) -> int:
        typed = _typed(name)
        for number, word in enumerate(self.words):
            if word != OTHERS and _typed(word) in typed:
                return number
        return self.words.index(OTHERS) if OTHERS in self.words else len(self.words)


def _typed(name: str) -> str:
    return " ".join(name.translate(_APOSTROPHES).split()).casefold()
