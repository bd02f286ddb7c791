"""`notify`: how the owner is told when something is wrong, with a trial."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import closing

from healthlog.base.clock import SystemClock, text_us
from healthlog.base.notify import Channel
from healthlog.commands.context import WrongUsage, command, settings_of
from healthlog.databases import open_to_look
from healthlog.home import Home
from healthlog.journal import notices
from healthlog.notices.channels import channels
from healthlog.notices.trying import tried


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = command(commands, "notify", "show how notices are sent, or send one to see", run)
    parser.add_argument("--test", action="store_true", help="send a notice to every address set")


def run(arguments: argparse.Namespace) -> int:
    settings = settings_of(arguments)
    ways = channels(settings.notify)
    if not ways:
        raise WrongUsage(
            "no notices are set up: set notify_webhook, notify_ntfy, or notify_mail_to with"
            " notify_smtp"
        )
    if arguments.test:
        return _tried(ways)
    home = Home(settings.data)
    home.require()
    print(f"notices go to: {', '.join(one.name for one in ways)}")
    with closing(open_to_look(home.journal, "journal", SystemClock())) as journal:
        last_us = journal.read(notices.noticed_at_us)
        kinds = [one.kind for one in journal.read(notices.kept)]
    print(f"the last one: {'none yet' if last_us is None else text_us(last_us)}")
    print(f"wrong now: {', '.join(kinds) or 'nothing'}")
    return 0


def _tried(ways: Sequence[Channel]) -> int:
    failed = False
    for name, reason in tried(ways):
        print(f"{name}: sent" if reason is None else f"{name}: not sent: {reason}")
        failed = failed or reason is not None
    return int(failed)
