"""The fold: what is planned of one delivery into the mart."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from healthlog.account import Fates, with_history
from healthlog.base.clock import Clock
from healthlog.base.errors import Circumstance, Damaged
from healthlog.coverage import COVERED, Coverage
from healthlog.hae.parse import METRICS
from healthlog.mart import folded, quarters
from healthlog.mart.changes import Changes
from healthlog.mart.dictionary import Dictionary
from healthlog.mart.folded import Line
from healthlog.mart.merged import summarise
from healthlog.mart.points import SeriesMerge
from healthlog.mart.records import RecordsMerge
from healthlog.mart.remembered import Remembered
from healthlog.mart.speaker import Speaker
from healthlog.mart.store import Mart
from healthlog.model import PARSER, Account, Counts, Delivery
from healthlog.planning import Plan
from healthlog.records.record import SECTION_OF
from healthlog.slices import slices


class MartDamaged(Circumstance):
    """The mart can't be read or contradicts the journal: it is to be made anew."""


class Folder:
    """Writes plans into one mart: one transaction for each delivery, its account included.

    What a fold changes is `noted` for whoever keeps a copy, unless nobody can have one yet.
    What it wrote last is `remembered`; where that is late, `settle` is to be called in the end.
    `coverage` and `parser` are the rules that the plans were made by.
    """

    def __init__(
        self,
        mart: Mart,
        clock: Clock,
        *,
        noted: bool = True,
        remembered: Remembered | None = None,
        coverage: Coverage = COVERED,
        parser: int = PARSER,
    ) -> None:
        self._mart = mart
        self._clock = clock
        self._noted = noted
        self._coverage = coverage
        self._parser = parser
        self._remembered = remembered or Remembered()

    def fold(self, delivery: Delivery, planned: Plan, check: Callable[[], None]) -> Account:
        """Merge a plan. What these rules have folded already, with the same layer, gives its
        stored account back and touches nothing; so does what another parser has folded, until the
        mart is made anew. What was folded by rules that covered less keeps the fates it had and
        gets those of the news. MartDamaged when the mart can't be read, or holds the delivery in
        another layer, for its readings can't be taken back."""

        remembered = self._remembered

        def work(connection: sqlite3.Connection) -> Account:
            remembered.begin(connection)
            line = folded.find(connection, delivery.delivery_id)
            if line is not None and self._stands(line, planned.layer):
                return line.account
            number = folded.next_number(connection) if line is None else line.delivery
            changes = Changes(connection, noted=self._noted)
            remembered.follow(changes.fold)
            ranks = folded.Ranks(connection, number, delivery.rank, remembered.ranks)
            speaker = Speaker(number, delivery, ranks, changes, check)
            fates = self._merged(connection, planned, speaker)
            named = quarters.naming(
                connection, planned.quarters, number, ranks, remembered.quarters
            )
            records = RecordsMerge(
                connection, speaker, remembered.records, days_move=bool(named.moved)
            )
            records.run(planned.records)
            for together in planned.outline.words() if planned.outline else ():
                records.run(together)
            if planned.rereader is not None:
                planned.rereader.close()
            changes.clock(quarters.name(connection, named, number, remembered.quarters))
            for kind, of_kind in records.fates().items():
                fates.take(SECTION_OF[kind], of_kind)
            parts = with_history(fates.by_part(), {} if line is None else line.parts)
            account = self._account(planned, parts)
            folded.write(connection, number, delivery, account, parts)
            remembered.written(connection)
            return account

        try:
            if planned.long or remembered.is_full:
                self.settle()
                remembered.forget()
            if planned.long:
                # Read in slices, it would be held in memory otherwise.
                remembered.points.clear()
            account = self._mart.write(work)
            remembered.keep()
        except Damaged as error:
            raise MartDamaged(str(error)) from error
        return account

    def settle(self) -> None:
        """Write what is left to be written, once all is folded."""
        remembered = self._remembered

        def work(connection: sqlite3.Connection) -> None:
            remembered.begin(connection)
            remembered.settle(connection)

        remembered.undo()
        if remembered.owes:
            self._mart.write(work)
        remembered.keep()

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
        names, recent = Dictionary(connection, self._remembered.names), self._remembered.points
        merge = partial(SeriesMerge, connection, names, speaker, recent=recent)
        merged = {
            metric: merge(metric, layer).run([found]) for metric, layer, found in planned.series
        }
        for metric, layer, readings in planned.long:
            merged[metric] = merge(metric, layer, long=True).run(slices(readings, layer))
        summarise(connection, speaker, merged.values())
        fates = Fates(self._coverage)
        for metric, one in merged.items():
            fates.take(f"{METRICS}.{metric}", one.fates, one.incomparable)
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
