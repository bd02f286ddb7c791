"""The pages of spoken notes: what each address asks for, what each form changes."""

from __future__ import annotations

from collections.abc import Callable

from healthlog.base.web import Request, Response
from healthlog.params import Params, cursor_text
from healthlog.parts import Parts
from healthlog.web import notes
from healthlog.web.forms import fields
from healthlog.web.frame import page, see_other

FORM_MAX = 4 * 1024 * 1024
_FIELDS = ("title", "owner", "topics", "summary", "corrected_text")
_AT_ONCE = 50
_STATES: dict[str, tuple[str | None, bool | None]] = {
    "": (None, None),
    "going": (None, False),
    "stopped": (None, True),
    "done": ("done", False),
}


def notes_page(parts: Parts, request: Request) -> Response:
    """The list; `q` are words that a note holds."""
    params = Params(request.query, ("q", "state", "cursor"))
    words = params.given.get("q", "").strip()
    state = params.choice("state", tuple(_STATES)) or ""
    stage, stopped = _STATES[state]
    cursor = params.cursor("n", str)
    found = parts.spoken.page(
        stage, stopped, words or None, behind=cursor[0] if cursor else "", limit=_AT_ONCE
    )
    items, following = ((), None) if found is None else found
    after = None if following is None else cursor_text("n", following)
    return page("Notes", notes.page(items, words, state, after), here=notes.PATH)


def note_page(parts: Parts, request: Request) -> Response:
    Params(request.query, ())
    found = parts.spoken.told(request.params["id"])
    return page(notes.name(found), notes.show(found), here=notes.PATH)


def edited(parts: Parts, request: Request) -> Response:
    """What was written, saved; then the note again. What its reader left as it was heard is no
    correction."""
    recording_id = request.params["id"]
    said = {key: one for key, one in fields(request, len(_FIELDS)).items() if key in _FIELDS}
    before = parts.spoken.told(recording_id)
    changes: dict[str, object] = dict(said)
    if "topics" in said:
        changes["topics"] = [one.strip() for one in said["topics"].split(",") if one.strip()]
    if "corrected_text" in said:
        # Browsers send lines with CR LF whatever they were shown.
        text = said["corrected_text"].replace("\r\n", "\n")
        heard = before.get("text")
        changes["corrected_text"] = None if text == heard else text
    parts.spoken.edit(recording_id, changes)
    return see_other(notes.address(before))


def resumed(parts: Parts, request: Request) -> Response:
    return _done(parts.spoken.take_up, request)


def stopped(parts: Parts, request: Request) -> Response:
    return _done(parts.spoken.halt, request)


def deleted(parts: Parts, request: Request) -> Response:
    parts.spoken.discard(request.params["id"])
    return see_other(notes.PATH)


def _done(change: Callable[[str], None], request: Request) -> Response:
    recording_id = request.params["id"]
    change(recording_id)
    return see_other(notes.address({"recording_id": recording_id}))
