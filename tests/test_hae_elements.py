"""Elements of a metric's `data` to readings."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from healthlog.hae.elements import FIELD_SHAPES, FIRST_MS, Elements, Unfit
from healthlog.moment import DAY_MS, parse
from healthlog.reading import Reading

DATE = "2026-05-03 07:00:00 +0200"
MORNING = 1_777_784_400_000


def read(element: object, needed: tuple[str, ...] = (), latest_ms: int | None = None) -> Reading:
    return Elements(latest_ms).reading(element, needed)


def reason(element: object, needed: tuple[str, ...] = (), latest_ms: int | None = None) -> str:
    with pytest.raises(Unfit) as caught:
        read(element, needed, latest_ms)
    return str(caught.value)


def extra(element: object) -> Any:
    text = read(element).extra
    return json.loads(text) if text else {}


def test_a_plain_element_has_a_quantity() -> None:
    found = read({"date": DATE, "qty": 5, "source": "iPhone|Watch"})
    assert found == (parse(DATE), 5.0, None, None, None, ("Watch", "iPhone"), None, "")


@pytest.mark.parametrize("spelling", [str.capitalize, str.lower])
def test_a_range_is_read_in_either_spelling(spelling: Any) -> None:
    low, mean, high = map(spelling, ("min", "avg", "max"))
    found = read({"date": DATE, low: 1, mean: 2.5, high: 4})
    assert (found.qty, found.min, found.avg, found.max, found.extra) == (None, 1, 2.5, 4, "")


def test_of_both_spellings_the_phones_own_counts() -> None:
    found = read({"date": DATE, "min": 7, "Min": 1, "Max": "high", "max": 9})
    assert (found.min, found.max) == (1.0, 9.0)
    assert json.loads(found.extra) == {"Max": "high", "min": 7}


@pytest.mark.parametrize(
    ("element", "numbers"),
    [
        ({"Min": 48, "Max": 165}, (None, 48, None, 165)),
        ({"Avg": 60}, (None, None, 60, None)),
        ({"Max": 90, "Avg": 60}, (None, None, 60, 90)),
        ({"qty": 60, "Avg": None}, (60, None, None, None)),
        ({"qty": None, "Avg": 1}, (None, None, 1, None)),
        ({"qty": 60, "Min": 50}, (60, 50, None, None)),
    ],
)
def test_part_of_a_range_will_do(
    element: dict[str, object], numbers: tuple[float | None, ...]
) -> None:
    found = read({"date": DATE, **element})
    assert ((found.qty, found.min, found.avg, found.max), found.extra) == (numbers, "")


def test_every_other_field_is_kept_by_its_name() -> None:
    element = {
        "date": DATE,
        "qty": 4,
        "mealTime": "Before Meal",
        "mystery": {"b": [1.0], "a": None},
    }
    assert read(element).extra == '{"mealTime":"Before Meal","mystery":{"b":[1]}}'


def test_a_value_of_nan_among_other_fields_is_no_value() -> None:
    assert extra({"date": DATE, "qty": 4, "a": math.nan, "b": {"c": math.inf}, "d": 1}) == {"d": 1}


@pytest.mark.parametrize("source", [None, "", " ", "|"])
def test_no_source_is_no_source(source: str | None) -> None:
    assert read({"date": DATE, "qty": 1, "source": source})[5:] == ((), None, "")


@pytest.mark.parametrize("source", [["Watch"], {"name": "Watch"}, 5, True])
def test_sources_that_are_no_text_stay_as_sent(source: object) -> None:
    element = {"date": DATE, "qty": 1, "source": source}
    assert read(element).sources == ()
    assert extra(element) == {"source": source}


@pytest.mark.parametrize("key", ["date", "startDate", "start"])
def test_a_start_has_three_names(key: str) -> None:
    assert read({key: DATE, "qty": 1}).moment == parse(DATE)


def test_the_date_goes_before_the_start() -> None:
    element = {"startDate": "2026-05-02 00:00:00 +0200", "date": DATE, "qty": 1}
    assert read(element).moment == parse(DATE)
    assert extra(element) == {"startDate": "2026-05-02 00:00:00 +0200"}


@pytest.mark.parametrize("nothing", [None, "", " "])
def test_where_the_date_is_empty_the_start_is_taken(nothing: str | None) -> None:
    found = read({"date": nothing, "startDate": DATE, "qty": 1})
    assert (found.moment, found.extra) == (parse(DATE), "")


@pytest.mark.parametrize("key", ["endDate", "end"])
def test_an_end_is_an_instant(key: str) -> None:
    found = read({"date": DATE, "qty": 1, key: "2026-05-03T05:00:01Z"})
    assert (found.end_ms, found.extra) == (MORNING + 1000, "")


@pytest.mark.parametrize("end", ["later", 5, ["x"], True])
def test_an_end_that_cannot_be_read_stays_as_sent(end: object) -> None:
    element = {"date": DATE, "qty": 1, "endDate": end}
    assert read(element).end_ms is None
    assert extra(element) == {"endDate": end}


def test_the_other_end_is_taken_where_the_first_cannot_be() -> None:
    found = read({"date": DATE, "qty": 1, "endDate": "later", "end": DATE})
    assert (found.end_ms, found.extra) == (MORNING, '{"endDate":"later"}')


@pytest.mark.parametrize(
    ("start", "end"), [(DATE, "2026-05-03"), ("2026-05-03", DATE), ("2026-05-03", "2026-05-04")]
)
def test_an_end_without_an_instant_stays_as_sent(start: str, end: str) -> None:
    element = {"date": start, "qty": 1, "end": end}
    assert read(element).end_ms is None
    assert extra(element) == {"end": end}


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (DATE, "2026-05-03 06:59:59 +0200"),
        (DATE, "2026-05-03 06:59:59.999 +0200"),
        (DATE, "2026-05-03 06:30:00 +0300"),
        (DATE, "2026-05-02"),
        ("2026-05-03", "2026-05-02"),
        ("2026-05-03", "2026-05-02 23:59:00 +0200"),
    ],
)
def test_an_end_before_the_start_is_rejected(start: str, end: str) -> None:
    assert reason({"date": start, "qty": 1, "end": end}) == "ends_before_start"


def test_an_end_may_be_the_start() -> None:
    assert read({"date": DATE, "qty": 1, "end": "2026-05-03T05:00:00Z"}).end_ms == MORNING


@pytest.mark.parametrize(
    ("element", "why"),
    [
        (None, "not_an_object"),
        ([], "not_an_object"),
        ("x", "not_an_object"),
        (5, "not_an_object"),
        ({}, "no_date"),
        ({"qty": 5}, "no_date"),
        ({"date": None, "qty": 5}, "no_date"),
        ({"date": " ", "start": "", "qty": 5}, "no_date"),
        ({"date": "yesterday", "qty": 5}, "unreadable_date"),
        ({"date": "yesterday", "start": DATE, "qty": 5}, "unreadable_date"),
        ({"date": 1777784400, "qty": 5}, "unreadable_date"),
        ({"date": [DATE], "qty": 5}, "unreadable_date"),
        ({"date": True, "qty": 5}, "unreadable_date"),
        ({"date": "2026-05-03 07:00:00", "qty": 5}, "unreadable_date"),
        ({"date": DATE}, "no_number"),
        ({"date": DATE, "qty": None}, "no_number"),
        ({"date": DATE, "qty": "5"}, "no_number"),
        ({"date": DATE, "qty": True}, "no_number"),
        ({"date": DATE, "qty": [5]}, "no_number"),
        ({"date": DATE, "qty": "many", "other": 5}, "no_number"),
        ({"date": DATE, "qty": None, "other": 5}, "no_number"),
        ({"date": DATE, "Avg": "x", "other": [5]}, "no_number"),
        ({"date": DATE, "value": "Complete"}, "no_number"),
        ({"date": DATE, "value": True, "list": []}, "no_number"),
        ({"date": DATE, "source": 5}, "no_number"),
        ({"date": DATE, "value": math.nan}, "no_number"),
        ({"date": DATE, "qty": math.nan}, "not_a_number"),
        ({"date": DATE, "qty": -math.inf}, "not_a_number"),
        ({"date": DATE, "qty": 10**400}, "not_a_number"),
        ({"date": DATE, "qty": 5, "Avg": math.nan}, "not_a_number"),
        ({"date": "1899-12-31T23:59:59Z", "qty": 5}, "before_1900"),
        ({"date": "1899-12-31", "qty": 5}, "before_1900"),
        ({"date": DATE, "end": "1899-12-31", "qty": 5}, "before_1900"),
    ],
)
def test_what_cannot_be_taken_is_rejected_with_its_reason(element: object, why: str) -> None:
    assert reason(element) == why


def test_a_shape_that_nobody_knows_passes_by_a_number_or_a_list() -> None:
    assert extra({"date": DATE, "beats": [{"ms": 810}]}) == {"beats": [{"ms": 810}]}
    assert extra({"date": DATE, "phase": 0}) == {"phase": 0}


@pytest.mark.parametrize("name", sorted(FIELD_SHAPES))
def test_fields_of_its_own_are_a_metrics_numbers(name: str) -> None:
    needed = FIELD_SHAPES[name]
    for field in needed:
        found = read({"date": DATE, field: 5.0}, needed)
        assert (found.qty, json.loads(found.extra)) == (None, {field: 5})
        assert reason({"date": DATE, field: math.nan}, needed) == "not_a_number"
        assert reason({"date": DATE, "qty": 5, field: math.inf}, needed) == "not_a_number"
        assert reason({"date": DATE, field: "5", "other": 5}, needed) == "no_number"
    assert read({"date": DATE, "qty": 5}, needed).qty == 5


@pytest.mark.parametrize(
    "date", ["1900-01-01T00:00:00Z", "1900-01-01", "1899-12-31 23:00:00 -0100"]
)
def test_1900_is_believed(date: str) -> None:
    assert read({"date": date, "qty": 5}).moment == parse(date)
    assert parse("1900-01-01T00:00:00Z").at_ms == FIRST_MS


def test_the_latest_instant_is_believed_and_none_after_it() -> None:
    assert read({"date": DATE, "qty": 1}, latest_ms=MORNING).qty == 1
    assert reason({"date": DATE, "qty": 1}, latest_ms=MORNING - 1) == "future"
    ends_late = {"date": DATE, "qty": 1, "end": "2026-05-03T05:00:00.001Z"}
    assert reason(ends_late, latest_ms=MORNING) == "future"
    assert reason({"date": DATE, "qty": 1, "end": "2099-01-01"}, latest_ms=MORNING) == "future"
    day_ms = parse("2026-05-03").day * DAY_MS
    assert read({"date": "2026-05-03", "qty": 1}, latest_ms=day_ms).qty == 1
    assert reason({"date": "2026-05-03", "qty": 1}, latest_ms=day_ms - 1) == "future"


def test_of_a_doubtful_clock_any_instant_is_believed() -> None:
    assert read({"date": "9999-01-01T00:00:00Z", "qty": 1}).qty == 1
