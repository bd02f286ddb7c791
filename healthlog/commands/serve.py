"""`serve`: the service."""

from __future__ import annotations

import argparse
import gc
import os
import sqlite3
import sys

from healthlog.base.clock import Clock, SystemClock
from healthlog.base.db import wal_reset_affected
from healthlog.base.lock import FileLock
from healthlog.base.log import Log, line_of
from healthlog.base.outlet import Outlet
from healthlog.base.runtime import block_stop_signals, wait_for_stop
from healthlog.commands.context import command, settings_of
from healthlog.config import Settings
from healthlog.front import in_the_clear
from healthlog.home import Home
from healthlog.service import Service

_STDOUT = 1

_TURN_S = 0.0002
"""So long a thread may compute while another one waits: whoever posts has to wait for a few turns
of the worker, which folds for seconds."""

_LAST_LINES_S = 0.25
"""Time for the log's reader to take the last lines; part of the margin a stop keeps."""


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command(commands, "serve", "take in what the phone sends, fold it, answer questions", run)


def run(arguments: argparse.Namespace) -> int:
    settings = settings_of(arguments)
    sys.setswitchinterval(_TURN_S)
    home = Home(settings.data)
    home.prepare()
    # Before any thread is there, so that the main thread alone is told of a stop.
    signals = block_stop_signals()
    clock = SystemClock()
    outlet = Outlet(_STDOUT, lambda lines: _lost(clock, lines))
    log = Log(outlet, clock, settings.log_level)
    try:
        with FileLock(home.lock):
            open_to_others = home.tighten()
            if open_to_others:
                log.warn("others may read the data", paths=list(map(str, open_to_others)))
            # What is loaded now is never garbage: who looks for some needn't go through it.
            gc.disable()
            service = Service(settings, log=log, clock=clock)
            try:
                service.start()
                _warn(settings, log)
                _load_the_rest()
            except BaseException:
                service.give_up()
                raise
            gc.freeze()
            gc.enable()
            wait_for_stop(signals)
            if not service.stop():
                # The interpreter would wait for the threads that the budget did not suffice for;
                # the kernel lets go of the lock, and what they did counts as not done.
                outlet.close(_LAST_LINES_S)
                os._exit(0)
    finally:
        outlet.close(_LAST_LINES_S)
    return 0


def _lost(clock: Clock, lines: int) -> str:
    return line_of(clock, "WARN", "log lines lost", {"lines": lines})


def _load_the_rest() -> None:
    """Load what few requests need, now that the door is open: no answer is to depend on files that
    are exchanged under the service."""
    import healthlog.openapi  # noqa: PLC0415
    import healthlog.qr.svg  # noqa: PLC0415
    import healthlog.qr.symbol  # noqa: F401, PLC0415


def _warn(settings: Settings, log: Log) -> None:
    if in_the_clear(settings):
        log.warn(
            "listening without TLS",
            listen=str(settings.listen),
            advice="outside of a network you trust, use tls_cert, a proxy with HTTPS or a VPN",
        )
    if settings.journal_mode == "wal" and wal_reset_affected(sqlite3.sqlite_version_info):
        log.warn(
            "sqlite version affected by the WAL-reset fault",
            sqlite=sqlite3.sqlite_version,
            advice="writes are serialised here; use SQLite 3.51.3 or newer, or journal_mode delete",
        )
