"""Records without the places that they tell."""

from __future__ import annotations

from typing import Any

import pytest

from healthlog.records.places import without_places

HERE = {"latitude": 50.1, "longitude": 8.7}


@pytest.mark.parametrize(
    "place",
    [
        {"route": [{**HERE, "altitude": 112, "timestamp": "2026-05-05 18:00:05 +0200"}]},
        {"route": [{"lat": 0.5, "lon": 0.5, "altitude": 8}]},
        {"route": []},
        {"route": "kept elsewhere"},
        {"Route": {"points": [1, 2]}},
        {"routes": [[HERE], [HERE]]},
        {"locations": [HERE, HERE]},
        {"startedAt": HERE},
        {"start_place": {"Lat": 1, "Lng": 2, "name": "Home"}},
        HERE,
    ],
)
def test_places_are_left_out_whatever_they_are_called(place: dict[str, Any]) -> None:
    rest = {"name": "Outdoor Run", "distance": {"qty": 5, "units": "km"}}
    assert without_places({**rest, **place}) == rest


def test_places_are_left_out_wherever_they_stand() -> None:
    leg = {"start": "2026-05-05 18:00:00 +0200", "route": [HERE]}
    data = {"activities": [leg, {"metrics": {"speed": 3}, "at": [HERE]}], "segments": [[HERE], 5]}
    assert without_places(data) == {
        "activities": [{"start": leg["start"]}, {"metrics": {"speed": 3}}],
        "segments": [5],
    }


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"heartRateData": [{"date": "x", "Avg": 120}], "labels": [], "metadata": {}},
        {"latitude": 5},
        {"long": 3, "length": [1, None, True]},
        {"elevation": {"ascent": 16, "descent": 0}},
    ],
)
def test_all_else_stays(data: dict[str, Any]) -> None:
    assert without_places(data) == data


def test_nothing_is_taken_from_what_is_stored() -> None:
    data = {"route": [HERE], "activities": [{"route": [HERE], "n": 1}]}
    without_places(data)
    assert data == {"route": [HERE], "activities": [{"route": [HERE], "n": 1}]}
