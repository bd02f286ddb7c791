"""Which word wins a field of a record: a total order, so that it depends on the set alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from healthlog.merge import CHANGED, NEW, OUTDATED, SAME
from healthlog.model import Rank
from healthlog.records.record import RecordWord
from healthlog.records.text import meaning


class FieldWord(NamedTuple):
    """A field as sent: its canonical text, and how many samples it holds, None if it is no
    series."""

    text: str
    length: int | None

    @property
    def weight(self) -> tuple[bool, int]:
        """Series come before what is none, longer ones before shorter: a poorer re-send erases
        nothing."""
        return (self.length is not None, self.length or 0)


@dataclass(frozen=True, slots=True)
class Candidate:
    """All that one delivery says of one record: the fields, how many of its elements say it, and
    how many more only repeat one of them."""

    kind: str
    key: str
    fields: Mapping[str, FieldWord]
    elements: int
    doubles: int


class Standing(NamedTuple):
    """The word that stands in a field, and the rank of who said it."""

    word: FieldWord
    rank: Rank


@dataclass(frozen=True, slots=True)
class Meeting:
    """How a candidate fared against what stood: its fate in the account, the fields that it is
    to say from now on, and those among them whose text stays as it is."""

    fate: str
    taken: frozenset[str]
    kept: frozenset[str]


def candidates(words: Iterable[RecordWord]) -> list[Candidate]:
    """What one delivery says, record by record in the order of its body. Where it contradicts
    itself the longer series counts, else the first place in the body."""
    together: dict[tuple[str, str], list[RecordWord]] = {}
    for word in words:
        together.setdefault((word.kind, word.key), []).append(word)
    return [_united(kind, key, said) for (kind, key), said in together.items()]


def _united(kind: str, key: str, said: list[RecordWord]) -> Candidate:
    fields: dict[str, FieldWord] = {}
    distinct: set[frozenset[tuple[str, str]]] = set()
    for word in said:
        whole = frozenset(word.fields.items())
        if whole in distinct:
            continue
        distinct.add(whole)
        for name, text in word.fields.items():
            mine = FieldWord(text, word.series.get(name))
            if name not in fields or mine.weight > fields[name].weight:
                fields[name] = mine
    return Candidate(kind, key, fields, len(distinct), len(said) - len(distinct))


def met(mine: Candidate, rank: Rank, theirs: Mapping[str, Standing] | None) -> Meeting:
    """Meeting of a candidate with the fields that stand (None: there is no such record). Words
    that mean the same are equal; which of their spellings stands is a matter of rank."""
    if theirs is None:
        return Meeting(NEW, frozenset(mine.fields), frozenset())
    taken: set[str] = set()
    kept: set[str] = set()
    fate = SAME
    for name, word in mine.fields.items():
        stands = theirs.get(name)
        wins = stands is None or (word.weight, rank) > (stands.word.weight, stands.rank)
        if wins:
            taken.add(name)
        if stands is not None and word.text == stands.word.text:
            kept.add(name)
        elif stands is None or not _means_the_same(name, word, stands.word):
            fate = CHANGED if wins or fate == CHANGED else OUTDATED
    return Meeting(fate, frozenset(taken), frozenset(kept & taken))


def _means_the_same(name: str, mine: FieldWord, theirs: FieldWord) -> bool:
    if mine.weight != theirs.weight:
        return False
    return meaning(name, mine.text) == meaning(name, theirs.text)
