"""Being told, as a page shows it: by which ways, when last, what is wrong now, how to try it."""

from __future__ import annotations

from collections.abc import Sequence

from healthlog.base.clock import text_us
from healthlog.journal.notices import Kept
from healthlog.notices.trying import Tried
from healthlog.notices.words import standing
from healthlog.web.blocks import facts, nothing, section, table
from healthlog.web.frame import post_button
from healthlog.web.html import Html, join, tag
from healthlog.web.words import sentence, when_text

PATH = "/notices"
TRIAL = f"{PATH}/test"

_SET_UP = (
    "No notices are set up: nobody is told when the phone falls silent. Set notify_webhook,"
    " notify_ntfy, or notify_mail_to with notify_smtp, and start the service again."
)


def show(ways: Sequence[str], last_us: int | None, wrong: Sequence[Kept]) -> Html:
    """The page; `ways` are the names of those that are set up."""
    return join((section("Being told", _ways(ways, last_us)), section("Wrong now", _wrong(wrong))))


def outcome(results: Sequence[Tried]) -> Html:
    """What became of a trial."""
    rows = [
        (sentence(one.name), "sent" if one.reason is None else f"not sent: {one.reason}")
        for one in results
    ]
    back = tag("p", tag("a", "Back to notices", href=PATH))
    shown = table("Trial", ("Way", "Outcome"), rows) if rows else nothing(_SET_UP)
    return join((shown, back))


def _ways(ways: Sequence[str], last_us: int | None) -> Html:
    if not ways:
        return nothing(_SET_UP)
    last = "none yet" if last_us is None else f"{when_text(text_us(last_us))} (UTC)"
    said: list[tuple[str, object]] = [("Notices go to", ", ".join(ways)), ("The last one", last)]
    return join((facts(said), post_button(TRIAL, "Send a test")))


def _wrong(wrong: Sequence[Kept]) -> Html:
    if not wrong:
        return nothing("Nothing that a notice would tell of.")
    rows = [
        (
            standing(one),
            when_text(text_us(one.since_us)),
            "not yet" if one.told_us is None else when_text(text_us(one.told_us)),
        )
        for one in wrong
    ]
    return table("What is wrong", ("What", "Since (UTC)", "Told (UTC)"), rows)
