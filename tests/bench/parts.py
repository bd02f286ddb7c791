"""The parts of the bench by their names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from tests.bench import (
    answers,
    beside,
    crowd,
    folds,
    import_apple,
    memory,
    posts,
    reading,
    rebuilds,
    series,
    standing,
    starts,
)
from tests.bench.figures import Row
from tests.bench.scale import Scale

PARTS: Mapping[str, Callable[[Scale], Iterator[Row]]] = {
    "folds": folds.part,
    "rebuilds": rebuilds.part,
    "posts": posts.part,
    "answers": answers.part,
    "beside": beside.part,
    "crowd": crowd.part,
    "memory": memory.part,
    "standing": standing.part,
    "reading": reading.part,
    "starts": starts.part,
    "series": series.part,
    "imports": import_apple.part,
}


def rows_of(name: str, scale: Scale) -> list[Row]:
    """All that one part finds."""
    return list(PARTS[name](scale))
