"""Nights as pages show them: when somebody slept, how long, in which stages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from healthlog.hae.words import ASLEEP, AWAKE, CORE, DEEP, REM
from healthlog.web.blocks import nothing, section, table
from healthlog.web.charts import Chart, Mark, svg
from healthlog.web.html import Html, join, tag
from healthlog.web.scale import date_of, date_ticks, day_of, long_date
from healthlog.web.words import hours_text, time_text

Night = Mapping[str, Any]
"""A night as the day object has it."""

_STAGES = ((DEEP, "deep"), (CORE, "core"), (REM, "REM"), (ASLEEP, "asleep"), (AWAKE, "awake"))


def card(night: Night | None) -> Html:
    """A night in a few lines."""
    if night is None:
        return nothing("No night is known for this day.")
    span = f"{time_text(night.get('start'))} to {time_text(night.get('end'))}"
    return join(
        (
            tag("p", hours_text(night.get("total_h")), class_="number"),
            tag("p", f"asleep, {span}"),
            bar(night),
            tag("dl", _facts(night)),
        )
    )


def bar(night: Night) -> Html:
    """The stages of a night side by side, as wide as they are long."""
    hours = [(stage, name, night.get(f"{stage}_h")) for stage, name in _STAGES]
    known = [(stage, name, h) for stage, name, h in hours if isinstance(h, int | float) and h > 0]
    whole = sum(h for _, _, h in known)
    if not whole:
        return Html()
    x = 0.0
    parts = []
    for stage, name, h in known:
        width = 600 * h / whole
        told = tag("title", f"{name}: {hours_text(h)}")
        parts.append(
            tag("rect", told, class_=stage, x=f"{x:.1f}", y="0", width=f"{width:.1f}", height="24")
        )
        x += width
    all_told = ", ".join(f"{name} {hours_text(h)}" for _, name, h in known)
    return tag(
        "svg",
        tag("title", f"Stages: {all_told}"),
        parts,
        class_="stages",
        viewBox="0 0 600 24",
        preserveAspectRatio="none",
        role="img",
        aria_label=f"Stages: {all_told}",
    )


def _facts(night: Night) -> list[Html]:
    facts = [
        (name, hours_text(night[f"{stage}_h"])) for stage, name in _STAGES if f"{stage}_h" in night
    ]
    if "in_bed_h" in night:
        facts.append(("in bed", hours_text(night["in_bed_h"])))
    facts.append(("by", ", ".join(night.get("sources", [])) or "no device named"))
    if night.get("flags"):
        facts.append(("doubts", ", ".join(night["flags"])))
    return [join((tag("dt", name), tag("dd", said))) for name, said in facts]


def chart(nights: Sequence[Night], first: int, until: int, number: int = 1) -> Html:
    """Hours asleep of the dates from `first` to before `until`, naps in their nights' bars."""
    slept: dict[int, float] = {}
    for night in nights:
        day = _day(night)
        slept[day] = slept.get(day, 0.0) + (night.get("total_h") or 0.0)
    marks = [
        Mark(
            day,
            day + 1,
            slept.get(day),
            f"{long_date(day)}: {hours_text(slept.get(day))} asleep",
        )
        for day in range(first, until)
    ]
    average = sum(slept.values()) / len(slept) if slept else None
    told = f"{len(slept)} of {until - first} nights known, {hours_text(average)} on average."
    drawn = Chart(
        "Hours asleep", told, "h", first, until, date_ticks(first, until), marks, is_amount=True
    )
    return svg(drawn, number)


def listing(nights: Iterable[Night]) -> Html:
    """All of them, newest first."""
    rows = [
        (
            tag("a", _label(night), href=f"/day/{night['day']}"),
            f"{time_text(night.get('start'))}\u2013{time_text(night.get('end'))}",
            hours_text(night.get("total_h")),
            *(hours_text(night.get(f"{stage}_h")) for stage in (DEEP, CORE, REM, AWAKE)),
            hours_text(night.get("in_bed_h")),
            ", ".join(night.get("sources", [])),
        )
        for night in nights
    ]
    rows.reverse()
    heads = ("Woken on", "From, to", "Asleep", "Deep", "Core", "REM", "Awake", "In bed", "By")
    return table("Nights and naps", heads, rows) if rows else nothing("No night is known yet.")


def show(nights: Sequence[Night], first: int, until: int) -> Html:
    """The page of the nights."""
    return join((chart(nights, first, until), section("Night by night", listing(nights))))


def _label(night: Night) -> str:
    nap = " (nap)" if night.get("session") == "nap" else ""
    return f"{long_date(_day(night))}{nap}"


def _day(night: Night) -> int:
    return day_of(date_of(0).fromisoformat(str(night["day"])))
