"""How long accepting takes beside a bare server that keeps bodies as safe."""

from __future__ import annotations

import sqlite3
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from tests.bench.bodies import nothing_to_fold
from tests.bench.figures import Bar, Pairs, Row, ninety_ninth
from tests.bench.phone import Phone
from tests.bench.scale import Scale
from tests.bench.serving import Served, bare, serving

POSTERS = 8


def part(scale: Scale) -> Iterator[Row]:
    # Next to nothing in them is folded, and that is over before the next is posted, so that
    # accepting is all that both do.
    phone = Phone()
    wide = nothing_to_fold(phone.of_bytes(scale.wide)[0])
    small = nothing_to_fold(phone.of_bytes(scale.small)[0])
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        with serving(data) as ours, bare() as floor:
            for name, content, bar in (("1.7 MB", wide, Bar(1.5)), ("100 KB", small, None)):
                yield from _one_by_one(name, content, ours, floor, scale.posts, bar=bar)
            yield _together(small, ours, floor, scale, bar=None, note="folded meanwhile")
            with _held_up(data):
                bar, note = Bar(0.6, least=True), "nothing folded meanwhile"
                yield _together(small, ours, floor, scale, bar=bar, note=note)


@contextmanager
def _held_up(data: Path) -> Iterator[None]:
    """What is posted has to wait for its fold."""
    with closing(sqlite3.connect(data / "mart.db", isolation_level=None)) as mart:
        mart.execute("BEGIN IMMEDIATE")
        yield
        mart.execute("ROLLBACK")


def _one_by_one(
    name: str, content: bytes, ours: Served, floor: Served, posts: int, *, bar: Bar | None
) -> Iterator[Row]:
    pairs = Pairs()
    for _ in range(posts):
        spent = ours.post(content)
        ours.settle()
        pairs.add(spent, floor.post(content))
    yield pairs.row(f"accept of {name}, median", bar)
    mine, bare_ms = (ninety_ninth(one) * 1000 for one in (pairs.ours, pairs.floor))
    what = f"accept of {name}, 99 of 100"
    yield Row(what, "ms", mine, bare_ms, mine / bare_ms, bar, posts)


def _together(
    content: bytes, ours: Served, floor: Served, scale: Scale, *, bar: Bar | None, note: str
) -> Row:
    """Requests a second of several who post at once, to the one and to the other in turn."""
    found: list[list[float]] = [[], []]
    for _ in range(scale.rounds):
        for served, rates in zip((ours, floor), found, strict=True):
            rates.append(_rate(content, served, max(1, scale.posts // POSTERS)))
    mine, bare_rate = (statistics.median(one) for one in found)
    ratio = statistics.median(one / other for one, other in zip(*found, strict=True))
    what = f"{POSTERS} posters of 100 KB"
    return Row(what, "/s", mine, bare_rate, ratio, bar, scale.rounds, note)


def _rate(content: bytes, served: Served, each: int) -> float:
    def post_all() -> None:
        with served.another() as one:
            for _ in range(each):
                one.post(content)

    posters = [threading.Thread(target=post_all) for _ in range(POSTERS)]
    begun = time.perf_counter()
    for one in posters:
        one.start()
    for one in posters:
        one.join()
    return POSTERS * each / (time.perf_counter() - begun)
