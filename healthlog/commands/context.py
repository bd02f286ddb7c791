"""What every command begins with: its flags, its settings, its log."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable

from healthlog.base.clock import SystemClock
from healthlog.base.errors import Refusal
from healthlog.base.log import Log
from healthlog.config import Settings, add_flags, flag_values, settings


class WrongUsage(Refusal):
    """The command line asks for what can't be done."""


def command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    help_text: str,
    run: Callable[[argparse.Namespace], int],
) -> argparse.ArgumentParser:
    """Add a command with the settings' flags; `run` gives its exit status."""
    parser = commands.add_parser(
        name, help=help_text, description=help_text[0].upper() + help_text[1:] + ".",
        allow_abbrev=False,
    )  # fmt: skip
    add_flags(parser)
    parser.set_defaults(run=run)
    return parser


def settings_of(arguments: argparse.Namespace) -> Settings:
    return settings(flag_values(arguments), os.environ, arguments.config)


def error_log() -> Log:
    """Log of a command whose standard output is its answer: on stderr, only what is wrong."""
    return Log(sys.stderr, SystemClock(), "ERROR")
