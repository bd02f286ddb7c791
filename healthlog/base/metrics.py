"""Counts for Prometheus: kept in memory, told as text.

Format: https://prometheus.io/docs/instrumenting/exposition_formats/ (text format 0.0.4).
"""

from __future__ import annotations

import math
import re
import threading
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0)
"""Upper bounds of a histogram of spans, from an acceptance on a quick disk to a long fold."""

_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
_ESCAPES = str.maketrans({"\\": "\\\\", "\n": "\\n", '"': '\\"'})

Labels = tuple[str, ...]
Samples = Iterable[tuple[Mapping[str, str], float]]


class Registry:
    """All families of one process, told in the order in which they were made.

    Every method may be called from many threads. ValueError for a name given twice or a name
    that Prometheus doesn't take.
    """

    def __init__(self) -> None:
        self._families: dict[str, Callable[[], Iterator[str]]] = {}

    def counter(self, name: str, told: str, labels: Sequence[str] = ()) -> Counter:
        """A number that only grows, one for each combination of the labels' values."""
        made = Counter(name, told, labels)
        self._add(name, labels, made.lines)
        return made

    def histogram(self, name: str, told: str, bounds: Sequence[float] = SECONDS) -> Histogram:
        """How often a value was at most each of `bounds` (ascending)."""
        made = Histogram(name, told, bounds)
        self._add(name, (), made.lines)
        return made

    def gauge(self, name: str, told: str, read: Callable[[], Samples]) -> None:
        """Numbers that are asked for when somebody looks; none is no sample."""
        self._add(name, (), lambda: _gauge_lines(name, told, read()))

    def text(self) -> str:
        """All of it, ending with a line feed."""
        return "".join(f"{line}\n" for lines in self._families.values() for line in lines())

    def _add(self, name: str, labels: Sequence[str], lines: Callable[[], Iterator[str]]) -> None:
        if not all(_NAME.fullmatch(one) for one in (name, *labels)):
            raise ValueError(f"{name} {labels}: not names that Prometheus takes")
        if name in self._families:
            raise ValueError(f"{name} is there already")
        self._families[name] = lines


class Counter:
    """Made by `Registry.counter`."""

    def __init__(self, name: str, told: str, labels: Sequence[str]) -> None:
        self._name, self._told, self._labels = name, told, tuple(labels)
        self._lock = threading.Lock()
        self._counts: dict[Labels, int] = {} if labels else {(): 0}

    def add(self, count: int = 1, **labels: str) -> None:
        """ValueError unless exactly the family's labels are given."""
        if set(labels) != set(self._labels):
            raise ValueError(f"{self._name} has the labels {self._labels}")
        key = tuple(labels[label] for label in self._labels)
        with self._lock:
            self._counts[key] = self._counts.get(key, 0) + count

    def value(self, **labels: str) -> int:
        """What was counted under these labels."""
        with self._lock:
            return self._counts.get(tuple(labels[label] for label in self._labels), 0)

    def lines(self) -> Iterator[str]:
        with self._lock:
            counts = sorted(self._counts.items())
        yield from _head(self._name, "counter", self._told)
        for key, count in counts:
            yield _line(self._name, dict(zip(self._labels, key, strict=True)), count)


class Histogram:
    """Made by `Registry.histogram`."""

    def __init__(self, name: str, told: str, bounds: Sequence[float]) -> None:
        self._name, self._told, self._bounds = name, told, tuple(bounds)
        self._lock = threading.Lock()
        self._counts = [0] * (len(self._bounds) + 1)
        self._sum = 0.0

    def observe(self, value: float) -> None:
        place = bisect_left(self._bounds, value)
        with self._lock:
            self._counts[place] += 1
            self._sum += value

    def lines(self) -> Iterator[str]:
        with self._lock:
            counts, total = list(self._counts), self._sum
        yield from _head(self._name, "histogram", self._told)
        seen = 0
        for bound, count in zip((*self._bounds, math.inf), counts, strict=True):
            seen += count
            yield _line(f"{self._name}_bucket", {"le": _number(bound)}, seen)
        yield _line(f"{self._name}_sum", {}, total)
        yield _line(f"{self._name}_count", {}, seen)


def _gauge_lines(name: str, told: str, samples: Samples) -> Iterator[str]:
    yield from _head(name, "gauge", told)
    for labels, value in samples:
        yield _line(name, labels, value)


def _head(name: str, kind: str, told: str) -> Iterator[str]:
    escaped = told.replace("\\", "\\\\").replace("\n", "\\n")
    yield f"# HELP {name} {escaped}"
    yield f"# TYPE {name} {kind}"


def _line(name: str, labels: Mapping[str, str], value: float) -> str:
    inside = ",".join(f'{label}="{said.translate(_ESCAPES)}"' for label, said in labels.items())
    return f"{name}{{{inside}}} {_number(value)}" if inside else f"{name} {_number(value)}"


def _number(value: float) -> str:
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return repr(int(value)) if float(value).is_integer() else repr(value)
