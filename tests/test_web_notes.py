"""The panel of spoken notes: found, heard, put right, set going again, deleted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.support.clock import FakeClock
from tests.support.loopback import Reply
from tests.support.reading import Desk, open_desk
from tests.support.spoken import HEARD, hear
from tests.support.spoken import sent as taken

EVIL = "<script>alert(1)</script>"


@pytest.fixture
def desk(data: Path, clock: FakeClock) -> Iterator[Desk]:
    with open_desk(data, clock) as desk:
        desk.with_pages = True
        desk.authorized = lambda headers, scope: True
        yield desk


def heard(desk: Desk, text: str) -> str:
    """The id of a note that has become this text."""
    note = taken(desk)
    hear(desk, note, replace(HEARD, text=text, segments=(), words=()))
    return note


def got(desk: Desk, path: str, status: int = 200) -> str:
    reply = desk.get(path, "Accept: text/html")
    assert reply.status == status, reply.body
    return reply.body.decode()


def sent(desk: Desk, path: str, **fields: str) -> Reply:
    body = urlencode(fields).encode()
    head = [
        f"POST {path} HTTP/1.1",
        "Host: x",
        "Accept: text/html",
        "Content-Type: application/x-www-form-urlencoded",
        f"Content-Length: {len(body)}",
    ]
    return desk.ask("\r\n".join([*head, "", ""]).encode() + body)


@pytest.mark.scenario("pages", "Notes are found by their words")
def test_notes_are_listed_and_found_by_their_words(desk: Desk) -> None:
    milk = heard(desk, "remember the milk")
    heard(desk, "call the doctor")
    page = got(desk, "/notes")
    assert "remember the milk" in page
    assert "call the doctor" in page
    found = got(desk, "/notes?q=milk")
    assert f"/notes/{milk}" in found
    assert "doctor" not in found
    assert "There is no note." in got(desk, "/notes?q=nowhere")
    assert "There is no note." in got(desk, "/notes?state=stopped")


@pytest.mark.scenario("pages", "Note is heard and read beside what a person wrote")
def test_a_note_shows_its_sound_and_both_texts(desk: Desk) -> None:
    note = heard(desk, "by milk")
    assert sent(desk, f"/notes/{note}", corrected_text="buy milk", title="Shop").status == 303
    page = got(desk, f"/notes/{note}")
    assert f'<audio controls preload="none" src="/api/v1/recordings/{note}/audio"' in page
    assert '<p class="heard">by milk</p>' in page or ">by milk</p>" in page
    assert ">buy milk</textarea>" in page
    assert "<h1>Shop</h1>" in page
    assert "format=srt" in page


def test_what_was_left_as_it_was_heard_is_no_correction(desk: Desk) -> None:
    note = heard(desk, "one\ntwo")
    assert sent(desk, f"/notes/{note}", corrected_text="one\r\ntwo", topics="a, b,,a").status == 303
    told = desk.get(f"/api/v1/recordings/{note}").json()
    assert "corrected_text" not in told
    assert told["topics"] == ["a", "b"]
    assert sent(desk, f"/notes/{note}", corrected_text="").status == 303
    assert desk.get(f"/api/v1/recordings/{note}").json()["corrected_text"] == ""


def test_what_is_wrong_in_the_form_is_named(desk: Desk) -> None:
    note = heard(desk, "text")
    reply = sent(desk, f"/notes/{note}", title="x" * 600)
    assert reply.status == 400
    assert b"title" in reply.body


@pytest.mark.scenario("pages", "Note says why it isn't moving and is set going again")
def test_a_note_is_stopped_and_goes_on(desk: Desk) -> None:
    note = taken(desk)
    page = got(desk, f"/notes/{note}")
    assert 'class="waiting"' in page
    assert f"/notes/{note}/stop" in page
    assert sent(desk, f"/notes/{note}/stop").status == 303
    page = got(desk, f"/notes/{note}")
    assert "person" in page
    assert f"/notes/{note}/resume" in page
    assert f"/notes/{note}" in got(desk, "/notes?state=stopped")
    assert sent(desk, f"/notes/{note}/stop").status == 409
    assert sent(desk, f"/notes/{note}/resume").status == 303
    assert sent(desk, f"/notes/{note}/resume").status == 409


@pytest.mark.scenario("pages", "Note is deleted after a second look")
def test_a_note_is_deleted(desk: Desk) -> None:
    note = heard(desk, "text")
    assert re.search(r"<details><summary>Delete", got(desk, f"/notes/{note}"))
    assert sent(desk, f"/notes/{note}/delete").status == 303
    got(desk, f"/notes/{note}", 404)
    assert "There is no note." in got(desk, "/notes")


@pytest.mark.scenario("pages", "Nothing that was sent becomes markup")
def test_nothing_of_a_note_becomes_markup(desk: Desk) -> None:
    note = heard(desk, EVIL)
    sent(desk, f"/notes/{note}", title=EVIL, summary=EVIL, owner=EVIL, topics=EVIL)
    for path in ("/notes", f"/notes/{note}", "/"):
        assert EVIL not in got(desk, path)
    assert "&lt;script&gt;" in got(desk, f"/notes/{note}")


def test_the_day_on_which_a_note_was_spoken_leads_to_it(desk: Desk) -> None:
    note = heard(desk, "remember the milk")
    day = desk.get(f"/api/v1/recordings/{note}").json()["spoken_at"][:10]
    assert f'href="/notes/{note}"' in got(desk, f"/day/{day}")
