"""All parts of the recordings, put together: what the service starts, asks, stops."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from healthlog.base.clock import Clock
from healthlog.base.db import Database
from healthlog.base.log import Log
from healthlog.base.metrics import Registry, Samples
from healthlog.base.runtime import Deadline
from healthlog.transcriber import claims, leftovers
from healthlog.transcriber.ffmpeg import Ffmpeg
from healthlog.transcriber.intake import Intake
from healthlog.transcriber.normalised import Normaliser
from healthlog.transcriber.numbers import Numbers, numbers
from healthlog.transcriber.pipeline import Counts, Pipeline
from healthlog.transcriber.places import Places
from healthlog.transcriber.providers.base import Provider
from healthlog.transcriber.providers.choose import providers as set_up
from healthlog.transcriber.removal import Removal
from healthlog.transcriber.reply import Entrance, Replies
from healthlog.transcriber.resume import Resumption
from healthlog.transcriber.rows import TELEGRAM
from healthlog.transcriber.settings import Settings, check
from healthlog.transcriber.stages import NAMES
from healthlog.transcriber.steps.base import Step
from healthlog.transcriber.steps.chain import Chain
from healthlog.transcriber.steps.chain import chain as chain_of
from healthlog.transcriber.steps.recognising import Recognising
from healthlog.transcriber.stop import Stopper
from healthlog.transcriber.telegram.settings import Telegram
from healthlog.transcriber.turn import Turns
from healthlog.transcriber.workers import Workers

if TYPE_CHECKING:
    from healthlog.transcriber.telegram.bot import Bot

_PROVIDERS_SHARE = 0.5
"""This share of what a stop's budget has left after the workers is for the recognisers."""
_BOTS_SHARE = 0.25
"""And this one for the bot."""


