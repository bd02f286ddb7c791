"""`restore`: a log brought back from a backup, proven by its digest."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from healthlog.archive.disk import Disk
from healthlog.backup.manifest import Manifest
from healthlog.backup.place import Place
from healthlog.backup.restore import Restore, Watch
from healthlog.backup.revive import How, Revived
from healthlog.backup.verify import manifest_of, verify
from healthlog.base.clock import SystemClock, text_us
from healthlog.check import Finding
from healthlog.commands.context import WrongUsage, command, error_log, settings_of
from healthlog.commands.progress import progress, progress_of_many
from healthlog.home import Home


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = command(
        commands, "restore", "bring a backup back into an empty or new data directory", run
    )
    parser.add_argument("src", type=Path, metavar="SRC", help="folder that `backup` has filled")
    parser.add_argument(
        "--check",
        action="store_true",
        help="only compare every file of the backup with its checksum, and write nothing",
    )
    parser.add_argument(
        "--salvage",
        action="store_true",
        help="of a backup that is damaged or incomplete, or a bare copy of archive/: take what is"
        " there",
    )


def run(arguments: argparse.Namespace) -> int:
    if arguments.check and arguments.salvage:
        raise WrongUsage("--check writes nothing and --salvage does: use one of them")
    settings = settings_of(arguments)
    disk, clock = Disk(), SystemClock()
    place = Place(arguments.src, disk)
    told = progress_of_many(sys.stderr)
    if arguments.check:
        with place.held():
            manifest = manifest_of(place)
            verify(place, manifest, _found, lambda done, total: told(done, total, "files checked"))
        print(json.dumps(_of(manifest)))
        return 0
    how = How(
        clock,
        error_log(),
        fold_timeout_s=settings.fold_timeout,
        journal_mode=settings.journal_mode,
        progress=progress(sys.stderr, "deliveries replayed"),
    )
    restore = Restore(place, Home(settings.data), disk, how, Watch(_found, told))
    if arguments.salvage:
        return _done(None, restore.salvaged())
    return _done(*restore.whole())


def _done(manifest: Manifest | None, revived: Revived) -> int:
    if manifest is not None and not revived.as_expected:
        _found(Finding("mart.db", f"{revived.replaced}, which took its place"))
    print(json.dumps(_of(manifest) | _brought_up(revived)))
    return 0 if manifest is None or revived.as_expected else 1


def _found(finding: Finding) -> None:
    print(f"{finding.what}: {finding.problem}", flush=True)


def _of(manifest: Manifest | None) -> dict[str, object]:
    if manifest is None:
        return {}
    return {"made_at": text_us(manifest.head.made_at_us), "files": manifest.files}


def _brought_up(revived: Revived) -> dict[str, object]:
    digest = revived.digest
    return {
        "deliveries": revived.deliveries,
        "folded": revived.folded,
        "mart_made_again": revived.replaced,
        "points": digest.points,
        "records": digest.records,
        "sha256": digest.sha256,
    }
