"""base.metrics: families kept in memory, told in Prometheus' text format."""

from __future__ import annotations

import threading

import pytest

from healthlog.base.metrics import Registry


def test_counter_is_told_with_its_labels_in_their_order() -> None:
    registry = Registry()
    counted = registry.counter("steps_total", "Steps taken.", ("stage", "outcome"))
    counted.add(outcome="ok", stage="uploaded")
    counted.add(2, stage="uploaded", outcome="ok")
    counted.add(stage="done", outcome="failed")
    assert registry.text() == (
        "# HELP steps_total Steps taken.\n"
        "# TYPE steps_total counter\n"
        'steps_total{stage="done",outcome="failed"} 1\n'
        'steps_total{stage="uploaded",outcome="ok"} 3\n'
    )
    assert counted.value(stage="uploaded", outcome="ok") == 3
    assert counted.value(stage="uploaded", outcome="lost") == 0


def test_counter_without_labels_is_told_from_the_start() -> None:
    registry = Registry()
    registry.counter("starts_total", "Starts.")
    assert registry.text().endswith("\nstarts_total 0\n")


def test_histogram_counts_a_value_at_a_bound_below_it() -> None:
    registry = Registry()
    spans = registry.histogram("fold_seconds", "Folds.", (0.5, 1.0))
    for value in (0.5, 0.75, 3.0):
        spans.observe(value)
    assert registry.text().splitlines()[2:] == [
        'fold_seconds_bucket{le="0.5"} 1',
        'fold_seconds_bucket{le="1"} 2',
        'fold_seconds_bucket{le="+Inf"} 3',
        "fold_seconds_sum 4.25",
        "fold_seconds_count 3",
    ]


def test_gauge_is_asked_each_time() -> None:
    registry = Registry()
    values = [1.5]
    registry.gauge("pending", "Pending.", lambda: [({}, v) for v in values])
    assert registry.text().endswith("\npending 1.5\n")
    values.clear()
    assert registry.text().endswith("# TYPE pending gauge\n")


def test_what_an_owner_named_is_escaped() -> None:
    registry = Registry()
    registry.gauge("seen", "Back\\slash\nline", lambda: [({"automation": 'a"b\\c\nd'}, 1)])
    assert registry.text().splitlines() == [
        "# HELP seen Back\\\\slash\\nline",
        "# TYPE seen gauge",
        'seen{automation="a\\"b\\\\c\\nd"} 1',
    ]


@pytest.mark.parametrize("name", ["", "9lives", "a-b", "a b"])
def test_name_that_prometheus_does_not_take_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="Prometheus"):
        Registry().counter(name, "")


def test_name_is_given_once() -> None:
    registry = Registry()
    registry.counter("a", "")
    with pytest.raises(ValueError, match="already"):
        registry.histogram("a", "")


def test_labels_are_exactly_those_of_the_family() -> None:
    counted = Registry().counter("a", "", ("stage",))
    with pytest.raises(ValueError, match="labels"):
        counted.add(step="x")


def test_no_count_is_lost_between_threads() -> None:
    registry = Registry()
    counted, spans = registry.counter("a", "", ("l",)), registry.histogram("b", "")

    def work() -> None:
        for _ in range(500):
            counted.add(l="x")
            spans.observe(0.01)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counted.value(l="x") == 4000
    assert registry.text().endswith("b_count 4000\n")
