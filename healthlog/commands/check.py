"""`check`: is the log sound?"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from healthlog.archive.store import Archive
from healthlog.base.clock import Clock, SystemClock
from healthlog.base.db import Database
from healthlog.base.errors import Damaged
from healthlog.check import (
    Finding,
    MartUnreadable,
    check_accounts,
    check_archive,
    check_database,
    check_journal,
    contentless,
)
from healthlog.check_audio import check_audio
from healthlog.commands.context import command, error_log, settings_of
from healthlog.commands.digest import digest_of
from healthlog.commands.progress import progress
from healthlog.config import Settings
from healthlog.databases import Unusable, open_to_look
from healthlog.home import Home
from healthlog.reindex import Replay


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = command(
        commands, "check", "compare archive, journal and mart, naming whatever differs", run
    )
    parser.add_argument(
        "--rebuild",
        action="store_true",
        help="also replay the archive and compare the digest (pending deliveries will differ)",
    )


def run(arguments: argparse.Namespace) -> int:
    settings = settings_of(arguments)
    home = Home(settings.data)
    home.require()
    found = 0
    with closing(open_to_look(home.journal, "journal", SystemClock())) as journal:
        log = _Log(settings, home, Archive(settings.data), journal, SystemClock())
        for finding in _findings(log, rebuild=arguments.rebuild):
            found += 1
            print(f"{finding.what}: {finding.problem}")
        print(json.dumps({"findings": found, "failed_without_content": contentless(journal)}))
    return 1 if found else 0


@dataclass(frozen=True, slots=True)
class _Log:
    """What is checked."""

    settings: Settings
    home: Home
    archive: Archive
    journal: Database
    clock: Clock


def _findings(log: _Log, *, rebuild: bool) -> Iterator[Finding]:
    yield from check_database(log.journal, log.home.journal.name)
    yield from check_archive(log.archive, progress(sys.stderr, "bodies"))
    yield from check_journal(log.archive, log.journal)
    yield from check_audio(log.home.data, log.journal)
    # A mart that can't be read is a finding like others: it can be made again.
    try:
        mart = open_to_look(log.home.mart, "mart", log.clock)
    except (Damaged, Unusable) as error:
        yield Finding(log.home.mart.name, str(error))
        return
    with closing(mart):
        try:
            yield from check_database(mart, log.home.mart.name)
            yield from check_accounts(log.journal, mart)
        except (MartUnreadable, Damaged) as error:
            yield Finding(log.home.mart.name, str(error))
            return
    if rebuild:
        yield from _rebuilt(log)


def _rebuilt(log: _Log) -> Iterator[Finding]:
    settings, home = log.settings, log.home
    # A log on a read-only medium can be checked all the same.
    place = home.data if os.access(home.data, os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=place, prefix="check-") as folder:
        replayed = Path(folder) / home.mart.name
        replay = Replay(
            log.archive,
            log.journal,
            clock=log.clock,
            log=error_log(),
            fold_timeout_s=settings.fold_timeout,
            journal_mode=settings.journal_mode,
            progress=progress(sys.stderr, "deliveries"),
        )
        replay.into(replayed)
        expected = digest_of(replayed)
    try:
        found = digest_of(home.mart)
    except Damaged as error:
        yield Finding(home.mart.name, str(error))
        return
    if found != expected:
        yield Finding(home.mart.name, "differs from a replay of the archive")
