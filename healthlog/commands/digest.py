"""`digest`: one checksum over everything the mart says."""

from __future__ import annotations

import argparse
import json
from contextlib import closing
from pathlib import Path

from healthlog.base.clock import SystemClock
from healthlog.commands.context import command, settings_of
from healthlog.databases import open_to_look
from healthlog.home import Home
from healthlog.mart.digest import Digest, digest


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = command(commands, "digest", "print a checksum over everything the mart says", run)
    parser.add_argument(
        "--mart", type=Path, metavar="FILE", help="of this file (default: mart.db of the data)"
    )


def run(arguments: argparse.Namespace) -> int:
    path = arguments.mart
    if path is None:
        home = Home(settings_of(arguments).data)
        home.require()
        path = home.mart
    found = digest_of(path)
    print(json.dumps({"points": found.points, "records": found.records, "sha256": found.sha256}))
    return 0


def digest_of(path: Path) -> Digest:
    """Digest of a mart's file, read beside a running service or without one."""
    with closing(open_to_look(path, "mart", SystemClock())) as mart:
        return mart.read(digest)
