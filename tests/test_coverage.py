"""What the parser covers: nothing is read that doesn't stand in the registry."""

from __future__ import annotations

import json

import pytest

from healthlog.coverage import COVERED, LEARNED, Coverage
from healthlog.hae.envelope import SECTIONS
from healthlog.hae.metrics import SLEEP
from healthlog.hae.names import KNOWN
from healthlog.hae.parse import METRICS, READ, parse
from healthlog.model import COVERAGE

TWO = Coverage({1: frozenset(("metrics",)), 2: frozenset(("workouts", "metrics.vo2_max"))})


def is_read(name: str) -> bool:
    """Whether the parser takes a section, or a metric (`metrics.NAME`), of a body."""
    section, _, metric = name.partition(".")
    element = {"name": metric, "data": [{"date": "2026-05-03 07:00:00 +0200", "qty": 1}]}
    body = json.dumps({"data": {section: [element if metric else {"a": 1}]}}).encode()
    return name not in parse(body, None, lambda: None).unread


@pytest.mark.scenario("storage", "Section that is read stands in the registry")
@pytest.mark.parametrize("name", [*SECTIONS, "mystery"])
def test_a_section_is_read_only_if_it_stands_in_the_registry(name: str) -> None:
    assert is_read(name) == (name in COVERED.names)


@pytest.mark.scenario("storage", "Section that is read stands in the registry")
@pytest.mark.parametrize("metric", sorted(KNOWN))
def test_a_metric_that_is_not_read_stands_not_in_the_registry(metric: str) -> None:
    name = f"{METRICS}.{metric}"
    if metric == SLEEP:
        assert is_read(name) == (name in COVERED.names)
    else:
        assert is_read(name)
        assert COVERED.part(name) in {METRICS, name}


def test_the_registry_has_what_the_parser_s_table_has() -> None:
    assert COVERED.names == READ


def test_the_coverage_is_the_number_of_what_was_learned_last() -> None:
    assert COVERED.number == COVERAGE == max(LEARNED)
    assert sorted(LEARNED) == list(range(1, COVERAGE + 1))


def test_nothing_is_learned_twice() -> None:
    assert sum(map(len, LEARNED.values())) == len(COVERED.names)


def test_metrics_are_registered_as_they_are_stored() -> None:
    assert {COVERED.part(name) for name in COVERED.names} == COVERED.names


# The rest is about any registry.


@pytest.mark.parametrize(
    ("uncovered", "folded_under", "has_news"),
    [
        (("workouts",), 1, True),
        (("mystery", "workouts"), 1, True),
        (("mystery",), 1, False),
        ((), 1, False),
        (("workouts",), 2, False),
        (("metrics.vo2_max",), 1, True),
        (("metrics. VO2Max ",), 1, True),
        (("metrics.step_count",), 1, False),
        (("metrics",), 0, True),
    ],
)
def test_news_are_what_was_left_and_learned_since(
    uncovered: tuple[str, ...], folded_under: int, has_news: bool
) -> None:
    assert TWO.has_news(uncovered, folded_under) is has_news


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("metrics", "metrics"),
        ("metrics.heart_rate", "metrics"),
        ("metrics.vo2_max", "metrics.vo2_max"),
        ("metrics. VO2Max", "metrics.vo2_max"),
        ("metrics.a.b", "metrics"),
        ("metrics.", "metrics"),
        ("workouts", "workouts"),
    ],
)
def test_what_has_a_reader_of_its_own_is_a_part_of_its_own(name: str, part: str) -> None:
    assert TWO.part(name) == part
