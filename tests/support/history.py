"""A random history: sixty bodies of one phone that repeat, correct and contradict each other."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from healthlog import layer as layers
from healthlog import planning
from healthlog.base.errors import Refusal
from healthlog.model import Delivery
from healthlog.planning import DECLARED, Heard, Plan
from tests.support.folding import SECOND_US, delivery, no_check

BODIES, POINTS = 60, 2_000
SAMPLES = "samples"
"""Not a header that the phone sends: so the bodies are marked that stand for Apple's export."""

_HEADERS = (
    "Minutes", "Hours", "Days", "Weeks", "Months", "Years", "Default", "Seconds", "Tage", None,
    None, SAMPLES,
)  # fmt: skip
_METRICS = (
    "step_count", "heart_rate", "Step_Count", "vo2max", "VO2_Max", "insulin_delivery",
    "resting_heart_rate", "weight_body_mass",
)  # fmt: skip
_OFFSETS = (120, 60, -240)
_STEPS: dict[str | None, tuple[timedelta, int]] = {
    "Minutes": (timedelta(minutes=1), 40),
    "Hours": (timedelta(hours=1), 30),
    "Days": (timedelta(days=1), 9),
    "Weeks": (timedelta(days=7), 5),
    "Months": (timedelta(days=31), 4),
    "Years": (timedelta(days=366), 3),
    "Default": (timedelta(seconds=7), 20),
    "Seconds": (timedelta(seconds=1), 12),
    SAMPLES: (timedelta(seconds=20), 12),
}
# The last start there is: a midnight in one of the offsets, the evening before in the others.
_LAST = datetime(2026, 10, 25, 22, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Told:
    """One delivery with its body, and its plan; None where it can't be folded."""

    delivery: Delivery
    body: bytes
    plan: Plan | None


def history(seed: int) -> list[Told]:
    """In the order of the journal, planned with what the journal's prefix passes on."""
    chance = random.Random(seed)
    bodies = _Bodies(chance)
    told: list[Told] = []
    last: dict[str | None, str] = {}
    for number in range(BODIES):
        one, content = bodies.next(number)
        plan = None
        try:
            heard = _hear(one, content)
            plan = planning.plan(heard, lambda: last.get(one.automation_id))  # noqa: B023 - asked now
            own = heard.own_layer
        except Refusal:
            own = layers.declared(one.aggregation)
        if own is not None and one.automation_id is not None:
            last[one.automation_id] = own
        told.append(Told(one, content, plan))
    return told


def _hear(one: Delivery, content: bytes) -> Heard:
    heard = planning.hear(one, content, no_check)
    return Heard(heard.parsed, layers.SAMPLE, DECLARED) if one.aggregation == SAMPLES else heard


class _Bodies:
    """Makes the bodies one by one, of POINTS elements in all."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._left = POINTS
        self._sent: list[tuple[str | None, bytes]] = []

    def next(self, number: int) -> tuple[Delivery, bytes]:
        chance = self._chance
        header = chance.choice(_HEADERS)
        size = self._left // (BODIES - number)
        self._left -= size
        sparse = header is None and chance.random() < 0.5
        content = self._sparse(size) if sparse else self._body(header, size)
        self._sent.append((header, content))
        if chance.random() < 0.15:  # the same again
            header, content = chance.choice(self._sent)
        if number % 20 == 7:
            content = content[:-4]  # malformed
        fields: dict[str, Any] = {"automation_id": chance.choice(("A", "B", "C", None))}
        if number % 20 == 13:  # nothing tells its layer
            content, header, fields = self._sparse(size), None, {"automation_id": None}
        return self._delivery(number, content, header, fields), content

    def _delivery(
        self, number: int, content: bytes, header: str | None, fields: dict[str, Any]
    ) -> Delivery:
        chance = self._chance
        if chance.random() < 0.25:
            fields |= {
                "imported": True,
                "said_at_us": delivery(chance.randint(-400, 60), b"", None).said_at_us,
            }
        if chance.random() < 0.4:  # before or just after what it speaks of was over
            spoke_at = _LAST + timedelta(hours=chance.randint(-72, 30))
            fields["clock_at_us"] = round(spoke_at.timestamp()) * SECOND_US
        return delivery(number, content, header, **fields)

    def _sparse(self, size: int) -> bytes:
        """Nothing that shows a layer: it is inherited, or the delivery fails."""
        data = [self._element(timedelta(days=1), 5, "vo2max") for _ in range(size)]
        for element in data:
            if isinstance(element, dict) and "date" in element:
                element["date"] = f"2026-10-{self._chance.randint(20, 24)} 00:00:00 +0200"
        return _json([{"name": "vo2_max", "units": None, "data": data}])

    def _body(self, header: str | None, size: int) -> bytes:
        chance = self._chance
        step, reach = _STEPS.get(header) or chance.choice(list(_STEPS.values()))
        metrics: list[dict[str, Any]] = []
        while size:
            count = min(size, chance.randint(1, 14))
            size -= count
            if metrics and count > 1 and chance.random() < 0.25:
                metrics.append(self._again(chance.choice(metrics), count))
            else:
                name = chance.choice(_METRICS)
                data = [self._element(step, reach, name) for _ in range(count)]
                if chance.random() < 0.3:
                    data = self._ranges(data, uniform=chance.random() < 0.5)
                metrics.append(
                    {"name": name, "units": chance.choice(("u", "u", "v")), "data": data}
                )
        return _json(metrics)

    def _ranges(self, data: list[Any], *, uniform: bool) -> list[Any]:
        """The block with ranges in the place of quantities: all alike with nothing else, as the
        phone sends most of them, or with what else was there, some averages missing."""
        chance = self._chance
        ranges: list[Any] = []
        for element in data:
            if not isinstance(element, dict) or not isinstance(element.get("qty"), int):
                ranges.append(element)
                continue
            rest = {key: value for key, value in element.items() if key != "qty"}
            low = element["qty"]
            said = {"Min": low, "Avg": low + chance.choice((0.25, 0.5)), "Max": low + 1}
            if uniform:
                rest = {"date": rest["date"]}
            elif chance.random() < 0.4:
                said["Avg"] = None
                if chance.random() < 0.5:
                    del said["Avg"]
            ranges.append({**rest, **said})
        return ranges

    def _again(self, earlier: dict[str, Any], count: int) -> dict[str, Any]:
        """A block that repeats what another said, in part in another offset."""
        chance = self._chance
        data = [
            dict(one) if isinstance(one, dict) else one
            for one in chance.choices(earlier["data"], k=count)
        ]
        for element in data:
            if isinstance(element, dict) and chance.random() < 0.4:
                _respell(element, chance.choice((*_OFFSETS, None)))
        return {**earlier, "data": data}

    def _element(self, step: timedelta, reach: int, name: str) -> Any:
        chance = self._chance
        start = _LAST - step * chance.randrange(reach)
        if chance.random() < 0.05:
            start += timedelta(seconds=5, milliseconds=250)
        spelling = chance.choice((120, 120, 120, *_OFFSETS, None))
        element: dict[str, Any] = {"date": _text(start, spelling), "qty": chance.randint(1, 3)}
        if chance.random() < 0.3:
            element["source"] = chance.choice(
                ("Watch", "iPhone", "iPhone|Watch", "Watch|iPhone", "")
            )
        if name == "insulin_delivery" and chance.random() < 0.8:
            element["reason"] = chance.choice(("Basal", "Bolus", " Bolus"))
        if chance.random() < 0.1:
            element["end"] = _text(start + timedelta(seconds=chance.randint(0, 2)), spelling)
        if chance.random() < 0.1:
            element |= {
                "qty": None,
                "Min": 1,
                "Max": chance.choice((2, 2.5)),
                "note": {"a": [None]},
            }
        return chance.choice(_BAD)(element) if chance.random() < 0.04 else element


_BAD: tuple[Callable[[dict[str, Any]], Any], ...] = (
    lambda element: {**element, "date": None},
    lambda element: {**element, "date": "yesterday"},
    lambda element: {"date": element["date"], "qty": "x"},
    lambda element: {**element, "date": "2099-01-01 00:00:00 +0000"},
    lambda element: {**element, "date": element["date"][:10]},
    lambda element: None,
)


def _respell(element: dict[str, Any], offset_min: int | None) -> None:
    """The same instants in another offset."""
    for key in ("date", "end"):
        text = element.get(key)
        if isinstance(text, str) and len(text) > 10 and text[:2] == "20":
            element[key] = _text(instant(text), offset_min)


def _text(at: datetime, offset_min: int | None) -> str:
    """The default form in an offset, ISO 8601 in `Z` where there is none."""
    if offset_min is None:
        return at.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"
    local = at.astimezone(timezone(timedelta(minutes=offset_min)))
    fraction = f".{local.microsecond:06}" if local.microsecond else ""
    return f"{local:%Y-%m-%d %H:%M:%S}{fraction} {local:%z}"


def instant(text: str) -> datetime:
    """What `_text` wrote."""
    compact = text.replace(" ", "T", 1).replace(" ", "").replace("Z", "+00:00")
    return datetime.fromisoformat(compact)


def _json(metrics: list[dict[str, Any]]) -> bytes:
    return json.dumps({"data": {"metrics": metrics}}).encode()
