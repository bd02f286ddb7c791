"""Records of every other kind than workouts or sleep, as pages show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from healthlog.hae.words import SKIPPED, TAKEN
from healthlog.moment import Moments
from healthlog.values import NotFinite, number
from healthlog.web import trace
from healthlog.web.blocks import nothing, section, table
from healthlog.web.html import Html, join, tag
from healthlog.web.trace import Sample
from healthlog.web.words import KIND_TITLES, sentence, value_text, when_text
from healthlog.web.workouts import sent

Record = Mapping[str, Any]
"""A record object of the read side."""

KINDS = ("medication", "state_of_mind", "symptom", "cycle", "ecg", "heart_notification")


def ways(kind: str) -> Html:
    """From one kind to the others."""
    links = [
        tag(
            "a",
            KIND_TITLES[one],
            href=f"/records?kind={one}",
            aria_current="page" if one == kind else None,
        )
        for one in KINDS
    ]
    return tag("nav", links, class_="kinds", aria_label="Kinds of records")


def listing(records: Sequence[Record]) -> Html:
    """Records one a row, newest first."""
    if not records:
        return nothing("Nothing is known in these dates.")
    rows: list[tuple[object, ...]] = [
        (
            link(one),
            when_text(one.get("start") or one.get("day")),
            KIND_TITLES.get(str(one["kind"]), str(one["kind"])),
            said(one),
            ", ".join(map(sentence, one.get("flags") or [])),
        )
        for one in reversed(records)
    ]
    return table("Records", ("What", "When", "Kind", "Said", "Doubts"), rows)


def link(record: Record) -> Html:
    path = f"/records/{record['kind']}/{quote(str(record['key']), safe='')}"
    return tag("a", name(record), href=path)


def name(record: Record) -> str:
    """What a record is called."""
    data = record["data"]
    for key in ("name", "displayText", "nickname", "classification", "kind"):
        if isinstance(data.get(key), str) and data[key].strip():
            return str(data[key]).strip()
    return KIND_TITLES.get(str(record["kind"]), "Record")


def said(record: Record) -> str:
    """What it says in a few words. A dose that was skipped says so and nothing else: the phone
    sends a dosage with it all the same."""
    kind, data, derived = record["kind"], record["data"], record.get("derived") or {}
    if kind == "medication":
        return dose(data, derived)
    if kind == "state_of_mind":
        word = derived.get("classification") or data.get("valenceClassification")
        labels = data.get("labels")
        more = [str(one) for one in labels] if isinstance(labels, list) else []
        return ", ".join([sentence(str(word))] * bool(word) + more)
    if kind == "symptom":
        return str(data.get("severity") or data.get("value") or "")
    if kind == "cycle":
        return str(data.get("value") or data.get("flow") or "")
    if kind == "ecg":
        return str(data.get("classification") or "")
    return str(data.get("threshold") or "")


def dose(data: Mapping[str, Any], derived: Mapping[str, Any]) -> str:
    """What became of a dose."""
    status = derived.get("status")
    if status == SKIPPED:
        return "skipped"
    amount = data.get("dosage")
    told = (
        ""
        if amount is None
        else f", {amount} {data.get('units') or data.get('form') or ''}".rstrip()
    )
    if status == TAKEN:
        return f"taken{told}"
    return sentence(str(status)).lower() if status else str(data.get("status") or "")


def show(record: Record) -> Html:
    """The page of one record."""
    return join(
        (
            tag("p", when_text(record.get("start") or record.get("day"))),
            tag("p", said(record), class_="number"),
            tag("p", f"Doubts: {', '.join(map(sentence, record['flags']))}.", class_="doubts")
            if record.get("flags")
            else None,
            section("Trace", _trace(record)) if record["kind"] == "ecg" else None,
            section("As sent", sent(record)),
        )
    )


def _trace(record: Record) -> Html:
    drawn = trace.svg(samples(record), f"Electrocardiogram of {when_text(record.get('start'))}")
    rate = record["data"].get("averageHeartRate")
    return join(
        (
            drawn or nothing("No voltages were sent."),
            tag("p", f"Average heart rate {value_text(_double(rate), 'count/min')}")
            if _double(rate) is not None
            else None,
            tag("p", "25 mm a second, 10 mm a millivolt; a row is ten seconds.", class_="hint"),
        )
    )


def samples(record: Record) -> list[Sample]:
    """The voltages of an electrocardiogram by their time from the first one."""
    told = record["data"].get("voltageMeasurements")
    found = []
    moments = Moments()
    for one in told if isinstance(told, list) else ():
        if not isinstance(one, Mapping):
            continue
        at_s = _at_s(one.get("date"), moments)
        voltage = _double(one.get("voltage"))
        mv = None if voltage is None else trace.millivolts(voltage, one.get("units"))
        if at_s is not None and mv is not None:
            found.append((at_s, mv))
    if not found:
        return []
    first = min(at_s for at_s, _ in found)
    return [Sample(at_s - first, mv) for at_s, mv in sorted(found)]


def _at_s(date: object, moments: Moments) -> float | None:
    """Seconds of a sample's time, since whichever epoch: only differences count."""
    if isinstance(date, str):
        try:
            at_ms = moments[date].at_ms
        except ValueError:
            return None
        return None if at_ms is None else at_ms / 1000
    return _double(date)


def _double(value: object) -> float | None:
    try:
        return number(value)
    except NotFinite:
        return None
