"""`token`: shows a token, or makes a new one."""

from __future__ import annotations

import argparse

from healthlog.commands.context import WrongUsage, command, settings_of
from healthlog.home import Home
from healthlog.tokens import Tokens


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = command(commands, "token", "print a token, made now if there is none yet", run)
    parser.add_argument(
        "kind",
        nargs="?",
        choices=("ingest", "read"),
        default="ingest",
        help="`ingest` may only deliver, `read` may read everything (default: ingest)",
    )
    parser.add_argument(
        "--rotate",
        action="store_true",
        help="replace it by a new one, at once, also for a running service",
    )


def run(arguments: argparse.Namespace) -> int:
    settings = settings_of(arguments)
    home = Home(settings.data)
    home.prepare()
    kind = arguments.kind
    configured = settings.ingest_token if kind == "ingest" else settings.read_token
    if arguments.rotate and configured is not None:
        raise WrongUsage(f"{kind}_token is set in the configuration; change it there")
    tokens = Tokens(home.tokens, settings.ingest_token, settings.read_token)
    print(tokens.rotate(kind) if arguments.rotate else tokens.show(kind))
    return 0
