"""The section `appleHealth` of a body: elements of Apple's export, handed on in the live feed's
shapes to the readers of its sections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from healthlog.apple import ecg
from healthlog.apple.mend import Element
from healthlog.apple.names import bare
from healthlog.apple.samples import Reading, Samples, Told
from healthlog.apple.workouts import workout
from healthlog.layer import SAMPLE

SECTION = "appleHealth"
ELEMENTS = "elements"
METRICS = "metrics"
SLEEP = "sleep_analysis"
ELECTROCARDIOGRAM = "Electrocardiogram"

MOST_ELEMENTS = 50_000
"""Elements that one body may have; MemoryError for more. An import puts a fifth of it in one."""

Section = tuple[str, object]
"""Name as sent and contents."""

_PLAIN = frozenset(("date", "end", "qty", "source"))
_ATTRIBUTES = {str}


class Opened(NamedTuple):
    """The sections of a body, Apple's opened into those of the live feed; names of what nobody
    takes in it; the layer that it speaks in, None where there is none of Apple's."""

    sections: list[Section]
    unread: frozenset[str]
    layer: str | None


def opened(sections: Iterable[Section]) -> Opened:
    """Open Apple's section, if there is one, and leave the others as they are."""
    plain: list[Section] = []
    unread: set[str] = set()
    layer: str | None = None
    for name, value in sections:
        if name != SECTION:
            plain.append((name, value))
            continue
        layer = SAMPLE
        found = _Opening()
        found.take(value)
        plain += found.sections()
        unread |= found.unread
    return Opened(plain, frozenset(unread), layer)


class _Block(NamedTuple):
    """What goes into one metric object. The readings of one block are told in one breath: equal
    ones are several. So of one sample that is there twice each goes into another block (`copy`),
    whatever the chunks are that a file is cut in."""

    metric: str
    unit: str | None
    copy: int
    plain: bool


@dataclass(slots=True)
class _Opening:
    unread: set[str] = field(default_factory=set)
    _samples: Samples = field(default_factory=Samples)
    _blocks: dict[_Block, list[object]] = field(default_factory=dict)
    _seen: Counter[tuple[object, ...]] = field(default_factory=Counter)
    _told: dict[str, list[object]] = field(default_factory=dict)
    _odd: list[object] = field(default_factory=list)

    def take(self, value: object) -> None:
        elements = value.get(ELEMENTS) if isinstance(value, dict) else value
        if elements is None:
            return
        if not isinstance(elements, Iterable) or isinstance(elements, str | dict):
            self._reject(elements)
            return
        for number, element in enumerate(elements):
            if number == MOST_ELEMENTS:
                raise MemoryError(f"the body has more than {MOST_ELEMENTS} elements of an export")
            if _is_element(element):
                self._take(element)
            else:
                self._reject(element)

    def sections(self) -> list[Section]:
        metrics = [
            {"name": block.metric, "units": block.unit, "data": data}
            for block, data in self._blocks.items()
        ]
        nights = self._told.pop(SLEEP, None)
        if nights:
            metrics.append({"name": SLEEP, "units": "hr", "data": nights})
        found: list[Section] = []
        if metrics or self._odd:
            found.append((METRICS, [*metrics, *self._odd]))
        return [*found, *self._told.items()]

    def _take(self, element: Element) -> None:
        kind = element[0]
        if kind == "Record":
            self._add(element, self._samples.record(element))
        elif kind == "Workout":
            self._add(element, Told("workouts", workout(element)))
        elif kind == ELECTROCARDIOGRAM:
            recording = ecg.element(element[1].get("csv", ""))
            self._add(element, None if recording is None else Told("ecg", recording))
        elif kind == "Correlation" and bare(element[1].get("type", "")) == "BloodPressure":
            self._add(element, self._samples.blood_pressure(element))
        else:
            self._leave(element)

    def _add(self, element: Element, said: Reading | Told | None) -> None:
        if said is None:
            self._reject(element)
        elif isinstance(said, Told):
            self._told.setdefault(said.section, []).append(said.element)
        else:
            metric, unit, reading = said
            key = (metric, reading["date"], reading.get("end"), reading.get("source"))
            copy = self._seen[key]
            self._seen[key] = copy + 1
            block = _Block(metric, unit, copy, reading.keys() == _PLAIN)
            self._blocks.setdefault(block, []).append(reading)

    def _leave(self, element: Element) -> None:
        """An element that nobody takes yet is named, not counted."""
        kind = element[0]
        if kind == "Correlation":
            kind += "." + bare(element[1].get("type", ""))
        self.unread.add(f"{SECTION}.{kind}")

    def _reject(self, value: object) -> None:
        """Whoever reads the metrics finds no metric object in it, and says so."""
        self._odd.append(value if not isinstance(value, dict) else [value])


def _is_element(value: Any) -> bool:
    """Whether a value is `[name, {attribute: text}]`, and the same of all elements inside."""
    if not isinstance(value, list) or not 2 <= len(value) <= 3:
        return False
    name, attributes = value[0], value[1]
    if not isinstance(name, str) or not isinstance(attributes, dict):
        return False
    if attributes and {*map(type, attributes.values())} != _ATTRIBUTES:
        return False
    if len(value) == 2:
        return True
    return isinstance(value[2], list) and all(map(_is_element, value[2]))
