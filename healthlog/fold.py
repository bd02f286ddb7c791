"""The fold: one delivery's body into the mart."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

from healthlog import layer as layers
from healthlog.account import Fates, with_history
from healthlog.base.clock import Clock
from healthlog.base.errors import Circumstance, Damaged, Refusal
from healthlog.candidates import Candidates, candidates
from healthlog.coverage import COVERED, Coverage
from healthlog.hae.metrics import LISTED_REJECTED, Rejections
from healthlog.hae.parse import METRICS, Parsed, parse
from healthlog.mart import folded, quarters
from healthlog.mart.changes import Changes
from healthlog.mart.dictionary import Dictionary
from healthlog.mart.folded import Line
from healthlog.mart.points import SeriesMerge, Speaker
from healthlog.mart.quarters import QUARTER_MS
from healthlog.mart.records import RecordsMerge
from healthlog.mart.store import Mart
from healthlog.model import PARSER, Account, Counts, Delivery, Rejected
from healthlog.moment import DAY_MS, HOUR_MS
from healthlog.reading import Block, Metric
from healthlog.records.record import SECTION_OF, RecordWord

_UNKNOWN = "layer_unknown"

DECLARED, DERIVED, INHERITED = "declared", "derived", "inherited"


class LayerUnknown(Refusal):
    """The body holds only points whose layer nothing tells."""


class Overdue(Refusal):
    """The fold took longer than its own deadline."""


class MartDamaged(Circumstance):
    """The mart can't be read or contradicts the journal: it is to be made anew."""


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


def hear(delivery: Delivery, body: bytes, check: Callable[[], None]) -> Heard:
    """Read a body and work out the delivery's own layer: declared by a section or in its header,
    else derived from its dense metrics. Needs meta and body alone. Malformed."""
    # Where the clock was in doubt, nothing can be said to lie in the future.
    latest_ms = None if delivery.clock_doubtful else delivery.clock_at_us // 1000 + DAY_MS
    parsed = parse(body, latest_ms, check)
    own = parsed.layer or layers.declared(delivery.aggregation)
    if own is not None:
        return Heard(parsed, own, DECLARED)
    moments = {metric.name: metric.moments() for metric in parsed.metrics.by_name.values()}
    own = layers.derived(moments)
    return Heard(parsed, own, DERIVED if own else None)


@dataclass(frozen=True, slots=True)
class Plan:
    """All that a fold will write, worked out before the mart is touched."""

    layer: str | None
    layer_origin: str | None
    series: tuple[tuple[str, str, Candidates], ...]
    records: tuple[RecordWord, ...]
    quarters: dict[int, int]
    received: int
    rejected_in: Mapping[str, int]
    rejected: tuple[Rejected, ...]
    uncovered: tuple[str, ...]


def plan(heard: Heard, inherited: Callable[[], str | None]) -> Plan:
    """Decide layer and coordinate of everything read. `inherited` gives the layer of the nearest
    earlier delivery of the automation and is asked only where it is needed. LayerUnknown when
    the body holds nothing else than metrics of which no layer is known."""
    metrics = heard.parsed.metrics
    spoken = [metric for metric in metrics.by_name.values() if any(map(len, metric.blocks))]
    layer, origin = (heard.own_layer, heard.own_origin) if spoken else (None, None)
    if layer is None and spoken:
        layer = inherited()
        origin = INHERITED if layer else None
    placed: list[tuple[Metric, str]] = []
    left = Rejections()
    for metric in spoken:
        of_metric = layers.of_metric(metric.name, layer, metric.moments())
        kept = _placed(metric, of_metric, left)
        if of_metric is not None and any(map(len, kept.blocks)):
            placed.append((kept, of_metric))
    others = metrics.rejections.sections - left.sections
    something_else = placed or heard.parsed.records or heard.parsed.unread or others
    if layer is None and spoken and not something_else:
        raise LayerUnknown("nothing tells the layer of the points")
    return Plan(
        layer=layer,
        layer_origin=origin,
        series=tuple((one.name, at, candidates(one, at)) for one, at in placed),
        records=heard.parsed.records,
        quarters=_named_quarters(placed, heard.parsed.records),
        received=metrics.received,
        rejected_in=metrics.rejections.by_section + left.by_section,
        rejected=(*metrics.rejections.listed, *left.listed)[:LISTED_REJECTED],
        uncovered=tuple(sorted({*heard.uncovered(), *left.sections})),
    )


def _placed(metric: Metric, layer: str | None, left: Rejections) -> Metric:
    """The readings of a metric that have a place in its layer. The others are rejected: all where
    no layer is known, those of a date alone where it has instants."""
    if layer in layers.DATED:
        return metric
    reason = _UNKNOWN if layer is None else "date_without_time"
    blocks = []
    for block in metric.blocks:
        instants_ms = [None if layer is None else one.at_ms for one in block.readings.moments]
        if None not in instants_ms:
            blocks.append(block)
            continue
        blocks.append(block.only([at_ms is not None for at_ms in instants_ms]))
        section = f"metrics.{block.sent_as}"
        for place in sorted({*block.places}.difference(blocks[-1].places)):
            left.add(section, f"{section}[{place}]", reason)
    return Metric(metric.name, blocks, metric.elements)


