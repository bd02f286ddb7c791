"""The owner's pages over a filled log: every one answers, every link leads somewhere, nothing that
a delivery brought becomes markup."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote

import pytest

from healthlog.base.clock import parse_us
from healthlog.base.held import Turns
from healthlog.web import pages
from tests.support.clock import FakeClock
from tests.support.folding import CASES
from tests.support.loopback import Reply
from tests.support.reading import DAYS, MINUTES, Desk, body, metric, open_desk, steps

NOW_US = parse_us("2026-05-09T12:00:00Z")
EVIL = "<script>alert(1)</script>\"'&"
VOID = frozenset(("meta", "link", "input", "br", "hr", "img"))
ELSEWHERE = ("/api/", "/style", "/page.js", "/icon", "/refused", "/logout")
BAD_ADDRESSES = (
    "/day/2026-02-30",
    "/day/tomorrow",
    "/metric/nothing_of_this_name",
    "/metric/step_count?span=century",
    "/metric/step_count?at=2026-13-01",
    "/metric/step_count?colour=red",
    "/workouts/none",
    "/records/ecg/none",
    "/records/nothing/none",
    "/records?kind=sleep",
    "/journal/none",
    "/journal?before=xyz",
    "/journal?status=lost",
    "/why?metric=step_count",
    "/report?from=2026-05-09&to=2026-05-01",
    "/report?from=1999-01-01&to=2026-05-01",
    "/gaps?to=0001-01-01",
)


class Reader(HTMLParser):
    """Reads a page strictly: elements are closed in the order they were opened, ids are unique."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            assert not name.startswith("on"), (tag, name)
            assert name != "style", tag
            if name in {"href", "src", "action"} and value is not None:
                self.links.append(value)
            if name == "id" and value is not None:
                self.ids.append(value)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def read(page: bytes) -> Reader:
    reader = Reader()
    text = page.decode()
    assert text.startswith("<!doctype html>")
    reader.feed(text)
    reader.close()
    assert reader.open == []
    assert len(set(reader.ids)) == len(reader.ids)
    return reader


@pytest.fixture
def desk(data: Path) -> Iterator[Desk]:
    with open_desk(data, FakeClock(wall_us=NOW_US)) as desk:
        desk.with_pages = True
        desk.authorized = lambda headers, scope: True  # a browser that has logged in
        yield desk


@pytest.fixture
def filled(desk: Desk) -> Desk:
    """Every case of the format, names and texts that would be programs, a delivery that failed."""
    for path in sorted(CASES.iterdir()):
        desk.send(path.read_bytes(), DAYS if "days" in path.name else MINUTES)
    evil = metric(EVIL, EVIL, {"date": "2026-05-05 09:00:00 +0200", "qty": 1, "source": EVIL})
    symptom = {"name": EVIL, "start": "2026-05-05 09:00:00 +0200", "severity": EVIL}
    workout = {
        "id": EVIL,
        "name": EVIL,
        "start": "2026-05-05 09:00:00 +0200",
        "end": "2026-05-05 10:00:00 +0200",
        "location": EVIL,
        EVIL: EVIL,
    }
    both = {"metrics": [evil], "symptoms": [symptom], "workouts": [workout], EVIL: [1]}
    desk.send(json.dumps({"data": both}).encode(), MINUTES, automation_name=EVIL)
    return desk


def seen(desk: Desk, path: str) -> Reply:
    """What a browser is answered."""
    return desk.get(path, "Accept: text/html,*/*")


def visited(desk: Desk) -> dict[str, tuple[int, Reader]]:
    """Every page that can be reached from the first by links, the API aside, and links to other
    days after the second step."""
    left, found = [("/", 0)], {}
    while left:
        path, depth = left.pop(0)
        if path in found:
            continue
        reply = seen(desk, path)
        found[path] = (reply.status, read(reply.body))
        for link in found[path][1].links:
            inside = link.partition("#")[0]
            assert inside.startswith("/") or not inside, link
            assert not inside.startswith("//"), link
            if (
                depth < 3
                and inside
                and not inside.startswith(
                    ("/api/", "/style", "/page.js", "/icon", "/refused", "/logout")
                )
            ):
                left.append((inside, depth + 1))
    return found


@pytest.mark.scenario("pages", "Every page answers and every link leads somewhere")
def test_every_link_leads_to_a_page(filled: Desk) -> None:
    found = visited(filled)
    assert {path: status for path, (status, _) in found.items() if status != 200} == {}
    assert len(found) > 60
    kinds = {path.split("/")[1].partition("?")[0] for path in found}
    assert kinds >= {
        "",
        "day",
        "metric",
        "nights",
        "workouts",
        "records",
        "journal",
        "gaps",
        "why",
        "points",
    }


@pytest.mark.scenario("pages", "Nothing that was sent becomes markup")
def test_nothing_that_was_sent_becomes_markup(filled: Desk) -> None:
    found = visited(filled)
    for path, (_, reader) in found.items():
        assert reader.tags.count("script") == 1, path
    assert sum(EVIL in reader.text for _, reader in found.values()) >= 3


