"""The one door between the two halves: the recordings, as the rest of the service needs them."""

from __future__ import annotations

from dataclasses import asdict

from healthlog.base.clock import Clock
from healthlog.base.db import Database
from healthlog.base.files import free_bytes
from healthlog.base.log import Log
from healthlog.base.metrics import Registry
from healthlog.base.web import Budget, Route
from healthlog.config import BadSetting, Settings
from healthlog.tokens import INGEST, READ
from healthlog.transcriber.doors import routes as doors
from healthlog.transcriber.doors.desk import Desk
from healthlog.transcriber.doors.upload import Upload
from healthlog.transcriber.edits import LONGEST, TOPIC_MAX, TOPICS_MAX
from healthlog.transcriber.recordings import Recordings
from healthlog.transcriber.resume import Resumption
from healthlog.transcriber.rows import HTTP, TELEGRAM
from healthlog.transcriber.settings import CannotWork, settings_of
from healthlog.transcriber.stages import NAMES
from healthlog.transcriber.stop import REASONS as STOP_REASONS
from healthlog.transcriber.telegram.settings import telegram_of
from healthlog.transcriber.transcript import FORMATS

STAGES, REASONS, SOURCES, TRANSCRIPTS = NAMES, STOP_REASONS, (HTTP, TELEGRAM), FORMATS
"""The recordings' own words: what the rest asks by, and describes."""

LONGEST_TEXTS, LONGEST_TOPIC, MOST_TOPICS = LONGEST, TOPIC_MAX, TOPICS_MAX
"""Characters of what a person writes, by field, and of a topic; how many topics."""


def recordings(
    settings: Settings,
    journal: Database,
    *,
    clock: Clock,
    log: Log,
    registry: Registry,
    min_free: int,
) -> Recordings:
    """All that turns recordings into text. BadSetting for settings that can't work."""
    try:
        return Recordings(
            settings.data,
            journal,
            settings_of(asdict(settings.recordings)),
            clock=clock,
            log=log,
            registry=registry,
            min_free=min_free,
            telegram=telegram_of(asdict(settings.telegram)),
        )
    except CannotWork as error:
        raise BadSetting(str(error)) from error


def desk(made: Recordings, settings: Settings, *, clock: Clock, mark: str) -> Desk:
    """The calls about them. `mark` tells this service's journal from every other."""
    return Desk(made, clock, settings.recordings.workers, settings.timezone, mark)


def routes(made: Desk, settings: Settings, *, min_free: int) -> tuple[Route, ...]:
    """Their addresses."""
    given = settings.recordings
    upload = Upload(
        made.recordings.intake,
        max_body=given.max_body,
        room=lambda: free_bytes(settings.data) - min_free,
    )
    budget = Budget(given.read_timeout, given.read_timeout + settings.write_timeout)
    return doors.routes(made, upload, scopes=(INGEST, READ), max_body=given.max_body, budget=budget)


def stopped(journal: Database, clock: Clock) -> Resumption:
    """What may be done about stopped recordings where no service runs."""
    return Resumption(journal, clock=clock, wake=lambda: None)
