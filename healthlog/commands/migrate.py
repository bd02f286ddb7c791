"""`migrate`: the schemas of both databases."""

from __future__ import annotations

import argparse
from contextlib import closing

from healthlog.base import migrate
from healthlog.base.clock import Clock, SystemClock, text_us
from healthlog.base.db import Database
from healthlog.base.lock import FileLock
from healthlog.commands.context import WrongUsage, command, settings_of
from healthlog.databases import naming, remedy_of
from healthlog.home import Home

DATABASES = ("journal", "mart")


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = command(commands, "migrate", "bring the schemas of both databases up or down", run)
    parser.add_argument("direction", choices=("up", "down", "status"))
    parser.add_argument("--database", choices=DATABASES, help="only this one (default: both)")
    parser.add_argument(
        "--to", type=int, metavar="NUMBER", help="last migration that stays (needed for `down`)"
    )


def run(arguments: argparse.Namespace) -> int:
    if arguments.direction == "down" and (arguments.to is None or arguments.database is None):
        raise WrongUsage("migrate down needs --database and --to NUMBER")
    settings = settings_of(arguments)
    home = Home(settings.data)
    home.require()
    clock = SystemClock()
    paths = {"journal": home.journal, "mart": home.mart}
    names = DATABASES if arguments.database is None else (arguments.database,)
    with FileLock(home.lock):
        for name in names:
            path, remedy = paths[name], remedy_of(name)
            if arguments.direction == "status" and not path.exists():
                print(f"{name}: not there yet")
                continue
            with (
                naming(path, remedy),
                closing(
                    Database(path, clock=clock, journal_mode=settings.journal_mode, remedy=remedy)
                ) as opened,
            ):
                _run(opened, name, arguments.direction, arguments.to, clock)
    return 0


def _run(database: Database, name: str, direction: str, to: int | None, clock: Clock) -> None:
    migrations = migrate.load(name)
    known = {0, *(one.number for one in migrations)}
    if to is not None and to not in known:
        raise WrongUsage(f"--to {to}: {name} has migrations up to {max(known)}")
    if direction == "up":
        done = migrate.up(database, migrations, clock, to)
    elif direction == "down":
        done = migrate.down(database, migrations, to or 0)
    else:
        for migration, at_us in migrate.state(database, migrations):
            when = "missing" if at_us is None else f"applied {text_us(at_us)}"
            print(f"{name} {migration.number:04} {migration.name}: {when}")
        return
    for migration in done:
        print(f"{name} {migration.number:04} {migration.name}: {direction}")
