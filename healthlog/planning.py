"""What a fold is going to write of one delivery's body."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

from healthlog import layer as layers
from healthlog.base.errors import Refusal
from healthlog.candidates import Candidates, candidates
from healthlog.hae.arrays import Rereader
from healthlog.hae.memory import Memory
from healthlog.hae.metrics import LISTED_REJECTED, Rejections
from healthlog.hae.parse import Parsed, parse
from healthlog.hae.window import Body
from healthlog.mart.quarters import QUARTER_MS
from healthlog.model import Delivery, Rejected
from healthlog.moment import DAY_MS, HOUR_MS
from healthlog.reading import Block, LongBlock, Metric
from healthlog.records.outline import RecordsOutline
from healthlog.records.record import RecordWord

_UNKNOWN = "layer_unknown"

DECLARED, DERIVED, INHERITED = "declared", "derived", "inherited"


class LayerUnknown(Refusal):
    """The body holds only points whose layer nothing tells."""


class Overdue(Refusal):
    """The fold took longer than its own deadline."""


@dataclass(frozen=True, slots=True)
class Heard:
    """A body read by this parser, before the journal's prefix is asked: its own layer and how it
    is known."""

    parsed: Parsed
    own_layer: str | None
    own_origin: str | None

    def uncovered(self) -> tuple[str, ...]:
        """Names of what reading alone left."""
        return tuple(sorted(self.parsed.unread | self.parsed.metrics.rejections.sections))


def hear(
    delivery: Delivery,
    body: bytes | Body,
    check: Callable[[], None],
    memory: Memory | None = None,
) -> Heard:
    """Read a body and work out the delivery's own layer: declared by a section or in its header,
    else derived from its dense metrics. Needs meta and body alone; `memory` is that of
    earlier bodies. Malformed."""
    # Where the clock was in doubt, nothing can be said to lie in the future.
    latest_ms = None if delivery.clock_doubtful else delivery.clock_at_us // 1000 + DAY_MS
    parsed = parse(body, latest_ms, check, memory=memory)
    own = parsed.layer or layers.declared(delivery.aggregation)
    if own is not None:
        return Heard(parsed, own, DECLARED)
    times = {metric.name: metric.times() for metric in parsed.metrics.by_name.values()}
    own = layers.derived(times)
    return Heard(parsed, own, DERIVED if own else None)


@dataclass(frozen=True, slots=True)
class Plan:
    """All that a fold will write, worked out before the mart is touched. What is too long to be
    held is read again for it by `rereader`: `long` metrics, each in its layer, and the records of
    an `outline`."""

    layer: str | None
    layer_origin: str | None
    series: tuple[tuple[str, str, Candidates], ...]
    records: tuple[RecordWord, ...]
    quarters: dict[int, int]
    received: int
    rejected_in: Mapping[str, int]
    rejected: tuple[Rejected, ...]
    uncovered: tuple[str, ...]
    long: tuple[tuple[str, str, Metric], ...] = ()
    outline: RecordsOutline | None = None
    rereader: Rereader | None = None

    @property
    def words(self) -> int:
        """How many words there are about records."""
        return len(self.records) if self.outline is None else self.outline.count


def plan(heard: Heard, inherited: Callable[[], str | None]) -> Plan:
    """Decide layer and coordinate of everything read. `inherited` gives the layer of the nearest
    earlier delivery of the automation and is asked only where it is needed. LayerUnknown when
    the body holds nothing else than metrics of which no layer is known."""
    metrics = heard.parsed.metrics
    spoken = [metric for metric in metrics.by_name.values() if len(metric)]
    layer, origin = (heard.own_layer, heard.own_origin) if spoken else (None, None)
    if layer is None and spoken:
        layer = inherited()
        origin = INHERITED if layer else None
    placed: list[tuple[Metric, str]] = []
    left = Rejections()
    for metric in spoken:
        times = metric.times()
        of_metric = layers.of_metric(metric.name, layer, times)
        all_timed = of_metric is not None and not times.alone.instants
        kept = metric if all_timed else _placed(metric, of_metric, left)
        if of_metric is not None and len(kept):
            placed.append((kept, of_metric))
    others = metrics.rejections.sections - left.sections
    records = heard.parsed.records or heard.parsed.outline
    something_else = placed or records or heard.parsed.unread or others
    if layer is None and spoken and not something_else:
        raise LayerUnknown("nothing tells the layer of the points")
    return Plan(
        layer=layer,
        layer_origin=origin,
        series=tuple((one.name, at, candidates(one, at)) for one, at in placed if not one.long),
        records=heard.parsed.records,
        quarters=_named_quarters(placed, heard.parsed),
        received=metrics.received,
        rejected_in=metrics.rejections.by_section + left.by_section,
        rejected=(*metrics.rejections.listed, *left.listed)[:LISTED_REJECTED],
        uncovered=tuple(sorted({*heard.uncovered(), *left.sections})),
        long=tuple((one.name, at, one) for one, at in placed if one.long),
        outline=heard.parsed.outline,
        rereader=heard.parsed.rereader,
    )


def _placed(metric: Metric, layer: str | None, left: Rejections) -> Metric:
    """The readings of a metric that have a place in its layer. The others are rejected: all where
    no layer is known, those of a date alone where it has instants."""
    if layer in layers.DATED:
        return metric
    reason = _UNKNOWN if layer is None else "date_without_time"
    kept = Metric(metric.name, elements=metric.elements)
    for block in metric.in_order():
        section = f"metrics.{block.sent_as}"
        out = block.all_places() if layer is None else block.places_alone()
        left.add_all(section, ((f"{section}[{at}]", reason) for at in out.first), out.total)
        if layer is not None:
            kept.add(block.only_timed() if out.total else block)
    return kept


def _named_quarters(placed: Sequence[tuple[Metric, str]], parsed: Parsed) -> dict[int, int]:
    """Offset of each quarter of an hour that the body names, by its first word in the body."""
    told = [
        (block.ordinal, _named_by(block, layer))
        for metric, layer in placed
        if layer not in layers.DATED
        for block in metric.in_order()
    ]
    told += ((ordinal, quarters.offsets(1)) for ordinal, quarters in parsed.named)
    named: dict[int, int] = {}
    # Backwards, so that the first word is the one that stays.
    for _, named_by in sorted(told, key=itemgetter(0), reverse=True):
        named |= named_by
    return named


def _named_by(block: Block | LongBlock, layer: str) -> dict[int, int]:
    return block.named(HOUR_MS // QUARTER_MS if layer == layers.HOUR else 1)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A delivery of which all is known before the journal's prefix is asked: its own layer, and
    its plan."""

    own_layer: str | None
    plan: Plan
