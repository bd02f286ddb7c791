"""What tests count, told when all have run: also where they run in several processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable

Tell = Callable[[str], None]
"""Takes in a line."""

_TOLD = "told"


def telling(record_property: Callable[[str, object], None]) -> Tell:
    """How one test tells."""
    return lambda line: record_property(_TOLD, line)


def told(properties: Iterable[tuple[str, object]]) -> list[str]:
    """What a test has told, by the properties of its report."""
    return [str(line) for name, line in properties if name == _TOLD]
