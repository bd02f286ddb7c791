"""Which source is believed first, where several speak of the same time."""

from __future__ import annotations

from dataclasses import dataclass

from healthlog.reading import Sources

OTHERS = "*"
"""Stands in the order for every source that no word of it names."""

Place = tuple[int, int, Sources]
"""Place of a source set in the order; the least is believed first. No two sets share one."""


@dataclass(frozen=True, slots=True)
class SourceOrder:
    """An order of sources by words that their names contain, in any case of letters."""

    words: tuple[str, ...] = ("Watch", OTHERS, "iPhone")

    def place(self, sources: Sources) -> Place:
        """What the phone merged of several sources stands before all that one source says, the
        more it merged the further before."""
        if len(sources) > 1:
            return (-1, -len(sources), sources)
        return (self._of_name(sources[0] if sources else ""), 0, sources)

    def _of_name(self, name: str) -> int:
        folded = name.casefold()
        for number, word in enumerate(self.words):
            if word != OTHERS and word.casefold() in folded:
                return number
        return self.words.index(OTHERS) if OTHERS in self.words else len(self.words)
