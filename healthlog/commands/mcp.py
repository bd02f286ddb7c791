"""`mcp`: the log for a program that speaks the Model Context Protocol."""

from __future__ import annotations

import argparse
import sys

from healthlog.base.clock import SystemClock
from healthlog.commands.context import command, error_log, settings_of
from healthlog.home import Home
from healthlog.mcp.looking import LookedAt
from healthlog.mcp.session import Session
from healthlog.mcp.stdio import converse
from healthlog.mcp.tool import Look
from healthlog.mcp.tools import TOOLS
from healthlog.series.source_order import SourceOrder


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command(commands, "mcp", "answer questions of an assistant over standard input and output", run)


def run(arguments: argparse.Namespace) -> int:
    settings = settings_of(arguments)
    home = Home(settings.data)
    home.require()
    clock = SystemClock()
    look = Look(
        LookedAt(home.mart, clock),
        clock.now_us,
        settings.timezone,
        SourceOrder(settings.source_order),
    )
    session = Session(TOOLS, look, error_log())
    converse(sys.stdin.buffer, sys.stdout.buffer, session.answer)
    return 0
