"""`check`: is the log sound?"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from healthlog.archive import Archive
from healthlog.base.clock import Clock, SystemClock
from healthlog.base.db import Database
from healthlog.check import Finding, check_accounts, check_archive, check_journal, contentless
from healthlog.commands.context import command, error_log, settings_of
from healthlog.commands.digest import digest_of
from healthlog.commands.progress import progress
from healthlog.config import Settings
from healthlog.home import Home, open_to_look
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
    clock = SystemClock()
    archive = Archive(settings.data)
    journal = open_to_look(home.journal, "journal", clock)
    try:
        mart = open_to_look(home.mart, "mart", clock)
        try:
            findings = chain(
                check_archive(archive, progress(sys.stderr, "bodies")),
                check_journal(archive, journal),
                check_accounts(journal, mart),
                _rebuilt(settings, home, archive, journal, clock) if arguments.rebuild else (),
            )
            found = 0
            for found, finding in enumerate(findings, start=1):
                print(f"{finding.what}: {finding.problem}")
            print(json.dumps({"findings": found, "failed_without_content": contentless(journal)}))
        finally:
            mart.close()
    finally:
        journal.close()
    return 1 if found else 0


def _rebuilt(
    settings: Settings, home: Home, archive: Archive, journal: Database, clock: Clock
) -> Iterator[Finding]:
    with tempfile.TemporaryDirectory(dir=settings.data, prefix="check-") as folder:
        replayed = Path(folder) / home.mart.name
        replay = Replay(
            archive,
            journal,
            clock=clock,
            log=error_log(settings.log_level),
            fold_timeout_s=settings.fold_timeout,
            progress=progress(sys.stderr, "deliveries"),
        )
        replay.into(replayed)
        if digest_of(replayed) != digest_of(home.mart):
            yield Finding(home.mart.name, "differs from a replay of the archive")
