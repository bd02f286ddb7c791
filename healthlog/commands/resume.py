"""`resume`: takes the stop off recordings, so that they go on from where they stood."""

from __future__ import annotations

import argparse
import json
from contextlib import closing
from urllib.parse import quote

from healthlog import voice
from healthlog.asking import RunningService
from healthlog.base.clock import SystemClock
from healthlog.base.errors import Refusal
from healthlog.base.lock import FileLock, Taken
from healthlog.calling import Line
from healthlog.commands.context import WrongUsage, command, settings_of
from healthlog.config import Settings
from healthlog.databases import open_up_to_date
from healthlog.home import Home
from healthlog.imports.door import JOURNAL, journal_mark
from healthlog.tokens import READ, Tokens

_CALLS = "/api/v1/recordings"


class NotStopped(Refusal):
    """There is no such recording, or it isn't stopped."""


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = command(commands, "resume", "take up stopped recordings again", run)
    parser.add_argument("id", nargs="?", metavar="ID", help="the recording")
    parser.add_argument(
        "--reason", choices=voice.REASONS, help="all recordings that were stopped for this reason"
    )


def run(arguments: argparse.Namespace) -> int:
    settings = settings_of(arguments)
    if (arguments.id is None) == (arguments.reason is None):
        raise WrongUsage("resume needs either the ID of a recording or --reason")
    Home(settings.data).require()
    lock = FileLock(Home(settings.data).lock)
    try:
        lock.acquire()
    except Taken:
        resumed = _by_service(settings, arguments.id, arguments.reason)
    else:
        try:
            resumed = _here(settings, arguments.id, arguments.reason)
        finally:
            lock.release()
    print(json.dumps({"resumed": resumed}))
    return 0


def _here(settings: Settings, recording_id: str | None, reason: str | None) -> int:
    clock, path = SystemClock(), Home(settings.data).journal
    with closing(open_up_to_date(path, "journal", clock, settings.journal_mode)) as journal:
        stopped = voice.stopped(journal, clock)
        if recording_id is None:
            return stopped.all_of(str(reason))
        if not stopped.one(recording_id):
            raise NotStopped(f"{recording_id}: there is no stopped recording of that id")
        return 1


def _by_service(settings: Settings, recording_id: str | None, reason: str | None) -> int:
    home = Home(settings.data)
    token = Tokens(home.tokens, settings.ingest_token, settings.read_token).show(READ)
    mark = journal_mark(home.journal)
    line = Line(settings.listen, settings.tls_cert)
    service = RunningService(line, token, mark_header=JOURNAL, mark=mark)
    if recording_id is not None:
        service.post(f"{_CALLS}/{quote(recording_id, safe='')}/resume")
        return 1
    resumed = service.post(f"{_CALLS}/resume?reason={reason}").get("resumed")
    return resumed if isinstance(resumed, int) else 0
