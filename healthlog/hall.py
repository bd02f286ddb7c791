"""What the door of a service shares with the rooms behind it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from healthlog.base.metrics import Registry
from healthlog.front import Front
from healthlog.ground import Ground
from healthlog.mending import Mending
from healthlog.meters import Meters
from healthlog.notices.refusals import LastRefusals
from healthlog.tokens import Tokens


@dataclass(frozen=True, slots=True)
class Hall:
    """`mark` tells the journal that was opened from any that takes its place later; `look` is for
    the worker to call before each pass; `refusals` are those of deliveries."""

    ground: Ground
    front: Front
    tokens: Tokens
    mark: str
    mending: Mending
    look: Callable[[], object]
    registry: Registry
    meters: Meters
    refusals: LastRefusals
