"""The gap ledger as a page: what is missing, with the export of the phone that heals it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from healthlog.web.blocks import nothing, table
from healthlog.web.html import Html, join, tag
from healthlog.web.words import title


def show(gaps: Sequence[Mapping[str, Any]], first: str, last: str) -> Html:
    """The page for the dates from `first` to `last`, both included."""
    head = tag("p", f"What is missing from {first} to {last}, by each metric's own rhythm.")
    if not gaps:
        return join((head, nothing("Nothing is missing.")))
    exports = sorted({(one["export"]["first"], one["export"]["last"]) for one in gaps})
    rows: list[tuple[object, ...]] = [
        (
            title(one["metric"]),
            f"{one['missing']} {_unit(one)}",
            one["from"].replace("T", " "),
            one["to"].replace("T", " "),
        )
        for one in sorted(gaps, key=lambda one: one["from"], reverse=True)
    ]
    return join(
        (
            head,
            table("Gaps", ("Metric", "Missing", "From", "To (excluded)"), rows),
            tag("h2", "How to heal them"),
            tag(
                "p",
                "In Health Auto Export choose Manual Export, the same data types and settings as in"
                " the automation, REST API as the target, and these dates. What comes is merged:"
                " nothing counts twice. If a gap stays, the phone has no data for it either.",
            ),
            tag(
                "ul", [tag("li", f"{a}" if a == b else f"{a} to {b}") for a, b in _joined(exports)]
            ),
        )
    )


def _unit(gap: Mapping[str, Any]) -> str:
    word = str(gap["kind"])
    return word[:-1] if gap["missing"] == 1 else word


def _joined(exports: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Spans of dates without those that lie within another one."""
    kept: list[tuple[str, str]] = []
    for first, last in exports:
        if kept and first <= kept[-1][1]:
            kept[-1] = (kept[-1][0], max(kept[-1][1], last))
        else:
            kept.append((first, last))
    return kept
