"""The journal as pages show it: what came, what became of it, who has gone quiet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from healthlog.web import blocks
from healthlog.web.blocks import nothing, section, table
from healthlog.web.html import Html, join, tag
from healthlog.web.words import age_text, sentence, size_text, title, value_text, when_text

Delivery = Mapping[str, Any]
"""A delivery object of the contract."""

_COUNTS = ("received", "new", "changed", "same", "outdated", "rejected", "incomparable")


def show(
    stats: Mapping[str, Any], deliveries: Sequence[Delivery], status: str | None, older: str | None
) -> Html:
    """The page of the journal; `older` is the address of the page before, if there is one."""
    return join(
        (
            section("How it is doing", _state(stats)),
            section("Last word of each automation", _automations(stats["last_delivery"])),
            section("Deliveries", _filter(status), listing(deliveries)),
            None if older is None else tag("p", tag("a", "Older \u2192", href=older, rel="next")),
        )
    )


def _state(stats: Mapping[str, Any]) -> Html:
    counts = stats["deliveries"]
    worker, oldest, rebuild = stats["worker"], stats["oldest_pending"], stats["rebuild"]
    waits = f"{counts['pending']:,}"
    if oldest:
        waits += f", the oldest came {age_text(oldest['age_s'])}"
    facts: list[tuple[str, object]] = [
        ("Waiting to be folded", waits),
        ("Taken whole", f"{counts['parsed']:,}"),
        ("Taken in part", f"{counts['partial']:,}"),
        ("Failed", f"{counts['failed']:,}"),
        (
            "Archive",
            f"{stats['archive']['bodies']:,} bodies, {size_text(stats['archive']['bytes'])}",
        ),
        ("Readings", f"{stats['mart']['points']:,}"),
        ("Worker", "alive" if worker["alive"] else "not running: start the service again"),
    ]
    if rebuild:
        facts.append(("Being made anew", f"{rebuild['done']:,} of {rebuild['total']:,} deliveries"))
    return blocks.facts(facts)


def _automations(last: Mapping[str, Mapping[str, Any]]) -> Html:
    if not last:
        return nothing("No automation has been heard yet.")
    rows: list[tuple[object, ...]] = [
        (
            one["name"] or name or "without a name",
            age_text(one["age_s"]),
            when_text(one["received_at"]),
        )
        for name, one in last.items()
    ]
    return table("Automations", ("Automation", "Last heard", "At (UTC)"), rows)


def _filter(status: str | None) -> Html:
    links = [
        tag(
            "a",
            word,
            href="/journal" if word == "all" else f"/journal?{urlencode({'status': word})}",
            aria_current="true" if word == (status or "all") else None,
        )
        for word in ("all", "pending", "parsed", "partial", "failed")
    ]
    return tag("nav", links, class_="spans", aria_label="Outcome")


def listing(deliveries: Iterable[Delivery]) -> Html:
    """Deliveries one a row."""
    rows: list[tuple[object, ...]] = [
        (
            link(one["delivery_id"], when_text(one["received_at"])),
            one["automation_name"] or "\u2013",
            tag("span", one["parse_status"], class_=f"status {one['parse_status']}"),
            one["layer"] or "\u2013",
            size_text(one["bytes"]),
            f"{one['counts']['received']:,}",
            f"{one['counts']['new']:,}",
            f"{one['counts']['changed']:,}",
            f"{one['counts']['rejected']:,}",
        )
        for one in deliveries
    ]
    if not rows:
        return nothing("There is none.")
    heads = ("Came (UTC)", "Automation", "Outcome", "Layer", "Size")
    return table("Deliveries", (*heads, "Elements", "New", "Changed", "Rejected"), rows)


def link(delivery_id: object, text: object) -> Html:
    return tag("a", text, href=f"/journal/{delivery_id}")


def one(delivery: Delivery) -> Html:
    """The page of one delivery."""
    failure = delivery["failure"]
    facts: list[tuple[str, object]] = [
        ("Came (UTC)", when_text(delivery["received_at"])),
        ("Outcome", delivery["parse_status"]),
        ("Why it failed", f"{failure['kind']}: {failure['message']}" if failure else None),
        ("Automation", delivery["automation_name"]),
        ("Layer", _layer(delivery)),
        ("Size", size_text(delivery["bytes"])),
        ("SHA-256", delivery["sha256"]),
        ("Folded at (UTC)", when_text(delivery["folded_at"])),
        (
            "Body",
            tag("a", "as received", href=f"/api/v1/deliveries/{delivery['delivery_id']}/body"),
        ),
    ]
    account = [(sentence(name), f"{delivery['counts'][name]:,}") for name in _COUNTS]
    return join(
        (
            blocks.facts([one for one in facts if one[1]]),
            section("Account", table("Elements of the body", ("Fate", "Elements"), list(account))),
            section("Not covered", _names(delivery["uncovered"])),
            section("Rejected", _rejected(delivery["rejected"])),
        )
    )


def _layer(delivery: Delivery) -> str | None:
    return f"{delivery['layer']} ({delivery['layer_origin']})" if delivery["layer"] else None


def _names(names: Sequence[str]) -> Html:
    if not names:
        return nothing("Everything in the body was taken.")
    return tag("ul", [tag("li", tag("code", name)) for name in names])


def _rejected(rejected: Sequence[Mapping[str, str]]) -> Html:
    if not rejected:
        return nothing("Nothing was rejected.")
    rows: list[tuple[object, ...]] = [
        (tag("code", one["where"]), sentence(one["reason"])) for one in rejected
    ]
    return table("Elements that were not taken", ("Where", "Why"), rows)


def why(metric: str, layer: str, at: str, items: Sequence[Mapping[str, Any]]) -> Html:
    """Who said what of one number."""
    head = tag("p", f"{title(metric)}, by {layer}, {when_text(at)}. Newest first.")
    rows: list[tuple[object, ...]] = [
        (
            link(one["delivery_id"], when_text(one["received_at"])),
            one.get("verdict", "its body can't be read"),
            [tag("p", _reading(reading)) for reading in one.get("readings", [])],
            ", ".join(sorted({s for r in one.get("readings", []) for s in r["sources"]})),
        )
        for one in items
    ]
    if not rows:
        return join((head, nothing("No delivery spoke of it.")))
    heads = ("Delivery (UTC)", "Its word", "Said", "By")
    return join((head, table("Deliveries that spoke of it", heads, rows)))


def _reading(reading: Mapping[str, Any]) -> str:
    value = reading.get("qty", reading.get("avg"))
    if value is None and "min" in reading:
        return f"{reading['min']} to {reading.get('max')} {reading.get('unit', '')}"
    return value_text(value, reading.get("unit"))
