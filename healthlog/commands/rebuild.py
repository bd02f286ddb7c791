"""`rebuild`: what `serve` starts to build a mart beside itself."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from healthlog import builder
from healthlog.archive.store import Archive
from healthlog.base import files
from healthlog.base.clock import SystemClock
from healthlog.base.db import Database
from healthlog.base.errors import Circumstance, Damaged, DiskFull, Refusal
from healthlog.base.leash import end_with_starter
from healthlog.base.log import Log
from healthlog.base.migrate import SchemaChanged, SchemaNewer
from healthlog.base.runtime import unblock_stop_signals
from healthlog.builder import Built
from healthlog.commands.context import WrongUsage, command, settings_of
from healthlog.config import Settings
from healthlog.databases import open_to_look
from healthlog.home import Home
from healthlog.ingest import min_free
from healthlog.reindex import Replay

FAILED = 1
_LOWEST = 19


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = command(
        commands, builder.COMMAND, "build a mart for `serve`, which starts this by itself", run
    )
    parser.add_argument(
        "--into", type=Path, required=True, metavar="FILE", help="where; it must not exist"
    )


def run(arguments: argparse.Namespace) -> int:
    settings = settings_of(arguments)
    if arguments.into.exists():
        raise WrongUsage(f"--into {arguments.into}: there is a file of that name already")
    unblock_stop_signals()
    end_with_starter()
    os.nice(_LOWEST)
    try:
        with closing(_journal(settings)) as journal:
            replay = _replay(settings, journal)
            report, upto = replay.beside(arguments.into)
    except (Refusal, Circumstance, Damaged, SchemaNewer, SchemaChanged) as error:
        _tell(builder.gave_up_line(str(error)))
        return FAILED
    for delivery_id, verdict in replay.failed.items():
        _tell(builder.failed_line(delivery_id, verdict))
    _tell(builder.built_line(Built(upto, report)))
    return 0


def _journal(settings: Settings) -> Database:
    return open_to_look(Home(settings.data).journal, "journal", SystemClock())


def _replay(settings: Settings, journal: Database) -> Replay:
    clock = SystemClock()
    return Replay(
        Archive(settings.data),
        journal,
        clock=clock,
        log=Log(sys.stdout, clock, "ERROR"),
        fold_timeout_s=settings.fold_timeout * builder.PATIENCE,
        journal_mode=settings.journal_mode,
        progress=progress(settings.data, min_free(files.total_bytes(settings.data))),
    )


def progress(data: Path, kept: int) -> Callable[[int, int], None]:
    """Tells how far it is, and keeps so many bytes free for what the phone sends meanwhile."""

    def tell(done: int, total: int) -> None:
        _tell(builder.progress_line(done, total))
        if files.free_bytes(data) < kept:
            raise DiskFull(f"less than {kept} bytes are free")

    return tell


def _tell(line: str) -> None:
    print(line, flush=True)
