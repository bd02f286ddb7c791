"""`reindex`: the whole log counted again from the archive."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import ExitStack, closing
from pathlib import Path

from healthlog.archive.store import Archive
from healthlog.base.clock import Clock, SystemClock
from healthlog.base.db import Database
from healthlog.base.lock import FileLock
from healthlog.base.log import Log
from healthlog.commands.context import WrongUsage, command, settings_of
from healthlog.commands.progress import progress
from healthlog.config import Settings
from healthlog.databases import open_to_look, open_up_to_date
from healthlog.home import Home
from healthlog.mart.store import NEW, sweep
from healthlog.reindex import Replay, Report, take_over


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = command(
        commands, "reindex", "count the whole log again from the archive, into a fresh mart", run
    )
    parser.add_argument(
        "--into",
        type=Path,
        metavar="FILE",
        help="build a mart in FILE, which must not exist, and touch nothing else",
    )


def run(arguments: argparse.Namespace) -> int:
    settings = settings_of(arguments)
    home = Home(settings.data)
    home.require()
    clock = SystemClock()
    log = Log(sys.stderr, clock, settings.log_level)
    if arguments.into is None:
        report = _in_place(settings, home, clock, log)
    else:
        report = _elsewhere(settings, home, clock, log, arguments.into)
    log.info("reindex finished", **report.fields())
    print(json.dumps(report.fields()))
    return 0


def _in_place(settings: Settings, home: Home, clock: Clock, log: Log) -> Report:
    new = home.mart.with_name(home.mart.name + NEW)
    with FileLock(home.lock):
        archive = Archive(settings.data)
        archive.prepare()
        mode = settings.journal_mode
        with closing(open_up_to_date(home.journal, "journal", clock, mode)) as journal:
            sweep(home.mart)
            replay = _replay(settings, archive, journal, clock, log)
            report = replay.into(new)
            take_over(replay, archive, journal, new, home.mart, clock=clock, journal_mode=mode)
    return report


def _elsewhere(settings: Settings, home: Home, clock: Clock, log: Log, into: Path) -> Report:
    if into.exists():
        raise WrongUsage(f"--into {into}: there is a file of that name already")
    if not into.parent.is_dir():
        raise WrongUsage(f"--into {into}: {into.parent} is no directory")
    with ExitStack() as opened:
        journal = None
        if home.journal.exists():
            look = open_to_look(home.journal, "journal", clock)
            journal = opened.enter_context(closing(look))
        return _replay(settings, Archive(settings.data), journal, clock, log).into(into)


def _replay(
    settings: Settings, archive: Archive, journal: Database | None, clock: Clock, log: Log
) -> Replay:
    return Replay(
        archive,
        journal,
        clock=clock,
        log=log,
        fold_timeout_s=settings.fold_timeout,
        journal_mode=settings.journal_mode,
        progress=progress(sys.stderr, "deliveries"),
    )
