"""Deliveries as answers show them: the list, the account of one, its body."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from healthlog import deliveries
from healthlog.base.clock import text_us
from healthlog.base.web import Problem, Response
from healthlog.deliveries import Wanted
from healthlog.journal import outcomes, queue, rows
from healthlog.journal.rows import Entry
from healthlog.model import (
    FAILED,
    PARSED,
    PENDING,
    Account,
    Counts,
    Delivery,
    Failure,
    Rejected,
    Verdict,
)
from tests.support.accepting import House, delivery, entry, insert, open_house, plans
from tests.support.clock import MORNING_US, FakeClock

ACCOUNT = Account(
    folded_at_us=MORNING_US,
    layer="day",
    layer_origin="declared",
    counts=Counts(received=4, new=1, same=1, rejected=2, incomparable=1),
    uncovered=("metrics.step_count",),
    rejected=(Rejected("metrics.step_count[0]", "no_date"),) * 2,
)


@pytest.fixture
def house(data: Path, clock: FakeClock) -> Iterator[House]:
    with open_house(data, clock) as house:
        yield house


def judge(house: House, one: Delivery, verdict: Verdict) -> None:
    house.journal.write(
        partial(outcomes.write_verdict, delivery_id=one.delivery_id, verdict=verdict)
    )


def filled(house: House, count: int) -> list[str]:
    """Ids of so many deliveries, one a second."""
    made = [delivery(number) for number in range(count)]
    insert(house.journal, *made)
    return [one.delivery_id for one in made]


def listed(page: deliveries.Page) -> list[Any]:
    return [item["delivery_id"] for item in page.items]


# ---- the object


def test_a_delivery_that_waits_has_no_account_yet() -> None:
    one = delivery(automation_id="A-1", automation_name="Métriques", aggregation="Days")
    assert deliveries.shown(Entry(one, PENDING)) == {
        "delivery_id": one.delivery_id,
        "received_at": "2026-08-02T08:01:42.123456Z",
        "automation_id": "A-1",
        "automation_name": "Métriques",
        "aggregation": "Days",
        "period": None,
        "session_id": None,
        "bytes": 10,
        "sha256": one.sha256,
        "parse_status": "pending",
        "layer": None,
        "layer_origin": None,
        "parser": None,
        "counts": {
            "received": 0,
            "new": 0,
            "changed": 0,
            "same": 0,
            "outdated": 0,
            "rejected": 0,
            "incomparable": 0,
        },
        "uncovered": [],
        "rejected": [],
        "failure": None,
        "folded_at": None,
    }


def test_a_folded_delivery_shows_its_account(house: House) -> None:
    [one] = [delivery()]
    insert(house.journal, one)
    judge(house, one, Verdict(ACCOUNT))
    shown = deliveries.shown(entry(house.journal, one.delivery_id))
    assert shown["parse_status"] == "partial"
    assert (shown["layer"], shown["layer_origin"], shown["parser"]) == ("day", "declared", 1)
    assert shown["counts"] == {
        "received": 4,
        "new": 1,
        "changed": 0,
        "same": 1,
        "outdated": 0,
        "rejected": 2,
        "incomparable": 1,
    }
    assert shown["uncovered"] == ["metrics.step_count"]
    assert shown["rejected"] == [{"where": "metrics.step_count[0]", "reason": "no_date"}] * 2
    assert (shown["failure"], shown["folded_at"]) == (None, text_us(MORNING_US))


def test_a_failed_delivery_shows_why(house: House) -> None:
    one = delivery()
    insert(house.journal, one)
    judge(house, one, Verdict(Account(MORNING_US), Failure("malformed", "no JSON")))
    shown = deliveries.shown(entry(house.journal, one.delivery_id))
    assert (shown["parse_status"], shown["layer"]) == ("failed", None)
    assert shown["failure"] == {"kind": "malformed", "message": "no JSON"}


def test_a_delivery_that_waits_again_keeps_its_account(house: House) -> None:
    one = delivery()
    insert(house.journal, one)
    judge(house, one, Verdict(ACCOUNT))
    queue.requeue(house.journal, [one.delivery_id])
    shown = deliveries.shown(entry(house.journal, one.delivery_id))
    assert (shown["parse_status"], shown["uncovered"]) == ("pending", ["metrics.step_count"])


def test_every_object_can_be_written_as_json() -> None:
    assert json.dumps(deliveries.shown(Entry(delivery(), PENDING, ACCOUNT)))


# ---- the list


def test_a_list_is_in_the_order_of_the_journal_newest_last(house: House) -> None:
    ids = filled(house, 3)
    page = deliveries.page(house.journal, Wanted(), None, 10)
    assert (listed(page), page.following) == (ids, None)


def test_a_status_alone_is_listed(house: House) -> None:
    ids = filled(house, 3)
    judge(house, delivery(1), Verdict(Account(MORNING_US)))
    wanted = {PARSED: [ids[1]], PENDING: [ids[0], ids[2]], FAILED: []}
    for status, expected in wanted.items():
        page = deliveries.page(house.journal, Wanted(status), None, 10)
        assert listed(page) == expected


def test_a_range_of_time_is_listed(house: House) -> None:
    ids = filled(house, 4)
    wanted = Wanted(None, MORNING_US + 1_000_000, MORNING_US + 3_000_000)
    assert listed(deliveries.page(house.journal, wanted, None, 10)) == ids[1:3]


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 6, 100])
def test_pages_join_without_gap_or_double(house: House, limit: int) -> None:
    ids = filled(house, 6)
    found, behind = [], None
    for _ in ids:
        page = deliveries.page(house.journal, Wanted(), behind, limit)
        found += listed(page)
        behind = page.following
        if behind is None:
            break
    assert found == ids


def test_a_long_page_is_read_in_slices(house: House) -> None:
    ids = filled(house, 250)
    page = deliveries.page(house.journal, Wanted(), None, 240)
    assert listed(page) == ids[:240]
    assert page.following == delivery(239).position


def test_a_page_whose_rows_change_while_it_is_read_ends_where_it_said(house: House) -> None:
    ids = filled(house, 210)
    page = deliveries.page(house.journal, Wanted(PENDING), None, 150)
    assert next(page.items)["delivery_id"] == ids[0]
    for number in range(100, 140):
        judge(house, delivery(number), Verdict(Account(MORNING_US)))
    assert listed(page) == ids[1:100] + ids[140:150]


@pytest.mark.parametrize("status", [None, PENDING, PARSED])
def test_the_end_of_a_page_is_searched_in_a_covering_index(
    house: House, status: str | None
) -> None:
    [plan] = plans(house.journal, lambda c: rows.page_end(c, status, None, None, None, 10))
    assert "COVERING INDEX" in plan
    assert "(received_at_us,delivery_id)>(?,?)" in plan.replace(" ", "")


def test_one_delivery_is_found_by_its_id(house: House) -> None:
    [made] = filled(house, 1)
    assert deliveries.one(house.journal, made).delivery.delivery_id == made


@pytest.mark.parametrize("delivery_id", ["20260802T080142.123456Z-ffffffff", "../journal.db", ""])
def test_an_unknown_delivery_is_not_found(house: House, delivery_id: str) -> None:
    with pytest.raises(Problem) as caught:
        deliveries.one(house.journal, delivery_id)
    assert caught.value.status == 404


# ---- the body

BODY = b'{"data":{"metrics":[]}}'
LARGE = b'{"data":"' + bytes(range(32, 127)).replace(b'"', b"").replace(b"\\", b"") * 8_000 + b'"}'


def stored(house: House, content: bytes = BODY, content_type: str | None = None) -> Delivery:
    return house.accept(house.intake(), content, content_type=content_type)


def read(response: Response) -> bytes:
    assert not isinstance(response.body, bytes)
    return b"".join(response.body)


@pytest.mark.parametrize("content", [BODY, LARGE])
def test_a_body_comes_back_byte_for_byte(house: House, content: bytes) -> None:
    response = deliveries.body(house.archive, stored(house, content))
    assert response.length == len(content)
    assert read(response) == content


@pytest.mark.parametrize(
    ("received", "given"),
    [
        ("application/json; charset=utf-8", "application/json; charset=utf-8"),
        ("text/html", "text/html"),
        (None, "application/json"),
        ("application/jsön", "application/json"),
        ("a\r\nSet-Cookie: x=y", "application/json"),
    ],
)
def test_the_content_type_is_that_received_where_it_can_be_written(
    house: House, received: str | None, given: str
) -> None:
    one = stored(house, content_type=received)
    assert deliveries.body(house.archive, one).content_type == given


def test_no_browser_runs_a_body_as_a_page(house: House) -> None:
    one = stored(house, content_type="text/html")
    headers = dict(deliveries.body(house.archive, one).headers)
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert headers["Content-Disposition"] == f'attachment; filename="{one.delivery_id}.json"'


def refusal(house: House, one: Delivery) -> Problem:
    with pytest.raises(Problem) as caught:
        read(deliveries.body(house.archive, one))
    return caught.value


def test_a_missing_body_is_gone(house: House) -> None:
    one = stored(house)
    house.archive.body_path(one.delivery_id).unlink()
    refused = refusal(house, one)
    assert (refused.status, refused.detail) == (
        410,
        "The body of this delivery is missing or damaged.",
    )


@pytest.mark.parametrize("damage", [b"", b"no gzip", gzip.compress(b'{"other":1}', mtime=0)])
def test_a_damaged_body_is_gone(house: House, damage: bytes) -> None:
    one = stored(house)
    house.archive.body_path(one.delivery_id).write_bytes(damage)
    assert refusal(house, one).status == 410


def test_damage_found_late_withholds_the_end(house: House) -> None:
    one = stored(house, LARGE)
    path = house.archive.body_path(one.delivery_id)
    path.write_bytes(gzip.compress(LARGE[:-1] + b" "))
    response = deliveries.body(house.archive, one)
    assert not isinstance(response.body, bytes)
    given: list[bytes] = []
    with pytest.raises(Problem):
        given.extend(response.body)
    assert 0 < sum(map(len, given)) < len(LARGE)
