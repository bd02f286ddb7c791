"""How the parts of a service are made of its ground."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from healthlog.base.files import free_bytes, total_bytes
from healthlog.builder import Build
from healthlog.fold import Folder, MartDamaged
from healthlog.ground import Ground
from healthlog.journal import outcomes, queue, rows
from healthlog.mending import Mending
from healthlog.model import Delivery, Verdict
from healthlog.notices.channels import channels, low_bytes
from healthlog.notices.refusals import LastRefusals
from healthlog.notices.watch import Watch
from healthlog.prefix import JournalPrefix
from healthlog.rebuild import Rebuild, Site
from healthlog.replay import Player, Stage
from healthlog.series.source_order import SourceOrder
from healthlog.summaries.keeper import Summaries
from healthlog.worker import Work, Worker


@dataclass(frozen=True, slots=True)
class Hooks:
    """What the worker calls: before each pass, on a damaged mart, between two deliveries, and when
    an outcome was kept, with how long it took (s)."""

    before_pass: Callable[[], object]
    on_damage: Callable[[MartDamaged], object]
    between: Callable[[], object]
    judged: Callable[[str, float], None]


def make_rebuild(
    ground: Ground, mending: Mending, build: Build, wake: Callable[[], None]
) -> Rebuild:
    """The rebuild of the mart beside the one that answers; none is begun yet."""
    settings = ground.settings
    site = Site(
        journal=ground.journal,
        mart=ground.mart,
        archive=ground.archive,
        mending=mending,
        build=build,
        wake=wake,
        room=lambda: free_bytes(settings.data) - ground.min_free,
    )
    return Rebuild(
        site,
        log=ground.log,
        clock=ground.clock,
        fold_timeout_s=settings.fold_timeout,
        journal_mode=settings.journal_mode,
    )


def make_watch(ground: Ground, refusals: LastRefusals) -> Watch:
    """Who tells the owner when something is wrong; its thread is for the caller to start."""
    settings = ground.settings
    return Watch(
        ground.journal,
        channels(settings.notify),
        refusals,
        free=lambda: free_bytes(settings.data),
        low=low_bytes(settings.notify, total_bytes(settings.data)),
        log=ground.log,
        clock=ground.clock,
    )


def make_worker(ground: Ground, hooks: Hooks) -> Worker:
    """The worker that folds; its thread is for the caller to start."""
    settings, journal, archive = ground.settings, ground.journal, ground.archive

    def find(delivery_id: str) -> Delivery | None:
        entry = journal.read(lambda c: rows.get(c, delivery_id))
        return None if entry is None else entry.delivery

    def keep(delivery_id: str, verdict: Verdict) -> None:
        journal.write(lambda c: outcomes.write_verdict(c, delivery_id, verdict))

    player = Player(
        Stage(
            find=find,
            read_body=archive.opener,
            prefix=JournalPrefix(journal, archive.opener),
            folder=Folder(ground.mart, ground.clock),
            keep=keep,
        ),
        log=ground.log,
        clock=ground.clock,
        fold_timeout_s=settings.fold_timeout,
        judged=hooks.judged,
    )
    order = SourceOrder(settings.source_order)
    summaries = Summaries(ground.mart, order, log=ground.log, clock=ground.clock)
    work = Work(
        pending_page=lambda after, limit: journal.read(
            lambda c: queue.pending_page(c, after, limit)
        ),
        pending_count=lambda: journal.read(queue.pending_count),
        before_pass=hooks.before_pass,
        on_damage=hooks.on_damage,
        between=hooks.between,
        idle=summaries.keep_up,
    )
    return Worker(
        work,
        player,
        log=ground.log,
        clock=ground.clock,
        tick_s=settings.tick,
        lag_warning_s=settings.lag_warning,
    )
