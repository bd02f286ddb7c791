"""What a body may cost, however it is made: memory for a piece, and a verdict for the rest."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from collections.abc import Iterator
from functools import partial

import pytest

from healthlog import planning
from healthlog.archive.read import Unreadable
from healthlog.fold import Folder
from healthlog.hae.metrics import MOST_BLOCKS
from healthlog.hae.parse import Parsed, parse
from healthlog.hae.room import Room
from healthlog.model import Rejected
from healthlog.outline import LISTED
from healthlog.planning import DECLARED, Heard
from tests.support.bodies import NO_JSON
from tests.support.engine import Engine
from tests.support.folding import MINUTES, no_check
from tests.support.playing import kind, play, points

FLOOD = 40_000
HELD = 200_000


def pieces_of(head: bytes, element: bytes, tail: bytes) -> Iterator[bytes]:
    """A body of very many equal elements that never is in memory as a whole."""
    yield head + element
    many = b"," + b",".join([element] * 1_000)
    for _ in range(FLOOD // 1_000):
        yield many
    yield tail


def flooded(head: bytes, element: bytes, tail: bytes) -> tuple[Parsed, int]:
    """What was read of it, and the most memory that took."""
    tracemalloc.start()
    try:
        opened = partial(pieces_of, head, element, tail)
        found = parse(opened, None, no_check, room=Room(HELD), span=4_096)
        return found, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.scenario("fold", "Flood of bad elements is counted in little memory")
@pytest.mark.parametrize(
    ("head", "tail", "section", "place"),
    [
        (b'{"metrics":[{"name":"x","data":[', b"]}]}", "metrics.x", "metrics.x[{}]"),
        (b'{"metrics":[{"data":[', b'],"name":"x"}]}', "metrics.x", "metrics.x[{}]"),
        (b'{"metrics":[', b"]}", "metrics", "metrics[{}]"),
        (b'{"workouts":[', b"]}", "workouts", "workouts[{}]"),
    ],
    ids=["readings", "readings before their name", "metrics", "records"],
)
def test_a_flood_of_empty_elements_is_counted(
    head: bytes, tail: bytes, section: str, place: str
) -> None:
    found, peak = flooded(head, b"{}", tail)
    metrics = found.metrics
    assert metrics.received == FLOOD + 1
    assert metrics.rejections.by_section == {section: FLOOD + 1}
    reason = metrics.rejections.listed[0].reason
    listed = [Rejected(place.format(number), reason) for number in range(LISTED)]
    assert metrics.rejections.listed == listed
    assert peak < 5 * HELD


@pytest.mark.parametrize("element", [b"[]", b'""', b"1", b"{}", b'{"a":[{}]}'])
def test_a_section_nobody_knows_takes_no_memory(element: bytes) -> None:
    found, peak = flooded(b'{"news":[', element, b"]}")
    assert found.unread == {"news"}
    assert peak < 2 * HELD


@pytest.mark.scenario("fold", "Body too heavy to be read is too_large")
@pytest.mark.parametrize(
    "content",
    [
        {"workouts": [{"id": "A", "x": [1] * 3_000_000}]},
        {"metrics": [{"name": "x", "data": ["a" * (17 << 20)]}]},
        {"metrics": [{"name": "x", "data": [1]}] * (MOST_BLOCKS + 1)},
        {f"news {number}": 1 for number in range(20_001)},
        {"workouts": [{"id": "A", "x": f"{number}" + "x" * 60_000} for number in range(1_200)]},
    ],
    ids=["record", "text", "metrics", "sections", "one record in many ways"],
)
def test_a_body_too_heavy_to_be_read_is_too_large(
    engine: Engine, content: dict[str, object]
) -> None:
    one = engine.post(json.dumps({"data": content}).encode())
    play(engine, one)
    assert kind(engine, one) == "too_large"


def test_many_points_are_folded_in_slices(engine: Engine) -> None:
    stamps = [f"{hour:02}:{minute:02}:{second:02}" for hour in range(17) for minute in range(60)
              for second in range(60)]  # fmt: skip
    data = [{"date": f"2026-05-03 {stamp} +0200", "qty": 1} for stamp in stamps]
    content = json.dumps({"metrics": [{"data": data, "name": "step_count"}]}).encode()
    first, again = (engine.post(content, aggregation="Seconds") for _ in range(2))
    heard = planning.hear(first, engine.house.archive.opener(first), no_check)
    [metric] = heard.parsed.metrics.by_name.values()
    assert (len(metric.long), metric.blocks) == (1, [])
    assert play(engine, first).new == len(data)
    assert play(engine, again).same == len(data)
    assert points(engine) == len(data)


# What isn't what was received


def repack(engine: Engine, delivery_id: str, content: bytes) -> None:
    engine.house.archive.body_path(delivery_id).write_bytes(gzip.compress(content))


def test_another_body_is_unreadable_even_if_it_is_malformed(engine: Engine) -> None:
    one = engine.post(b'{"data":{}}' + b" " * 50)
    repack(engine, one.delivery_id, NO_JSON)
    play(engine, one)
    assert kind(engine, one) == "unreadable"


@pytest.mark.scenario("fold", "Body that changes between two readings is unreadable")
def test_a_body_that_changes_before_it_is_read_again_leaves_nothing(engine: Engine) -> None:
    data = [{"date": f"2026-05-03 07:{minute:02}:00 +0200", "qty": 1} for minute in range(60)]
    content = json.dumps({"metrics": [{"name": "step_count", "data": data}]}).encode()
    one = engine.post(content, aggregation=MINUTES)
    opened = engine.house.archive.opener(one)
    heard = Heard(parse(opened, None, no_check, room=Room(0), span=100), "minute", DECLARED)
    plan = planning.plan(heard, lambda: None)
    assert plan.long
    repack(engine, one.delivery_id, content.replace(b'"qty": 1', b'"qty": 2'))
    with pytest.raises(Unreadable):
        Folder(engine.mart, engine.clock).fold(one, plan, no_check)
    assert points(engine) == 0
