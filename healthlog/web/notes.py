"""Spoken notes as pages show them: to be heard, read, put right, set going again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from healthlog.web.blocks import facts, nothing, section, table
from healthlog.web.html import Html, join, tag
from healthlog.web.words import seconds_text, sentence, size_text, when_text

PATH = "/notes"
FORMATS = ("txt", "srt", "vtt", "json")

Note = Mapping[str, Any]
"""A recording as the API gives it."""


def address(note: Note) -> str:
    return f"{PATH}/{quote(str(note['recording_id']), safe='')}"


def name(note: Note) -> str:
    """Its title, else how it begins, else what it is."""
    text = note.get("title") or note.get("beginning") or note.get("summary")
    return str(text) if text else "Note without words yet"


def listing(notes: Sequence[Note]) -> Html:
    """Notes one a row, in the order given."""
    rows = [
        (
            tag("a", name(one), href=address(one)),
            when_text(one.get("spoken_at")),
            _length(one),
            _standing(one),
            ", ".join(one.get("topics") or ()),
        )
        for one in notes
    ]
    heads = ("Note", "Spoken", "Length", "State", "Topics")
    return table("Notes", heads, rows) if rows else nothing("There is no note.")


def page(notes: Sequence[Note], words: str, state: str, following: str | None) -> Html:
    """The list, with what it was asked for, and the way to the older ones."""
    chosen = [("", "all"), ("going", "under way"), ("stopped", "stopped"), ("done", "done")]
    form = tag(
        "form",
        tag("label", "Words ", tag("input", type="search", name="q", value=words or None)),
        tag(
            "label",
            "State ",
            tag(
                "select",
                [tag("option", told, value=one, selected=one == state) for one, told in chosen],
                name="state",
            ),
        ),
        tag("button", "Look"),
        method="get",
        action=PATH,
        class_="line",
        role="search",
    )
    more = None
    if following is not None:
        query = {"q": words, "state": state, "cursor": following}
        kept = urlencode({key: value for key, value in query.items() if value})
        more = tag("p", tag("a", "More \u2192", href=f"{PATH}?{kept}", rel="next"))
    return join((form, listing(notes), more))


def show(note: Note) -> Html:
    """The page of one note."""
    return join(
        (
            tag("p", f"Spoken {when_text(note['spoken_at'])}, {_length(note)}"),
            _sound(note),
            tag("p", str(note["waiting"]), class_="waiting") if note.get("waiting") else None,
            _buttons(note),
            section("Text", _text(note)),
            section("What you say of it", _form(note)),
            section("How it went", _facts(note), _events(note.get("events") or ())),
        )
    )


def _sound(note: Note) -> Html | None:
    if note.get("sha256") is None:
        return None
    audio = f"/api/v1/recordings/{quote(str(note['recording_id']), safe='')}/audio"
    return join(
        (
            tag("audio", controls=True, preload="none", src=audio, aria_label="The recording"),
            tag("p", tag("a", "The file as it came", href=audio)),
        )
    )


def _buttons(note: Note) -> Html:
    """What may be done with it now. To delete it needs a second look."""
    path = address(note)
    buttons = []
    if note.get("stopped"):
        buttons.append(_button(f"{path}/resume", "Go on with it"))
    elif note["stage"] != "done":
        buttons.append(_button(f"{path}/stop", "Stop the work on it"))
    sure = tag(
        "details",
        tag("summary", "Delete\u2026"),
        tag("p", "File and text are gone for good, also for you."),
        _button(f"{path}/delete", "Delete it"),
    )
    return tag("div", buttons, sure, class_="buttons")


def _button(action: str, told: str) -> Html:
    return tag("form", tag("button", told), method="post", action=action)


def _text(note: Note) -> Html:
    heard, corrected = note.get("text"), note.get("corrected_text")
    if heard is None:
        return nothing("It has not become text yet.")
    base = f"/api/v1/recordings/{quote(str(note['recording_id']), safe='')}/transcript"
    links = [tag("li", tag("a", one, href=f"{base}?format={one}")) for one in FORMATS]
    return join(
        (
            tag("p", "Nobody said anything in it.") if not heard and not corrected else None,
            tag("h3", "As the recogniser heard it") if heard else None,
            tag("p", heard, class_="heard", lang=note.get("language")) if heard else None,
            tag("ul", links, class_="formats", aria_label="Transcript as a file"),
        )
    )


def _form(note: Note) -> Html:
    """The person's words; those of the recogniser stay beside them."""
    corrected = note.get("corrected_text")
    text = note.get("text") if corrected is None else corrected
    return tag(
        "form",
        _field("title", "Title", note.get("title")),
        _field("owner", "Whose it is", note.get("owner")),
        _field("topics", "Topics, with commas between", ", ".join(note.get("topics") or ())),
        tag("label", "Summary", for_="summary"),
        tag("textarea", note.get("summary"), id="summary", name="summary", rows="3"),
        tag("label", "The text put right", for_="corrected_text"),
        tag("textarea", text, id="corrected_text", name="corrected_text", rows="8")
        if note.get("text") is not None
        else tag("p", "Once there is one.", class_="hint"),
        tag("button", "Save"),
        method="post",
        action=address(note),
        class_="stacked",
    )


def _field(key: str, told: str, value: object) -> Html:
    return join(
        (
            tag("label", told, for_=key),
            tag("input", id=key, name=key, value=value or None, maxlength="500"),
        )
    )


def _facts(note: Note) -> Html:
    stopped, last = note.get("stopped") or {}, note.get("last") or {}
    said: list[tuple[str, object]] = [
        ("Stage", f"{note['stage']} since {when_text(note.get('stage_since'))}"),
        (
            "Stopped",
            f"{when_text(stopped.get('at'))}: {stopped.get('reason')}" if stopped else None,
        ),
        ("Because", stopped.get("error")),
        ("Tries", note.get("attempts")),
        ("Next try", when_text(note.get("next_try_at"))),
        ("Worked on until", when_text(note.get("claimed_until"))),
        ("Last step", f"{last['outcome']} {last.get('error', '')}".strip() if last else None),
        ("Came by", note.get("source")),
        ("Size", size_text(note.get("bytes"))),
    ]
    return facts([(key, value) for key, value in said if value])


def _events(events: Sequence[Mapping[str, Any]]) -> Html:
    rows = [
        (
            when_text(one["at"]),
            sentence(str(one.get("step") or one.get("stage") or "")),
            sentence(str(one.get("outcome") or "")),
            one.get("source"),
            seconds_text(one["duration_ms"] / 1000) if "duration_ms" in one else "\u2013",
            one.get("detail"),
        )
        for one in events
    ]
    heads = ("When (UTC)", "Step", "Outcome", "By", "Took", "Detail")
    return table("What happened", heads, rows) if rows else nothing("Nothing has happened yet.")


def _length(note: Note) -> str:
    duration_ms = note.get("duration_ms")
    return "\u2013" if duration_ms is None else seconds_text(duration_ms / 1000)


def _standing(note: Note) -> str:
    reason = note.get("stop_reason")
    return f"stopped: {reason}" if reason else str(note.get("stage", ""))
