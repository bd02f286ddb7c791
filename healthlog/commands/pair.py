"""`pair`: what the phone must be told, with a code that its camera reads."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Sequence

from healthlog.commands.context import command, settings_of
from healthlog.home import Home
from healthlog.pairing.addresses import here
from healthlog.pairing.links import BY_NAME, METRICS, TYPES, DataType, Pairing
from healthlog.pairing.reach import in_the_clear, of_settings
from healthlog.qr.blocks import blocks
from healthlog.qr.symbol import QUIET, encode
from healthlog.tokens import INGEST, Tokens

_LEAST_QUIET = 2
"""Where a window is narrow, half of the light border will do: a screen is no scratched label."""


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = command(
        commands, "pair", "print what the phone must be told, with a code for its camera", run
    )
    parser.add_argument(
        "--type",
        choices=tuple(BY_NAME),
        help="only the automation of this data type (default: all, with the code of metrics)",
    )
    parser.add_argument("--json", action="store_true", help="as one line of JSON, without a code")


def run(arguments: argparse.Namespace) -> int:
    settings = settings_of(arguments)
    # First of all: what the phone can't reach needs no token.
    found = of_settings(settings, here())
    home = Home(settings.data)
    home.prepare()
    token = Tokens(home.tokens, settings.ingest_token, settings.read_token).show(INGEST)
    pairing = Pairing(found[0], token)
    types = TYPES if arguments.type is None else (BY_NAME[arguments.type],)
    if arguments.json:
        print(json.dumps(_fields(pairing, found[1:], types)))
        return 0
    for line in (*_words(pairing, found[1:], types), *_code(pairing, types[0])):
        print(line)
    return 0


def _fields(
    pairing: Pairing, others: Sequence[str], types: Sequence[DataType]
) -> dict[str, object]:
    return {
        "url": pairing.url,
        "other_urls": list(others),
        "headers": dict(pairing.headers),
        "links": [
            {
                "type": one.name,
                "data_type": one.title,
                "automation": one.automation,
                "by_hand": one.by_hand,
                "link": pairing.link(one),
            }
            for one in types
        ],
    }


def _words(pairing: Pairing, others: Sequence[str], types: Sequence[DataType]) -> list[str]:
    lines = [f"URL     {pairing.url}"]
    lines += [f"Header  {name}: {value}" for name, value in pairing.headers]
    if others:
        lines += ["", "This machine has other addresses; name one with --public-url:"]
        lines += [f"        {url}" for url in others]
    if in_the_clear(pairing.url):
        lines += ["", "Token and numbers travel in the clear: only in a network you trust."]
    lines += ["", "Opened on the phone, each link makes one automation of Health Auto Export."]
    for one in types:
        lines += ["", f"{one.name}: {one.what}"]
        if one.by_hand:
            lines.append(f"(choose {one.title} as its data type in the app, then switch it on)")
        lines.append(pairing.link(one))
    return lines


def _code(pairing: Pairing, data_type: DataType) -> list[str]:
    symbol = encode(pairing.link(data_type).encode(), "L")
    watched = sys.stdout.isatty()
    needed = symbol.size + 2 * _LEAST_QUIET
    columns = shutil.get_terminal_size().columns if watched else needed + QUIET
    if columns < needed:
        return ["", f"The code needs a window of {needed} columns; this one has {columns}."]
    roomy = columns >= symbol.size + 2 * QUIET
    return [
        "",
        f"The link of {data_type.name} for the phone's camera:"
        + ("" if data_type is not METRICS else " (--type shows that of another)"),
        "",
        *blocks(symbol, quiet=QUIET if roomy else _LEAST_QUIET, coloured=watched and _colours()),
    ]


def _colours() -> bool:
    return "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
