"""Deep links: what the app takes from them."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlsplit

import pytest

from healthlog.pairing.links import METRICS, TYPES, DataType, Pairing, type_of

TOKEN = "a.token-of_the~phone+with/all=signs"
PAIRING = Pairing("https://health.example.org/log/ingest", TOKEN)

# Values that the app documents, beside which numbers and texts are free.
YES_OR_NO = {"true", "false"}
DOCUMENTED = {
    "format": {"json"},
    "datatype": {"healthMetrics", "workouts", "symptoms"},
    "period": {"none", "lastsync", "today", "yesterday", "previous7days"},
    "interval": {"default", "seconds", "minutes", "hours", "days", "weeks", "months", "years"},
    "exportversion": {"v1", "v2"},
    "syncinterval": {"minutes", "hours", "days", "weeks"},
    "workoutsmetadatainterval": {"minutes", "seconds"},
    "aggregatedata": YES_OR_NO,
    "aggregatesleep": YES_OR_NO,
    "includeroutes": YES_OR_NO,
    "includeworkoutmetadata": YES_OR_NO,
    "batchrequests": YES_OR_NO,
    "notifyonupdate": YES_OR_NO,
    "notifywhenrun": YES_OR_NO,
    "enabled": YES_OR_NO,
}
FREE = {"url", "name", "headers", "syncquantity", "requesttimeout"}


def taken(data_type: DataType) -> dict[str, str]:
    """Parameters of a link as the app decodes them, each once."""
    link = urlsplit(PAIRING.link(data_type))
    assert (link.scheme, link.netloc, link.path) == ("com.healthexport", "automation", "")
    pairs = parse_qsl(link.query, keep_blank_values=True, strict_parsing=True)
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


@pytest.mark.scenario("pairing", "Link carries all that a person would have to type")
@pytest.mark.parametrize("data_type", TYPES, ids=[one.name for one in TYPES])
def test_a_link_carries_all_that_a_person_would_type(data_type: DataType) -> None:
    found = taken(data_type)
    assert found["url"] == PAIRING.url
    # The app splits at commas: none may stand in what it takes apart.
    assert found["headers"].split(",") == ["Authorization", f"Bearer {TOKEN}"]
    assert (found["format"], found["exportversion"]) == ("json", "v2")
    assert found["requesttimeout"] == "60"
    assert found["name"] == data_type.automation
    assert {name for name in found if name not in FREE} <= DOCUMENTED.keys()
    assert [n for n, value in found.items() if n not in FREE and value not in DOCUMENTED[n]] == []


@pytest.mark.scenario("pairing", "Data type that the app documents no word for is left to a person")
@pytest.mark.parametrize("data_type", TYPES, ids=[one.name for one in TYPES])
def test_only_documented_data_types_start_by_themselves(data_type: DataType) -> None:
    found = taken(data_type)
    assert ("datatype" in found) == (not data_type.by_hand)
    assert found["enabled"] == ("false" if data_type.by_hand else "true")


def test_the_link_is_encoded_for_every_reader() -> None:
    link = PAIRING.link(METRICS)
    assert link.startswith("com.HealthExport://automation?url=https%3A%2F%2F")
    assert re.fullmatch(r"[A-Za-z0-9.:/?&=%_~-]+", link)
    assert "%2B" in link
    assert "%20" in link


def test_metrics_come_by_the_minute_with_the_day_before() -> None:
    found = taken(METRICS)
    assert (found["datatype"], found["period"]) == ("healthMetrics", "none")
    assert (found["interval"], found["aggregatesleep"]) == ("minutes", "true")
    assert "metrics" not in found


def test_each_type_has_a_name_of_its_own() -> None:
    assert len({one.name for one in TYPES}) == len({one.automation for one in TYPES}) == len(TYPES)
    assert [type_of(one.automation) for one in TYPES] == list(TYPES)
    assert type_of("Mine") is None
    assert type_of(None) is None


def test_a_pairing_that_is_printed_by_accident_hides_its_token() -> None:
    assert TOKEN not in f"{PAIRING!r} {PAIRING}"
