"""`export`: what the log holds, written for other programs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import tzinfo
from pathlib import Path

from healthlog.base.clock import SystemClock
from healthlog.commands.context import WrongUsage, command, settings_of
from healthlog.config import Settings
from healthlog.databases import open_to_look
from healthlog.exporting import SOURCES, NeedsMore, Wanted
from healthlog.formats import Listing, pieces
from healthlog.hae.names import canonical_name
from healthlog.home import Home
from healthlog.layer import LAYERS
from healthlog.mart.store import Mart
from healthlog.read.series import WrongUnit
from healthlog.records.record import KINDS
from healthlog.series.buckets import BUCKETS
from healthlog.series.series import LAYERS_OF
from healthlog.series.source_order import SourceOrder
from healthlog.span import Edge, Span, edge

_OF: dict[str, frozenset[str]] = {
    "metric": frozenset(("points", "series")),
    "layer": frozenset(("points", "series")),
    "bucket": frozenset(("series",)),
    "unit": frozenset(("series",)),
    "kind": frozenset(("records",)),
    "no-routes": frozenset(("records",)),
}
"""Which flag says something of which list."""


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = command(commands, "export", "write what the log holds as CSV or lines of JSON", run)
    parser.add_argument("what", choices=tuple(SOURCES))
    parser.add_argument("--format", choices=("csv", "ndjson"), default="csv")
    parser.add_argument("--metric", metavar="NAME", help="of points or series: only this metric")
    parser.add_argument("--layer", choices=LAYERS, help="of points or series: only this layer")
    parser.add_argument("--bucket", choices=BUCKETS, help="of series: one value for each of these")
    parser.add_argument("--unit", metavar="UNIT", help="of series: in this unit")
    parser.add_argument("--kind", choices=KINDS, help="of records: only this kind")
    parser.add_argument(
        "--no-routes",
        action="store_const",
        const=True,
        help="of records: leave out where workouts were",
    )
    parser.add_argument(
        "--from", dest="first", metavar="TIME", help="from this date or instant on, included"
    )
    parser.add_argument(
        "--to", dest="last", metavar="TIME", help="up to this date or instant, excluded"
    )
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="into this file, which must not exist"
    )


def run(arguments: argparse.Namespace) -> int:
    settings = settings_of(arguments)
    home = Home(settings.data)
    home.require()
    wanted = _wanted(arguments, settings)
    with closing(open_to_look(home.mart, "mart", SystemClock())) as mart:
        listing = _listing(arguments, mart, wanted)
        with _target(arguments.output) as write:
            for piece in pieces(listing, arguments.format):
                write(piece)
    return 0


def _wanted(arguments: argparse.Namespace, settings: Settings) -> Wanted:
    for name, lists in _OF.items():
        if getattr(arguments, name.replace("-", "_")) is not None and arguments.what not in lists:
            raise WrongUsage(f"--{name} says nothing of {arguments.what}")
    bucket, layer = arguments.bucket, arguments.layer
    if bucket is not None and layer is not None and layer not in LAYERS_OF[bucket]:
        raise WrongUsage(f"--layer {layer}: no buckets of a {bucket} can be made from it")
    name = arguments.metric
    return Wanted(
        metric=None if name is None else canonical_name(name),
        layer=layer,
        kind=arguments.kind,
        bucket=bucket,
        unit=arguments.unit,
        span=Span(
            _edge("--from", arguments.first, settings.timezone),
            _edge("--to", arguments.last, settings.timezone),
        ),
        order=SourceOrder(settings.source_order),
        routes=settings.routes and not arguments.no_routes,
    )


def _listing(arguments: argparse.Namespace, mart: Mart, wanted: Wanted) -> Listing:
    try:
        return SOURCES[arguments.what](mart, wanted)
    except NeedsMore as missing:
        raise WrongUsage(f"export {arguments.what} needs --{missing}") from None
    except WrongUnit:
        raise WrongUsage(
            f"--unit {arguments.unit}: {arguments.metric} can't be given in it"
        ) from None


def _edge(flag: str, text: str | None, zone: tzinfo) -> Edge | None:
    if text is None:
        return None
    try:
        return edge(text, zone)
    except ValueError:
        raise WrongUsage(f"{flag} {text}: must be a date or an RFC 3339 instant") from None


@contextmanager
def _target(path: Path | None) -> Iterator[Callable[[bytes], object]]:
    """Where the bytes go: a new file, else standard output."""
    if path is None:
        buffer = getattr(sys.stdout, "buffer", None)
        yield _as_text if buffer is None else buffer.write
        return
    try:
        file = path.open("xb")
    except FileExistsError:
        raise WrongUsage(f"--output {path}: there is a file of that name already") from None
    with file:
        yield file.write


def _as_text(piece: bytes) -> None:
    sys.stdout.write(piece.decode())
