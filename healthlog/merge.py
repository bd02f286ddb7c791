"""Which candidate wins a coordinate: a total order, so that the winner depends on the set alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import NamedTuple, TypeVar

from healthlog import layer as layers
from healthlog.model import Rank

NEW, CHANGED, SAME, OUTDATED = "new", "changed", "same", "outdated"

_V = TypeVar("_V", bound=Hashable)


class Meeting(NamedTuple):
    """How a candidate fared against what stood: its fate in the account, whether it is written,
    and whether neither of the two contains the other."""

    fate: str
    wins: bool
    incomparable: bool = False


def met(
    layer: str, mine: Sequence[_V], rank: Rank, theirs: Sequence[_V], their_rank: Rank
) -> Meeting:
    """Meeting of a candidate with the winner so far. Grouped layers go by rank alone: buckets
    are sent again while they fill, and corrected up and down. Sample and raw go by the number
    of readings first: the edge of a window may cut a second in half."""
    later = rank > their_rank
    if mine == theirs:
        return Meeting(SAME, later)
    if layer not in layers.UNGROUPED:
        return Meeting(CHANGED if later else OUTDATED, later)
    wins = (len(mine), rank) > (len(theirs), their_rank)
    left, right = Counter(mine), Counter(theirs)
    return Meeting(CHANGED if wins else OUTDATED, wins, not (left <= right or right <= left))