class Recordings:
    """The half of the service that turns recordings into text.

    `intake` takes recordings in, `entrances` are the ways by which their senders are answered (put
    in by source before `start`), `stopper`, `resumption`, `removal` are what a person may do.
    `min_free` bytes of the disk are left to others. With `telegram` the bot is one of the ways in,
    and is there as `bot`. `providers` stand in for the recognisers that
    the settings name, `steps` for those of the same names.
    """

    def __init__(
        self,
        data: Path,
        store: Database,
        settings: Settings,
        *,
        clock: Clock,
        log: Log,
        registry: Registry,
        min_free: int = 0,
        providers: dict[str, Provider] | None = None,
        steps: Mapping[str, Step] | None = None,
        telegram: Telegram | None = None,
    ) -> None:
        """CannotWork when the settings can't."""
        self.store = store
        self.places = Places(data)
        self._clock = clock
        self._log = log
        self._registry = registry
        self._settings = settings
        self._ffmpeg = Ffmpeg(settings.normalise_timeout)
        self._providers = providers or set_up(settings, places=self.places, clock=clock)
        normaliser = Normaliser(self.places, self._ffmpeg, min_free=min_free)
        recognising = Recognising(normaliser, self._providers, settings.provider)
        usual = chain_of(normaliser, recognising, settings.poll_delay)
        self.chain = Chain({**usual.steps, **(steps or {})})
        check(settings, self.chain)
        self.entrances: dict[str, Entrance] = {}
        self.replies = Replies(
            self.entrances,
            log=log,
            undelivered=registry.counter(
                "healthlog_undelivered_replies_total",
                "Answers to senders of recordings that could not be given.",
                ("reason",),
            ),
        )
        self.stopper = self._make_stopper()
        self.pipeline = self._make_pipeline()
        self.workers = Workers(self.pipeline, store, count=settings.workers, clock=clock, log=log)
        self.intake = Intake(
            self.places,
            store,
            clock=clock,
            log=log,
            wake=self.workers.wake,
            stopper=self.stopper,
            min_free=min_free,
        )
        self.resumption = Resumption(store, clock=clock, wake=self.workers.wake)
        self.removal = Removal(store, self.places, recognising, clock)
        self.bot = None if telegram is None else self._make_bot(telegram)
        self._add_gauges()

    def prepare(self) -> None:
        """Remove what an earlier run left half done: before anything is taken in, under the lock of
        the data directory."""
        self.intake.prepare()
        leftovers.sweep(self.places, self.store)

    def start(self) -> None:
        """Begin to work."""
        self.workers.start()
        if self.bot is not None:
            self.bot.start()

    def ask_to_stop(self) -> None:
        """Begin to stop."""
        self.workers.ask_to_stop()
        if self.bot is not None:
            self.bot.ask_to_stop()

    def stop(self, deadline: Deadline) -> list[str]:
        """Stop by then; the names of what is still at work."""
        # The recognisers' own processes end in the rest of the time.
        share_s = deadline.left() * _PROVIDERS_SHARE
        late = self.workers.stop(Deadline.after(self._clock, share_s))
        if self.bot is not None:
            # Which cuts the answers that workers may still be giving.
            cut = self.bot.stop(Deadline.after(self._clock, deadline.left() * _BOTS_SHARE))
            rest = Deadline.after(self._clock, deadline.left() * _PROVIDERS_SHARE)
            late = cut + (self.workers.stop(rest) if late else [])
        for provider in self._providers.values():
            provider.stop(deadline.left())
        return late

    def missing(self) -> tuple[str, ...]:
        """What has to be there for recordings to become text and isn't, a sentence each."""
        chosen = self._providers.get(self._settings.provider)
        return (*self._ffmpeg.missing(), *(() if chosen is None else chosen.missing()))

    def told(self) -> dict[str, object]:
        """What `/stats` tells beside the counts: every stage with none, the threads at work, what
        is missing."""
        state = self.workers.state
        told = {**dict.fromkeys(NAMES, 0), "workers": state.alive, "missing": list(self.missing())}
        return told if self.bot is None else {**told, "telegram": self.bot.told()}

    def numbers(self) -> Numbers:
        """Counted now."""
        return self.store.read(lambda c: numbers(c, self._clock.now_us()))

    def _make_stopper(self) -> Stopper:
        return Stopper(
            self.store,
            clock=self._clock,
            log=self._log,
            replies=self.replies,
            stopped=self._registry.counter(
                "healthlog_recordings_stopped_total", "Recordings that were stopped.", ("reason",)
            ),
        )

    def _make_bot(self, telegram: Telegram) -> Bot:
        # What it needs takes long to load, and not everybody has set it up.
        from healthlog.transcriber.telegram.bot import Bot  # noqa: PLC0415

        bot = Bot(
            telegram,
            self.intake,
            self.store,
            clock=self._clock,
            log=self._log,
            registry=self._registry,
        )
        self.entrances[TELEGRAM] = bot.answers
        return bot

    def _make_pipeline(self) -> Pipeline:
        limits, registry = self._settings.limits, self._registry
        turns = Turns(
            self.store,
            self.chain,
            stopper=self.stopper,
            replies=self.replies,
            limits=limits,
            clock=self._clock,
            log=self._log,
        )
        counts = Counts(
            steps=registry.counter(
                "healthlog_recording_steps_total",
                "Steps of recordings by the stage they began at.",
                ("stage", "outcome"),
            ),
            busy=registry.counter(
                "healthlog_recording_claims_busy_total",
                "Looks for work that found the database locked.",
            ),
        )
        return Pipeline(
            self.store,
            turns,
            self.stopper,
            limits=limits,
            counts=counts,
            clock=self._clock,
            log=self._log,
            run=claims.new_run(),
        )

    def _add_gauges(self) -> None:
        add = self._registry.gauge
        add("healthlog_recordings", "Recordings by stage; those that stand still.", self._stages)
        add(
            "healthlog_recording_stage_seconds",
            "The longest that a recording has stood at a stage with work to do.",
            lambda: [({"stage": s}, v) for s, v in self.numbers().longest_s.items()],
        )
        add(
            "healthlog_recording_claim_overdue_seconds",
            "How long ago the lease of the oldest claim ended.",
            lambda: [({}, self.numbers().overdue_s)],
        )

    def _stages(self) -> Samples:
        told = self.numbers()
        by_stage = [({"stage": stage}, float(count)) for stage, count in told.by_stage.items()]
        return [*by_stage, ({"stage": "stopped"}, float(told.stopped))]
