"""Which of two answers a bucket: its own layer, or its parts."""

from __future__ import annotations

from typing import Any

import pytest

from healthlog.moment import HOUR_MS
from healthlog.series.answer import Answer, Gathering, decided, heard_last, of_parts
from healthlog.series.catalogue import Entry
from healthlog.series.measure import Measure
from tests.support.lines import CEST, PULSE, STEPS, WEIGHT, at, day_of, line, value, word

OVER, RUNNING = "06-01 11:00", "06-01 10:30"  # UTC: after, during the hour of 12:00 at UTC+2


def hour(
    amount: float | None,
    spoke: str = OVER,
    *,
    rank: int = 1,
    layer: str = "hour",
    **more: Any,
) -> Answer:
    """The answer of one reading in the hour that begins at 12:00."""
    gathering = Gathering()
    one = line("06-01 12:00", amount, word=word(rank, spoke), **more)
    gathering.add(one, one.figures, one.at_ms)
    return gathering.of_instant(one.at_ms, HOUR_MS, layer, CEST)


def chosen(own: Answer | None, parts: Answer | None, entry: Entry = STEPS) -> Answer | None:
    return decided(Measure(entry, entry.unit), own, parts)


def test_an_answer_is_open_until_its_latest_reading_was_said_after_its_end() -> None:
    assert (hour(1, RUNNING).open, hour(1, OVER).open) == (True, False)


def test_the_latest_reading_decides_whose_word_it_is() -> None:
    gathering = Gathering()
    early = line("06-01 12:00", 1, word=word(9, OVER))
    late = line("06-01 12:40", 1, word=word(2, RUNNING))
    for one in (late, early):
        gathering.add(one, one.figures, one.at_ms)
    answer = gathering.of_instant(early.at_ms, HOUR_MS, "minute", CEST)
    assert answer.open
    assert (answer.rank, answer.last_ms) == (early.word.rank, late.at_ms)


def test_the_own_layer_answers_once_it_is_closed() -> None:
    own, parts = hour(5), hour(90, rank=2, layer="minute")
    assert chosen(own, parts) is own


@pytest.mark.parametrize("more", [10, 11])
def test_an_open_own_amount_answers_if_it_says_as_much_or_more(more: int) -> None:
    own, parts = hour(more, RUNNING), hour(10, rank=2, layer="minute")
    assert chosen(own, parts) is own


def test_an_open_own_amount_that_says_less_leaves_it_to_the_parts() -> None:
    own, parts = hour(9, RUNNING, rank=2), hour(10, layer="minute")
    assert chosen(own, parts) is parts


def test_sums_that_differ_by_the_noise_of_doubles_are_equal() -> None:
    own, parts = hour(0.3, RUNNING), hour(0.1 + 0.2, rank=2, layer="minute")
    assert chosen(own, parts) is own


def test_amounts_are_compared_in_one_unit() -> None:
    energy = Entry("active_energy", "sum", "kcal")
    own, parts = hour(100, RUNNING, unit="kJ"), hour(30, unit="kcal", layer="minute")
    assert chosen(own, parts, energy) is parts


def test_what_has_an_amount_answers_before_what_has_none() -> None:
    none, some = hour(None, RUNNING), hour(1, RUNNING, layer="minute")
    assert chosen(none, some) is some
    assert chosen(some, none) is some


@pytest.mark.parametrize("entry", [PULSE, WEIGHT])
def test_an_open_own_level_answers_if_it_was_heard_later(entry: Entry) -> None:
    own, parts = hour(60, RUNNING, rank=3), hour(70, rank=2, layer="minute")
    assert chosen(own, parts, entry) is own
    own, parts = hour(60, RUNNING, rank=1), hour(50, rank=2, layer="minute")
    assert chosen(own, parts, entry) is parts


def test_what_has_no_rival_answers_open_or_not() -> None:
    own = hour(5, RUNNING)
    assert (chosen(own, None), chosen(None, own), chosen(None, None)) == (own, own, None)


def test_of_finer_layers_the_coarsest_closed_one_answers() -> None:
    minute, raw, sample = (
        hour(1, RUNNING, rank=9, layer="minute"),
        hour(2, OVER, rank=1, layer="raw"),
        hour(3, OVER, rank=5, layer="sample"),
    )
    assert heard_last([minute, raw, sample]) is raw


def test_of_open_layers_the_one_heard_from_last_answers() -> None:
    minute, raw = hour(1, RUNNING, rank=2), hour(2, RUNNING, rank=7)
    assert heard_last([minute, raw]) is raw
    assert heard_last([]) is None


def test_parts_are_counted_together() -> None:
    first, second = hour(3), hour(4, rank=2, layer="minute")
    second.last_ms += HOUR_MS
    day = day_of("06-01")
    whole = of_parts(day, day + 1, [first, second])
    assert value(whole) == 7
    assert whole.layers == {"hour", "minute"}
    assert (whole.rank, whole.last_ms) == (second.rank, second.last_ms)
    assert whole.end_ms == at("06-02 00:00")


def test_a_bucket_of_parts_is_over_in_the_offset_of_its_last_reading() -> None:
    part = hour(3, "06-02 03:00")
    part.offset_min = -240
    day = day_of("06-01")
    assert of_parts(day, day + 1, [part]).open
    assert not of_parts(day, day + 1, [part], at("06-02 00:00", -4) * 1000).open
