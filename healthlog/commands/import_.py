"""`import`: what files tell, brought into the log."""

from __future__ import annotations

import argparse
import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from healthlog.base.clock import Clock, SystemClock
from healthlog.base.lock import FileLock, Taken
from healthlog.commands.context import WrongUsage, command, error_log, settings_of
from healthlog.commands.progress import progress
from healthlog.config import Settings
from healthlog.databases import open_to_look
from healthlog.home import Home
from healthlog.imports.local import open_local
from healthlog.imports.remote import RemoteSink
from healthlog.imports.run import Importer, Sink
from healthlog.layer import declared
from healthlog.tokens import READ, Tokens


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = command(
        commands, "import", "bring in Apple Health's export or the app's JSON files", run
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument(
        "--aggregation",
        metavar="WORD",
        help="time grouping of the app's files, such as Days (default: told by their contents)",
    )


def run(arguments: argparse.Namespace) -> int:
    settings = settings_of(arguments)
    if arguments.aggregation is not None and declared(arguments.aggregation) is None:
        raise WrongUsage(f"--aggregation {arguments.aggregation}: no time grouping of that name")
    for path in arguments.files:
        if not path.is_file():
            raise WrongUsage(f"{path}: there is no such file")
    Home(settings.data).prepare()
    clock = SystemClock()
    with _sink(settings, clock) as sink:
        importer = Importer(
            sink,
            clock,
            _watch,
            most=settings.max_body,
            aggregation=arguments.aggregation,
        )
        for path in arguments.files:
            importer.take(path)
    for problem in importer.report.problems:
        print(f"healthlog: {problem}", file=sys.stderr)
    print(json.dumps(importer.report.fields()))
    return 1 if importer.report.problems else 0


@contextmanager
def _sink(settings: Settings, clock: Clock) -> Iterator[Sink]:
    """This log itself, or the service that has it."""
    lock = FileLock(Home(settings.data).lock)
    with ExitStack() as held:
        try:
            lock.acquire()
        except Taken:
            sink: Sink = held.enter_context(_service(settings, clock))
        else:
            held.callback(lock.release)
            sink = held.enter_context(open_local(settings, clock, error_log()))
        yield sink


@contextmanager
def _service(settings: Settings, clock: Clock) -> Iterator[RemoteSink]:
    home = Home(settings.data)
    token = Tokens(home.tokens, settings.ingest_token, settings.read_token).show(READ)
    pause = threading.Event().wait
    with closing(open_to_look(home.journal, "journal", clock)) as journal:
        sink = RemoteSink(
            settings.listen,
            token,
            journal,
            home.journal,
            pause=pause,
            tls_cert=settings.tls_cert,
        )
        with closing(sink):
            yield sink


def _watch(name: str) -> Callable[[int, int], None]:
    return progress(sys.stderr, f"MiB of {name}")