def _named_quarters(
    placed: Sequence[tuple[Metric, str]], records: Sequence[RecordWord]
) -> dict[int, int]:
    """Offset of each quarter of an hour that the body names, by its first word in the body."""
    told = [
        (block.ordinal, _named_by(block, layer))
        for metric, layer in placed
        if layer not in layers.DATED
        for block in metric.blocks
    ]
    for word in records:
        named_by = {at_ms // QUARTER_MS: offset for at_ms, offset in reversed(word.named)}
        told.append((word.ordinal, named_by))
    named: dict[int, int] = {}
    for _, named_by in sorted(told, key=itemgetter(0)):
        for quarter, offset_min in named_by.items():
            named.setdefault(quarter, offset_min)
    return named


def _named_by(block: Block, layer: str) -> dict[int, int]:
    steps = range(HOUR_MS // QUARTER_MS if layer == layers.HOUR else 1)
    # Backwards, so that in the block, too, the first word is the one that stays.
    return {
        at_ms // QUARTER_MS + step: offset_min
        for _, _, at_ms, offset_min in reversed(block.readings.moments)
        if at_ms is not None and offset_min is not None
        for step in steps
    }


class Folder:
    """Writes plans into one mart: one transaction for each delivery, its account included.

    What a fold changes is `noted` for whoever keeps a copy, unless nobody can have one yet.
    `coverage` and `parser` are the rules that the plans were made by.
    """

    def __init__(
        self,
        mart: Mart,
        clock: Clock,
        *,
        noted: bool = True,
        coverage: Coverage = COVERED,
        parser: int = PARSER,
    ) -> None:
        self._mart = mart
        self._clock = clock
        self._noted = noted
        self._coverage = coverage
        self._parser = parser

    def fold(self, delivery: Delivery, planned: Plan, check: Callable[[], None]) -> Account:
        """Merge a plan. What these rules have folded already, with the same layer, gives its
        stored account back and touches nothing; so does what another parser has folded, until the
        mart is made anew. What was folded by rules that covered less keeps the fates it had and
        gets those of the news. MartDamaged when the mart can't be read, or holds the delivery in
        another layer, for its readings can't be taken back."""

        def work(connection: sqlite3.Connection) -> Account:
            line = folded.find(connection, delivery.delivery_id)
            if line is not None and self._stands(line, planned.layer):
                return line.account
            number = folded.next_number(connection) if line is None else line.delivery
            ranks = folded.Ranks(connection, number, delivery.rank)
            changes = Changes(connection, noted=self._noted)
            speaker = Speaker(number, delivery, ranks, changes, check)
            fates = self._merged(connection, planned, speaker)
            records = RecordsMerge(connection, speaker)
            records.run(planned.records)
            changes.clock(quarters.name(connection, planned.quarters, number, ranks))
            for kind, of_kind in records.fates().items():
                fates.take(SECTION_OF[kind], of_kind)
            parts = with_history(fates.by_part(), {} if line is None else line.parts)
            account = self._account(planned, parts)
            folded.write(connection, number, delivery, account, parts)
            return account

        try:
            return self._mart.write(work)
        except Damaged as error:
            raise MartDamaged(str(error)) from error

    def _stands(self, line: Line, layer: str | None) -> bool:
        """Whether what the mart holds of a delivery is left as it is."""
        stood = line.account
        if stood.parser != self._parser:
            return True
        covers_more = self._coverage.number > stood.coverage
        # Only where none of its metrics was read had it no layer that it could have now.
        if stood.layer != layer and not (covers_more and stood.layer is None):
            raise MartDamaged(f"the mart holds {line.delivery_id} in another layer")
        return not covers_more

    def _merged(self, connection: sqlite3.Connection, planned: Plan, speaker: Speaker) -> Fates:
        names = Dictionary(connection)
        fates = Fates(self._coverage)
        for metric, layer, found in planned.series:
            merged = SeriesMerge(connection, names, speaker, metric, layer).run(found)
            fates.take(f"{METRICS}.{metric}", merged.fates, merged.incomparable)
        fates.reject(planned.rejected_in)
        return fates

    def _account(self, planned: Plan, parts: Mapping[str, Counts]) -> Account:
        return Account(
            folded_at_us=self._clock.now_us(),
            layer=planned.layer,
            layer_origin=planned.layer_origin,
            counts=replace(sum(parts.values(), start=Counts()), received=planned.received),
            uncovered=planned.uncovered,
            rejected=planned.rejected,
            parser=self._parser,
            coverage=self._coverage.number,
        )