def test_pages_of_an_empty_log_say_that_there_is_nothing(desk: Desk) -> None:
    found = visited(desk)
    assert {status for status, _ in found.values()} == {200}
    assert "Nothing was measured." in found["/"][1].text


@pytest.mark.scenario("pages", "Wrong address says what is wrong")
@pytest.mark.parametrize("path", BAD_ADDRESSES)
def test_a_wrong_address_is_said_on_a_page(filled: Desk, path: str) -> None:
    reply = seen(filled, path)
    assert reply.status in {400, 404}
    assert reply.headers["content-type"].startswith("text/html")
    assert read(reply.body).text


@pytest.mark.scenario("pages", "Pages load nothing from anywhere else")
def test_pages_forbid_everything_from_elsewhere(desk: Desk) -> None:
    for path in ("/", "/metric", "/day/2026-02-30"):
        headers = seen(desk, path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["cache-control"] == "no-store"
        assert headers["x-content-type-options"] == "nosniff"
    for path in ("/style.css", "/page.js"):
        assert b"http" not in seen(desk, path).body


@pytest.mark.scenario("pages", "Day shows its totals, the night before it and its workouts")
def test_a_day_shows_what_the_day_object_has(filled: Desk) -> None:
    assert "6,044" in read(seen(filled, "/day/2026-05-04").body).text
    text = read(seen(filled, "/day/2026-05-08").body).text
    assert "7 h 06 min" in text
    assert "22:40 to 06:10" in text
    assert "Nap" in text


def test_a_day_that_goes_on_says_so(desk: Desk) -> None:
    desk.send(steps(("2026-05-09 00:00:00 +0200", 71)), DAYS)
    assert "still going on" in read(seen(desk, "/").body).text


@pytest.mark.scenario("pages", "Chart marks the open day and shows gaps as gaps")
def test_a_chart_marks_the_open_day_and_leaves_gaps(desk: Desk) -> None:
    days = [(f"2026-05-0{day} 00:00:00 +0200", 1000.0 * day) for day in (4, 5, 8, 9)]
    desk.send(steps(*days), DAYS)
    page = seen(desk, "/metric/step_count?span=week&at=2026-05-09").body.decode()
    assert page.count("<rect") == 4
    assert page.count('<rect class="open"') == 1
    assert "4 days with readings" in page
    levels = metric(
        "heart_rate",
        "bpm",
        *(
            {"date": f"2026-05-0{day} 00:00:00 +0200", "Min": 50, "Avg": 60 + day, "Max": 90}
            for day in (4, 5, 8, 9)
        ),
    )
    desk.send(body(levels), DAYS)
    page = seen(desk, "/metric/heart_rate?span=week&at=2026-05-09").body.decode()
    assert page.count("<polyline") == page.count('class="band"') == 2


@pytest.mark.scenario("pages", "One metric stands beside another")
def test_one_metric_stands_beside_another(filled: Desk) -> None:
    page = seen(filled, "/metric/step_count?span=month&at=2026-05-09&with=heart_rate").body
    assert page.count(b"<svg") == 2
    assert seen(filled, "/metric/step_count?with=").status == 200
    assert seen(filled, "/metric/step_count?with=no_such_metric").status == 200


@pytest.mark.scenario("pages", "Skipped dose never counts as taken")
def test_a_skipped_dose_is_not_counted_as_taken(desk: Desk) -> None:
    doses = [
        {
            "displayText": "Tablet",
            "scheduledDate": f"2026-05-0{day} 08:00:00 +0200",
            "start": f"2026-05-0{day} 08:00:00 +0200",
            "status": status,
            "dosage": 1,
        }
        for day, status in enumerate(("Taken", "Skipped", "Taken", "Skipped", "Skipped"), 1)
    ]
    desk.send(json.dumps({"data": {"medications": doses}}).encode())
    page = seen(desk, "/report?from=2026-05-01&to=2026-05-09").body.decode()
    assert '<th scope="row">Tablet</th><td>2</td><td>3</td><td>0</td>' in page
    listed = seen(desk, "/records?kind=medication&to=2026-05-09").body.decode()
    assert listed.count("<td>skipped</td>") == 3
    assert listed.count("<td>taken, 1</td>") == 2


@pytest.mark.scenario("pages", "Journal shows what became of every delivery")
def test_the_journal_shows_newest_first_page_by_page(filled: Desk) -> None:
    page = read(seen(filled, "/journal").body)
    ids = [link for link in page.links if link.startswith("/journal/")]
    assert ids == sorted(ids, reverse=True)
    failed = read(seen(filled, "/journal?status=failed").body)
    assert len([link for link in failed.links if link.startswith("/journal/")]) >= 1
    one = read(seen(filled, ids[0]).body)
    assert "Account" in one.text
    assert any(link.endswith("/body") for link in one.links)


def test_a_long_journal_has_older_pages(desk: Desk) -> None:
    for day in range(1, 31):
        for hour in range(4):
            desk.send(steps((f"2026-04-{day:02} {hour:02}:00:00 +0200", 1)), MINUTES)
    page, found = "/journal", []
    while page:
        links = read(seen(desk, page).body).links
        found += [link for link in links if link.startswith("/journal/")]
        page = next((link for link in links if link.startswith("/journal?before=")), "")
    assert len(found) == len(set(found)) == 120


@pytest.mark.scenario("pages", "Every number leads to where it comes from")
def test_a_number_leads_to_the_deliveries_that_said_it(filled: Desk) -> None:
    page = read(seen(filled, "/metric/step_count?span=month&at=2026-05-09").body)
    why = next(link for link in page.links if link.startswith("/why?") and "2026-05-03" in link)
    text = read(seen(filled, why).body).text
    assert "8,110" in text
    assert "8,123" in text
    assert "stands" in text


@pytest.mark.scenario("pages", "Numbers beyond reason are shown")
def test_numbers_beyond_reason_are_shown(desk: Desk) -> None:
    at = "2026-05-05 08:00:{:02} +0200".format
    beats = [{"date": at(0), "Avg": 60}, {"date": at(0), "Avg": 60, "Min": 1}, {"date": at(9)}]
    volts = [
        {"date": 7e8 + n / 500, "voltage": 1e308 * (-1) ** n, "units": "mcV"} for n in range(9)
    ]
    night = {"sleepStart": "2026-05-04 23:00:00 +0200", "sleepEnd": at(0), "totalSleep": 1e308}
    sent = {
        "metrics": [
            metric("odd", "x", *({"date": at(n), "qty": q} for n, q in enumerate((1e308, -1e308)))),
            metric("blood_pressure", "mmHg", {"date": at(0), "systolic": 1e308, "diastolic": 1}),
            metric("sleep_analysis", "hr", {**night, "deep": 1e308, "core": 1e308}),
        ],
        "workouts": [
            {"id": "A", "name": "W", "start": at(0), "end": at(9), "duration": 1e308}
            | {"heartRateData": [*beats, {"date": "2099-01-01 00:00:00 +0000", "Avg": 1e308}]}
        ],
        "ecg": [{"start": at(0), "voltageMeasurements": [*volts, {"date": at(0), "voltage": 1}]}],
    }
    desk.send(json.dumps({"data": sent}).encode(), MINUTES)
    (trace,) = desk.items("/api/v1/records", kind="ecg")
    paths = [f"/metric/{name}?at=2026-05-05&span=" for name in ("odd", "blood_pressure")]
    for path in (
        *(path + span for path in paths for span in ("day", "week", "month", "year", "all")),
        *("/", "/day/2026-05-05", "/nights", "/workouts", "/workouts/A", "/report"),
        f"/records/ecg/{quote(trace['key'], safe='')}",
    ):
        reply = seen(desk, path)
        drawn = reply.body.decode()
        assert reply.status == 200, path
        assert not re.search(r'(?:points|d|x|y|cy|height|viewBox)="[^"]*[0-9]{20}', drawn), path


def test_a_key_of_any_letters_leads_to_its_workout(filled: Desk) -> None:
    listed = read(seen(filled, "/workouts?to=2026-05-09").body)
    mine = [link for link in listed.links if link.startswith("/workouts/")]
    assert f"/workouts/{quote(EVIL.upper(), safe='')}" in mine


def test_no_page_shows_where_somebody_was_against_the_setting(desk: Desk) -> None:
    places = [{"latitude": 50.0 + n, "longitude": 8.0} for n in range(3)]
    walk = {
        "id": "A",
        "name": "Walk",
        "start": "2026-05-05 09:00:00 +0200",
        "end": "2026-05-05 10:00:00 +0200",
        "route": places,
    }
    desk.send(json.dumps({"data": {"workouts": [walk]}}).encode())
    assert b'class="route"' in seen(desk, "/workouts/A").body
    desk.settings = replace(desk.settings, routes=False)
    assert b'class="route"' not in seen(desk, "/workouts/A").body


def test_pages_wait_for_their_turn_like_other_questions(desk: Desk) -> None:
    turns = Turns(1, 0.001)
    desk.parts = {"turns": turns}
    for path in ("/", "/report", "/api/v1/metrics", "/stats"):
        assert turns.take(partial(seen, desk, path)).status == 503, path
        assert seen(desk, path).status == 200, path


def test_every_page_needs_the_token(desk: Desk) -> None:
    assert {route.scope for route in pages.routes(None)} == {"read"}  # type: ignore[arg-type]


def test_of_blood_pressure_the_stroke_between_both_numbers_is_drawn(desk: Desk) -> None:
    pairs = [
        {"date": f"2026-05-0{day} 08:00:00 +0200", "systolic": 120 + day, "diastolic": 80}
        for day in (5, 6, 7)
    ]
    desk.send(body(metric("blood_pressure", "mmHg", *pairs)), MINUTES)
    page = seen(desk, "/metric/blood_pressure?span=week&at=2026-05-09").body.decode()
    assert page.count('class="range"') == 3
    assert "125 / 80 mmHg" in page
