"""The blocks that pages are built of."""

from __future__ import annotations

from collections.abc import Sequence

from healthlog.web.html import Html, tag


def section(heading: str, *content: object, **attributes: str) -> Html:
    """A part of a page under a heading of its own."""
    return tag("section", tag("h2", heading), *content, **attributes)


def table(caption: str, heads: Sequence[str], rows: Sequence[Sequence[object]]) -> Html:
    """A table; the first cell of a row is its head. It scrolls by itself where it is too wide."""
    body = [
        tag("tr", tag("th", row[0], scope="row"), *(tag("td", cell) for cell in row[1:]))
        for row in rows
    ]
    head = tag("thead", tag("tr", *(tag("th", one, scope="col") for one in heads)))
    whole = tag("table", tag("caption", caption), head, tag("tbody", *body))
    return tag("div", whole, class_="scroll", tabindex="0", role="region", aria_label=caption)


def facts(said: Sequence[tuple[str, object]]) -> Html:
    """Names with what is said of them."""
    parts = [part for name, one in said for part in (tag("dt", name), tag("dd", one))]
    return tag("dl", *parts)


def nothing(text: str) -> Html:
    """What stands where nothing is."""
    return tag("p", text, class_="nothing")
