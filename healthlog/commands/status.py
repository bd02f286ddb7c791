"""`status`: the numbers of `/stats`, read from the files."""

from __future__ import annotations

import argparse
import json
from contextlib import closing

from healthlog.base.clock import SystemClock
from healthlog.commands.context import command, settings_of
from healthlog.databases import open_to_look
from healthlog.home import Home
from healthlog.stats import stats


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command(commands, "status", "print the numbers of the log, with or without a service", run)


def run(arguments: argparse.Namespace) -> int:
    home = Home(settings_of(arguments).data)
    home.require()
    clock = SystemClock()
    with (
        closing(open_to_look(home.journal, "journal", clock)) as journal,
        closing(open_to_look(home.mart, "mart", clock)) as mart,
    ):
        print(json.dumps(stats(journal, mart, None, clock.now_us())))
    return 0
