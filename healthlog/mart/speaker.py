"""The delivery whose word is merged into a mart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from healthlog.mart.changes import Changes
from healthlog.mart.folded import Ranks
from healthlog.model import Delivery


@dataclass(frozen=True, slots=True)
class Speaker:
    """The delivery whose word is merged: its number in this mart, the ranks of all, who is told
    of what it changes, and `check`, which is called now and then and may raise to end a fold that
    takes too long."""

    number: int
    delivery: Delivery
    ranks: Ranks
    changes: Changes
    check: Callable[[], None]
