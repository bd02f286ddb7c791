"""`serve`: the service."""

from __future__ import annotations

import argparse
import os
import sqlite3
import sys

from healthlog.base.clock import SystemClock
from healthlog.base.db import wal_reset_affected
from healthlog.base.lock import FileLock
from healthlog.base.log import Log
from healthlog.base.runtime import block_stop_signals, wait_for_stop
from healthlog.commands.context import command, settings_of
from healthlog.config import Settings
from healthlog.home import Home
from healthlog.service import Service


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command(commands, "serve", "take in what the phone sends, fold it, answer questions", run)


def run(arguments: argparse.Namespace) -> int:
    settings = settings_of(arguments)
    home = Home(settings.data)
    home.prepare()
    # Before any thread is there, so that the main thread alone is told of a stop.
    signals = block_stop_signals()
    clock = SystemClock()
    log = Log(sys.stdout, clock, settings.log_level)
    with FileLock(home.lock):
        service = Service(settings, log=log, clock=clock)
        try:
            service.start()
        except BaseException:
            service.close()
            raise
        _warn(settings, log)
        wait_for_stop(signals)
        if not service.stop():
            # The interpreter would wait for the threads that the budget did not suffice for; the
            # kernel lets go of the lock, and what they were doing counts as not done.
            log.flush()
            os._exit(0)
    return 0


def _warn(settings: Settings, log: Log) -> None:
    if settings.journal_mode == "wal" and wal_reset_affected(sqlite3.sqlite_version_info):
        log.warn(
            "sqlite version affected by the WAL-reset fault",
            sqlite=sqlite3.sqlite_version,
            advice="writes are serialised here; use SQLite 3.51.3 or newer, or journal_mode delete",
        )
