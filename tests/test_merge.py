"""Which candidate wins a coordinate."""

from __future__ import annotations

import random
from itertools import permutations

import pytest

from healthlog.layer import LAYERS, UNGROUPED
from healthlog.merge import CHANGED, OUTDATED, SAME, Meeting, met
from healthlog.model import Rank

EARLY, LATE = (1, 1, "a"), (2, 2, "b")
GROUPED = sorted(set(LAYERS) - UNGROUPED)


@pytest.mark.parametrize("layer", GROUPED)
def test_a_later_word_wins_a_bucket_however_many_readings_it_has(layer: str) -> None:
    assert met(layer, ["x"], LATE, ["x", "y"], EARLY) == Meeting(CHANGED, True)
    assert met(layer, ["x", "y"], EARLY, ["z"], LATE) == Meeting(OUTDATED, False)


@pytest.mark.parametrize("layer", sorted(UNGROUPED))
def test_more_readings_win_a_second_whoever_is_later(layer: str) -> None:
    assert met(layer, ["x"], LATE, ["x", "y"], EARLY) == Meeting(OUTDATED, False)
    assert met(layer, ["x", "y"], EARLY, ["x"], LATE) == Meeting(CHANGED, True)


@pytest.mark.parametrize("layer", sorted(UNGROUPED))
def test_as_many_readings_go_by_rank(layer: str) -> None:
    assert met(layer, ["x"], LATE, ["y"], EARLY) == Meeting(CHANGED, True, True)
    assert met(layer, ["x"], EARLY, ["y"], LATE) == Meeting(OUTDATED, False, True)


@pytest.mark.parametrize("layer", LAYERS)
def test_equal_readings_are_the_same_and_raise_the_rank(layer: str) -> None:
    assert met(layer, ["x", "y"], LATE, ["x", "y"], EARLY) == Meeting(SAME, True)
    assert met(layer, ["x", "y"], EARLY, ["x", "y"], LATE) == Meeting(SAME, False)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ((1, 9, "z"), (2, 1, "a")),  # said_at goes before received_at
        ((1, 1, "z"), (1, 2, "a")),  # received_at before the id
        ((1, 1, "a"), (1, 1, "b")),
    ],
)
def test_rank_is_said_at_then_received_at_then_id(earlier: Rank, later: Rank) -> None:
    assert met("day", ["x"], later, ["y"], earlier).wins
    assert not met("day", ["x"], earlier, ["y"], later).wins


@pytest.mark.parametrize(
    ("mine", "theirs", "incomparable"),
    [
        (["x"], ["x", "y"], False),
        (["x", "x"], ["x"], False),
        (["x", "x"], ["x", "y"], True),
        (["x", "y"], ["z"], True),
        (["x", "y", "y"], ["y", "y"], False),
        (["x", "y"], ["y", "y", "y"], True),
    ],
)
def test_neither_containing_the_other_is_incomparable(
    mine: list[str], theirs: list[str], incomparable: bool
) -> None:
    assert met("raw", mine, LATE, theirs, EARLY).incomparable is incomparable
    assert not met("minute", mine, LATE, theirs, EARLY).incomparable


@pytest.mark.parametrize("layer", ["raw", "hour"])
def test_the_winner_does_not_depend_on_the_order(layer: str) -> None:
    chance = random.Random(layer)
    for _ in range(50):
        said = [
            (
                sorted(chance.choices("xyz", k=chance.randint(1, 3))),
                (chance.randint(1, 2), n, str(n)),
            )
            for n in range(4)
        ]
        winners = set()
        for order in permutations(said):
            stands, rank = order[0]
            for mine, my_rank in order[1:]:
                if met(layer, mine, my_rank, stands, rank).wins:
                    stands, rank = mine, my_rank
            winners.add((tuple(stands), rank))
        assert len(winners) == 1
