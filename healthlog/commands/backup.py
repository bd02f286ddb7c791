"""`backup`: a copy of everything that must not be lost, beside a running service or without."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

from healthlog.archive.disk import Disk
from healthlog.backup.make import Backup, Watch
from healthlog.backup.place import Place
from healthlog.base import files
from healthlog.base.clock import SystemClock
from healthlog.base.errors import DiskFull
from healthlog.check import Finding
from healthlog.commands.context import command, settings_of
from healthlog.commands.progress import progress_of_many
from healthlog.home import Home
from healthlog.ingest import min_free


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = command(
        commands, "backup", "copy all that must not be lost, also beside a running service", run
    )
    parser.add_argument(
        "dest",
        type=Path,
        metavar="DEST",
        help="folder outside the data directory: empty, to be made, or with an earlier backup",
    )
    parser.add_argument(
        "--again",
        action="store_true",
        help="also read what is in the backup already, copying anew what differs from its checksum",
    )


def run(arguments: argparse.Namespace) -> int:
    home = Home(settings_of(arguments).data)
    home.require()
    disk = Disk()
    place = Place(arguments.dest, disk)
    with place.claimed(home.data):
        watch = Watch(_found, progress_of_many(sys.stderr), _room(home.data, place.root))
        backup = Backup(
            home, place, disk=disk, clock=SystemClock(), watch=watch, again=arguments.again
        )
        report = backup.make()
    print(json.dumps(report.fields()))
    return 1 if report.findings else 0


def _found(finding: Finding) -> None:
    print(f"{finding.what}: {finding.problem}", flush=True)


def _room(data: Path, root: Path) -> Callable[[], object]:
    """On the disk of the log itself a backup leaves free what deliveries need."""
    if data.stat().st_dev != root.stat().st_dev:
        return lambda: None
    kept = min_free(files.total_bytes(root))

    def room() -> None:
        if files.free_bytes(root) < kept:
            raise DiskFull(f"less than {kept} bytes are free, which deliveries need")

    return room
