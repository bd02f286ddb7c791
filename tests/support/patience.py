"""How long tests wait for what is sure to come."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

PATIENCE_S = 120.0
"""Nothing is told by it: it only ends a test that would wait for ever, on the slowest machine."""

_LOOK_S = 0.005
"""Between two looks at another process, which tells nobody when it is through."""


def looked_for(look: Callable[[], T | None]) -> T:
    """What is there at one look or another."""
    never = threading.Event()
    for _ in range(int(PATIENCE_S / _LOOK_S)):
        found = look()
        if found is not None:
            return found
        never.wait(_LOOK_S)
    raise AssertionError("it never came")
