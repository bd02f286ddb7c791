"""The list of the recordings: which it holds, in which order, in which form."""

from __future__ import annotations

import csv
import io
import json
from urllib.parse import quote

import pytest

from healthlog import spoken
from healthlog.transcriber import listing
from healthlog.transcriber.listing import Wanted
from healthlog.transcriber.transcript import Transcript
from tests.support.accepting import plans
from tests.support.reading import Desk, problem
from tests.support.spoken import API, HEARD, at, change, hear, sent


def ids(desk: Desk, **params: str) -> list[str]:
    return [one["recording_id"] for one in desk.items(API, **params)]


@pytest.mark.scenario("recording-doors", "Recordings are listed in the order of their coming")
def test_recordings_are_listed_in_the_order_of_their_coming(desk: Desk) -> None:
    made = [sent(desk, title=f"number {number}") for number in range(5)]
    assert ids(desk) == made
    [first, *_] = desk.items(API)
    assert first == {
        "recording_id": made[0],
        "spoken_at": "2026-08-02T08:01:42.123456Z",
        "source": "http",
        "stage": "uploaded",
        "stage_since": "2026-08-02T08:01:42.123456Z",
        "bytes": 2076,
        "title": "number 0",
    }


@pytest.mark.scenario("recording-doors", "Pages of recordings join")
def test_pages_of_recordings_join(desk: Desk) -> None:
    made = [sent(desk) for _ in range(5)]
    found, cursor = [], None
    for _ in range(5):
        page = desk.get(API, limit="2", **({"cursor": cursor} if cursor else {})).json()
        found += [one["recording_id"] for one in page["items"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert found == made
    assert problem(desk.get(API, cursor="x"), 400)
    lines = desk.get(API, limit="2", format="ndjson")
    assert [json.loads(line)["recording_id"] for line in lines.body.splitlines()] == made[:2]
    link = lines.headers["link"].partition("<")[2].partition(">")[0]
    assert [json.loads(one)["recording_id"] for one in desk.get(link).body.splitlines()] == made[
        2:4
    ]


@pytest.mark.scenario("recording-doors", "Recordings are found by stage and by stop")
def test_recordings_are_found_by_stage_and_by_stop(desk: Desk) -> None:
    new, done, stuck, stopped = (sent(desk) for _ in range(4))
    hear(desk, done)
    at(desk, stuck, stage="submitted", stopped_at_us=1, stop_reason="stuck")
    at(desk, stopped, stopped_at_us=1, stop_reason="person")
    assert ids(desk, stage="done") == [done]
    assert ids(desk, stage="uploaded") == [new, stopped]
    assert ids(desk, stopped="true") == [stuck, stopped]
    assert ids(desk, stopped="false") == [new, done]
    assert ids(desk, stopped="stuck") == [stuck]
    assert ids(desk, stage="uploaded", stopped="false") == [new]
    assert ids(desk, stage="normalized") == []
    for name, value in (("stage", "x"), ("stopped", "maybe"), ("limit", "0"), ("format", "xml")):
        assert f"The parameter {name} must be" in problem(desk.get(API, **{name: value}), 400)


@pytest.mark.scenario("recording-doors", "Recordings are found by their words")
def test_recordings_are_found_by_their_words(desk: Desk) -> None:
    fox, bear, none = (sent(desk) for _ in range(3))
    hear(desk, fox)
    hear(desk, bear, Transcript("Der Bär heißt Übermut, sagt Gustav."))
    change(desk, none, title="Notes on a fox", topics=["animals", "forest"])
    assert ids(desk, q="fox") == [fox, none]
    assert ids(desk, q="FOX quick") == [fox]
    assert ids(desk, q="gust") == [fox, bear], "the last word may be a beginning"
    assert ids(desk, q="übermut") == [bear]
    assert ids(desk, q="forest") == [none]
    assert ids(desk, q="fox bear") == []
    assert ids(desk, q="fox", stage="done") == [fox]
    for text in ('"fox" OR bear', "fox*", "(fox", "title:fox", "fox NEAR/2 x", "-fox", "' OR 1"):
        assert desk.get(f"{API}?q={quote(text)}").status == 200, text
    for blank in ("", "  ", '"*-', "…"):
        assert "The parameter q" in problem(desk.get(f"{API}?q={quote(blank)}"), 400)


@pytest.mark.scenario("recording-doors", "Correction is what is found")
def test_a_correction_is_what_is_found(desk: Desk) -> None:
    one = sent(desk)
    hear(desk, one)
    change(desk, one, corrected_text="the quick brown fox is called Gertrude")
    assert ids(desk, q="gertrude") == [one]
    assert ids(desk, q="gustav") == []
    change(desk, one, corrected_text=None)
    assert ids(desk, q="gustav") == [one]


def test_a_list_is_a_table_too(desk: Desk) -> None:
    one = sent(desk, title='A "quoted", title')
    hear(desk, one)
    change(desk, one, topics=["a", "b"])
    reply = desk.get(API, format="csv")
    [row] = csv.DictReader(io.StringIO(reply.body.decode(), newline=""))
    assert (row["recording_id"], row["title"]) == (one, 'A "quoted", title')
    assert (row["topics"], row["stage"], row["beginning"]) == ("a|b", "done", HEARD.text)
    assert row["stop_reason"] == ""


def test_a_list_shows_how_a_text_begins(desk: Desk) -> None:
    one = sent(desk)
    hear(desk, one, Transcript("word " * 100 + "\nend"))
    [item] = desk.items(API)
    assert item["beginning"] == " ".join(["word"] * 40) + "…"
    assert "text" not in item
    hear_again = sent(desk)
    hear(desk, hear_again, Transcript("x" * 300))
    assert desk.items(API)[1]["beginning"] == "x" * 200 + "…"


@pytest.mark.parametrize(
    "wanted",
    [
        Wanted(),
        Wanted(stage="done"),
        Wanted(stopped=True),
        Wanted(stopped=False, stage="done"),
        Wanted(stopped="stuck"),
    ],
)
def test_a_page_is_read_in_the_order_of_the_ids(desk: Desk, wanted: Wanted) -> None:
    [plan] = plans(desk.house.journal, lambda c: listing.page(c, wanted, "", 10))
    assert plan == "SEARCH recording USING INDEX sqlite_autoindex_recording_1 (recording_id>?)"


def test_a_log_without_recordings_lists_none(desk: Desk) -> None:
    desk.parts["spoken"] = spoken.Silent()
    assert desk.items(API) == []
    assert desk.get("/api/v1/days/2026-08-02").json()["notes"] == []
