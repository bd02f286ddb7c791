"""The page of the requests that were refused last, each with its reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import tzinfo

from healthlog.base.answers import Response
from healthlog.base.clock import text_us
from healthlog.base.stream import size_in_words
from healthlog.journal.refusals import Refused
from healthlog.web.frame import page
from healthlog.web.html import Html, tag
from healthlog.web.times import moment

PATH = "/refused"

_COLUMNS = ("Last", "Times", "Answer", "Request", "From", "Sent")


def refused_page(refused: Sequence[Refused], zone: tzinfo) -> Response:
    """The table, the last one on top."""
    if not refused:
        return page("Refused requests", tag("p", "None yet."), here=PATH)
    head = tag("tr", *(tag("th", name, scope="col") for name in _COLUMNS))
    rows = [_row(one, zone) for one in refused]
    table = tag("table", tag("thead", head), tag("tbody", *rows), class_="cards")
    told = tag(
        "p",
        "What the service was asked and did not do, the last on top. Equal ones are counted.",
        class_="quiet",
    )
    return page("Refused requests", told, table, here=PATH)


def item(one: Refused) -> Mapping[str, object]:
    """A refusal as the API tells it; what was not said is left out."""
    said: dict[str, object] = {
        "first_at": text_us(one.first_at_us),
        "last_at": text_us(one.last_at_us),
        "times": one.times,
        "status": one.status,
        "reason": one.reason,
        "method": one.method,
        "path": one.path,
        "remote": one.remote,
        "content_type": one.content_type,
        "bytes": one.announced,
        "user_agent": one.user_agent,
    }
    return {name: value for name, value in said.items() if value not in {None, ""}}


def _row(one: Refused, zone: tzinfo) -> Html:
    size = None if one.announced is None else size_in_words(one.announced)
    sent = ", ".join(part for part in (one.content_type, size, one.user_agent) if part)
    cells = (
        moment(one.last_at_us, zone),
        one.times,
        f"{one.status} {one.reason}",
        f"{one.method} {one.path}".strip() or "not understood",
        one.remote,
        sent,
    )
    return tag(
        "tr",
        *(tag("td", cell, data_label=name) for name, cell in zip(_COLUMNS, cells, strict=True)),
    )
