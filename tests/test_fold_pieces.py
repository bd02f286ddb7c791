"""Bodies of which little is held: read again for the fold, they say and do the same."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain

import pytest

from healthlog import layer as layers
from healthlog import planning
from healthlog.candidates import Candidates, candidates
from healthlog.fold import Folder
from healthlog.hae.envelope import Malformed
from healthlog.hae.parse import Parsed, parse
from healthlog.hae.room import Room
from healthlog.layer import LAYERS
from healthlog.mart.digest import digest
from healthlog.model import Delivery
from healthlog.planning import DECLARED, Heard, Plan
from healthlog.reading import Block, Metric, joined
from healthlog.records import outline as outlines
from healthlog.records.merge import candidates as candidates_of
from healthlog.records.outline import RecordsOutline
from healthlog.records.record import RecordWord
from healthlog.slices import slices
from tests import test_law, test_law_records
from tests.support import record_history
from tests.support.clock import FakeClock
from tests.support.folding import MemoryMart, body, metric, no_check, point
from tests.support.history import SAMPLES, history
from tests.support.records import sections, workout
from tests.support.sprouts import Sprout, cut
from tests.test_law import SEED

SPROUTS = 300


def little(content: bytes, latest_ms: int | None, span: int, held: int = 0) -> Parsed:
    """A body of which nothing is held, or not much."""
    opened = partial(cut, content, random.Random(span))
    return parse(lambda: list(opened()), latest_ms, no_check, room=Room(held), span=span)


def lasting(metric: Metric) -> Metric:
    """The same metric with all of its readings held."""
    found = Metric(metric.name, elements=metric.elements)
    for block in metric.in_order():
        readings = joined(list(block.pieces()))
        places = range(len(readings.moments))
        found.add(Block(block.ordinal, block.sent_as, block.unit, places, readings))
    return found


def say_the_same(one: Parsed, other: Parsed) -> None:
    mine, theirs = one.metrics, other.metrics
    assert (mine.received, mine.rejections) == (theirs.received, theirs.rejections)
    assert (one.unread, one.layer) == (other.unread, other.layer)
    words = one.records if one.outline is None else chain.from_iterable(one.outline.words())
    assert sorted(map(repr, words)) == sorted(map(repr, other.records))
    assert _named(one) == _named(other)
    assert list(mine.by_name) == list(theirs.by_name)
    for name, metric_ in mine.by_name.items():
        known = theirs.by_name[name]
        assert metric_.elements == known.elements
        for block, held in zip(metric_.in_order(), known.in_order(), strict=True):
            assert (block.ordinal, block.sent_as, block.unit, len(block)) == (
                *(held.ordinal, held.sent_as, held.unit, len(held)),
            )
            assert _plain(block.all_places()) == _plain(held.all_places())
            assert _plain(block.places_alone()) == _plain(held.places_alone())
            for quarters in (1, 4):
                assert block.named(quarters) == held.named(quarters)
        assert lasting(metric_).in_order() == lasting(known).in_order()
        assert _layers(metric_) == _layers(known)


def _named(found: Parsed) -> list[tuple[int, dict[int, int]]]:
    return [(ordinal, quarters.offsets(1)) for ordinal, quarters in found.named]


def _plain(places: tuple[Iterable[int], int]) -> tuple[list[int], int]:
    return list(places[0]), places[1]


def _layers(metric: Metric) -> list[str | None]:
    times = metric.times()
    given = (*LAYERS, None)
    return [
        *(layers.of_metric(metric.name, layer, times) for layer in given),
        layers.derived({"step_count": times}),
    ]


@pytest.mark.parametrize("seed", range(3))
def test_a_random_body_is_read_the_same_with_nothing_held(seed: int) -> None:
    chance = random.Random(SEED + seed)
    sprout = Sprout(chance)
    long = 0
    for _ in range(SPROUTS // 3):
        content = sprout.body().encode()
        try:
            whole = parse(content, None, no_check)
        except Malformed:
            continue
        found = little(content, None, chance.choice((40, 90, 400)), chance.choice((0, 2_000)))
        long += sum(len(one.long) for one in found.metrics.by_name.values())
        say_the_same(found, whole)
    assert long > SPROUTS // 15


def test_a_history_is_read_the_same_with_nothing_held() -> None:
    for one in history(SEED):
        if one.plan is not None:
            latest_ms = one.delivery.clock_at_us // 1000 + 86_400_000
            whole = parse(one.body, latest_ms, no_check)
            say_the_same(little(one.body, latest_ms, 200), whole)


# Slices


def rows(said: Iterable[Candidates]) -> tuple[list[tuple[object, ...]], int]:
    parts = list(said)
    found = [row for part in parts for row in zip(*part.lines, strict=True)]
    return found, sum(part.doubles for part in parts)


@pytest.mark.scenario("fold", "Slices say together what is said at once")
@pytest.mark.parametrize("size", [1, 9])
@pytest.mark.parametrize("order", ["in order", "reversed", "shuffled", "two blocks"])
def test_slices_say_together_what_is_said_at_once(size: int, order: str) -> None:
    chance = random.Random(size)
    minutes = sorted(chance.choices(range(60 * 48), k=50))
    if order == "reversed":
        minutes.reverse()
    elif order == "shuffled":
        chance.shuffle(minutes)
    points = [
        point(
            f"2026-05-{3 + minute // 1440:02} {minute // 60 % 24:02}:{minute % 60:02}:00 {zone}",
            chance.randint(1, 3),
            source=chance.choice(("Watch", "iPhone")),
        )
        for minute in minutes
        for zone in (chance.choice(("+0100", "+0200")),)
    ]
    blocks = [points[:20], points[20:]] if order == "two blocks" else [points]
    content = body(*(metric("heart_rate", *block) for block in blocks))
    long = little(content, None, 700).metrics.by_name["heart_rate"]
    whole = parse(content, None, no_check).metrics.by_name["heart_rate"]
    assert long.long
    for layer in LAYERS:
        found, doubles = rows(slices(long, layer, slice_=size, range_=size))
        expected = candidates(whole, layer)
        assert sorted(map(repr, found)) == sorted(map(repr, zip(*expected.lines, strict=True)))
        assert doubles == expected.doubles
        starts = [row[0] for row in found]
        assert starts == sorted(starts)  # type: ignore[type-var]


def test_slices_are_small_where_the_readings_are_in_order() -> None:
    points = [point(f"2026-05-03 07:{minute:02}:00 +0200") for minute in range(60)]
    long = little(body(metric("heart_rate", *points)), None, 100).metrics.by_name["heart_rate"]
    sizes = [len(part.lines.at_ms) for part in slices(long, "minute", slice_=10)]
    assert len(sizes) > 4
    assert max(sizes) < 15


def test_what_begins_together_is_never_parted() -> None:
    same = [point("2026-05-03 07:00:00 +0200", n % 7, source="Watch") for n in range(100)]
    long = little(body(metric("heart_rate", *same)), None, 100).metrics.by_name["heart_rate"]
    [part] = slices(long, "raw", slice_=5, range_=5)
    assert len(part.lines.at_ms) == 100


# Folds


def heard_little(one: Delivery, content: bytes) -> Heard:
    """As `planning.hear` does it, with nothing held."""
    latest_ms = one.clock_at_us // 1000 + 86_400_000
    parsed = little(content, latest_ms, 200)
    if one.aggregation == SAMPLES:
        return Heard(parsed, layers.SAMPLE, DECLARED)
    whole = planning.hear(one, content, no_check)
    return Heard(parsed, whole.own_layer, whole.own_origin)


Pair = tuple[Delivery, Plan, Plan]
"""A delivery, its plan, and its plan with nothing held."""


def _points() -> Iterator[Pair]:
    for one in history(SEED):
        if one.plan is not None:
            inherited = partial(_same, one.plan.layer)
            yield (
                one.delivery,
                one.plan,
                planning.plan(heard_little(one.delivery, one.body), inherited),
            )


def _records() -> Iterator[Pair]:
    for one in record_history.history(SEED):
        heard = planning.hear(one.delivery, one.body, no_check)
        little_heard = heard_little(one.delivery, one.body)
        plans = (planning.plan(each, partial(_same, None)) for each in (heard, little_heard))
        yield one.delivery, *plans  # type: ignore[misc]


def _same(layer: str | None) -> str | None:
    return layer


@pytest.mark.scenario("fold", "Body read again ends in the same mart")
@pytest.mark.parametrize("pairs", [_points, _records])
def test_a_history_of_which_nothing_is_held_ends_in_the_same_mart(
    pairs: Callable[[], Iterator[Pair]],
) -> None:
    marts = (MemoryMart(), MemoryMart())
    again = 0
    for one, whole, long in pairs():
        accounts = [
            Folder(mart, FakeClock()).fold(one, planned, no_check)
            for mart, planned in zip(marts, (whole, long), strict=True)
        ]
        assert accounts[0] == accounts[1]
        assert whole.words == long.words
        again += len(long.long) + (long.outline is not None)
    first, second = (mart.connection for mart in marts)
    assert again > 50
    assert digest(first) == digest(second)
    assert test_law.dump(first) == test_law.dump(second)
    assert test_law_records.dump(first) == test_law_records.dump(second)
    first.close()
    second.close()


def test_records_spoken_of_several_times_come_together() -> None:
    elements = [workout(n % 3, note=n) for n in range(7)]
    content = sections(workouts=elements)
    outline = little(content, None, 100).outline
    assert outline is not None
    together = list(outline.words())
    assert sorted(map(len, together)) == [2, 2, 3]
    assert all(len({word.key for word in words}) == 1 for words in together)


def outlined(elements: Iterator[RecordWord]) -> RecordsOutline:
    """An outline of words that are made anew for each reading."""
    words = list(elements)
    outline = RecordsOutline(lambda: (one._replace() for one in words))
    for one in words:
        outline.add(one)
    return outline


def of_one(**fields: str) -> RecordWord:
    """A word of one record, the one element of a body that says this."""
    weight = 1_000 + sum(map(len, fields.values()))
    return RecordWord("sleep", "A", None, None, (), fields, {}, weight)


def test_what_is_said_again_is_not_held_again() -> None:
    outline = outlined(of_one(a="x" * 50_000) for _ in range(3_000))
    [together] = outline.words()
    assert len(together) == 3_000
    assert len({id(word) for word in together}) == 1
    assert [(one.elements, one.doubles) for one in candidates_of(together)] == [(1, 2_999)]


def test_words_with_the_same_fields_of_other_records_stay_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(outlines, "_key", lambda _: 7)  # as if their numbers were the same
    words = [of_one(a="x")._replace(kind=kind) for kind in ("ecg", "symptom")]
    outline = outlined(word for word in words for _ in range(2))
    found = sorted(word.kind for together in outline.words() for word in together)
    assert found == ["ecg", "ecg", "symptom", "symptom"]


def test_a_record_told_in_too_many_ways_is_too_much() -> None:
    outline = outlined(of_one(a=f"{number}" + "x" * 50_000) for number in range(1_500))
    with pytest.raises(MemoryError):
        list(outline.words())


def test_many_short_records_come_together_and_long_ones_do_not() -> None:
    short = [of_one(a="x")._replace(key=f"{number}") for number in range(1_000)]
    assert len(list(outlined(iter(short)).words())) < 20
    long = [of_one(a="x" * 200_000)._replace(key=one.key) for one in short[:5]]
    assert [len(words) for words in outlined(iter(long)).words()] == [1] * 5


def test_dates_alone_and_unknown_layers_are_rejected_alike() -> None:
    points = [
        *(point(f"2026-05-03 07:{minute:02}:00 +0200") for minute in range(30)),
        *(point(f"2026-05-{day:02}") for day in range(1, 20)),
        {"qty": 1},
    ]
    content = body(metric("heart_rate", *points), metric("VO2Max", *points[30:]), news=[1])
    for layer in ("minute", "hour", "day", None):
        plans = [
            planning.plan(Heard(parsed, layer, DECLARED), lambda: None)
            for parsed in (little(content, None, 100), parse(content, None, no_check))
        ]
        mine, theirs = plans
        assert mine.rejected == theirs.rejected
        assert (mine.rejected_in, mine.uncovered) == (theirs.rejected_in, theirs.uncovered)
        assert (mine.received, mine.quarters) == (theirs.received, theirs.quarters)
        assert [one[:2] for one in mine.long] == [one[:2] for one in theirs.series]
