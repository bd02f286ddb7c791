"""The page that pairs a phone: what it must be told, whether it has come through."""

from __future__ import annotations

from collections.abc import Sequence

from healthlog.pairing.heard import Heard
from healthlog.pairing.links import TYPES, DataType, Pairing
from healthlog.pairing.reach import in_the_clear
from healthlog.web.blocks import facts, section, table
from healthlog.web.html import Html, join, tag, trusted

PATH = "/pair"
_WAITING = "Waiting for the first delivery."
_GREEN = "The phone has come through."


def show(
    pairing: Pairing, others: Sequence[str], chosen: DataType, found: Heard, since_us: int
) -> Html:
    """The page. `others` are further addresses of this machine, `found` what has come since the
    wait began."""
    link = pairing.link(chosen)
    from healthlog.qr.svg import svg  # noqa: PLC0415
    from healthlog.qr.symbol import encode  # noqa: PLC0415

    drawn = trusted(svg(encode(link.encode(), "L"), f"Link of {chosen.name}"))
    return join(
        (
            state(found, chosen, since_us),
            section(
                "On the phone",
                tag(
                    "p",
                    "Open the app Health Auto Export once, then point the camera at the code, or"
                    " open the link on the phone. It makes the automation ",
                    tag("b", chosen.automation),
                    f": {chosen.what}.",
                ),
                tag("p", f"Choose {chosen.title} as its data type, then switch it on.")
                if chosen.by_hand
                else None,
                tag("div", drawn, class_="code"),
                tag("p", tag("a", "Open the link on this device", href=link)),
                tag("p", "Each kind of data has an automation of its own:"),
                _types(chosen, since_us),
            ),
            section(
                "By hand",
                facts(
                    [
                        ("URL", tag("code", pairing.url)),
                        *(
                            (f"Header {name}", tag("code", value))
                            for name, value in pairing.headers
                        ),
                        ("Export format", "JSON"),
                    ]
                ),
                tag("p", "Token and numbers travel in the clear: only in a network you trust.")
                if in_the_clear(pairing.url)
                else None,
                tag("p", "Other addresses of this machine: ", ", ".join(others), ".")
                if others
                else None,
            ),
        )
    )


def state(found: Heard, chosen: DataType, since_us: int) -> Html:
    """Whether the phone has come through; a script looks again, a link does without one."""
    text, kind = said(found)
    rows = [
        (
            word.automation_name or "without a name",
            word.parse_status,
            word.failure.message if word.failure else "",
        )
        for word in found.words
    ]
    again = f"{PATH}?type={chosen.name}&since={since_us}"
    return tag(
        "div",
        tag("p", text, id="heard", class_=kind, role="status", data_since=since_us),
        table("What has come", ("Automation", "Outcome", "Why"), rows) if rows else None,
        tag("p", tag("a", "Look again", href=again)),
    )


def said(found: Heard) -> tuple[str, str]:
    """In one sentence how the pairing stands, and of which kind that is."""
    if found.wrong is not None:
        return f"Something came and was refused ({found.wrong.status}). {found.wrong.advice}", "bad"
    if found.paired:
        return _GREEN, "good"
    if found.words and (failure := found.words[-1].failure) is not None:
        return f"A delivery came and could not be read: {failure.message}.", "bad"
    return _WAITING, "waiting"


def unreachable(why: str) -> Html:
    """What the page says where no phone can reach the service."""
    return join(
        (
            tag("p", f"No phone can reach this service yet: {why}.", class_="error"),
            tag("p", "Change that, start the service again, and come back to this page."),
        )
    )


def _types(chosen: DataType, since_us: int) -> Html:
    return tag(
        "ul",
        [
            tag(
                "li",
                tag(
                    "a",
                    one.automation,
                    href=f"{PATH}?type={one.name}&since={since_us}",
                    aria_current="true" if one is chosen else None,
                ),
                f": {one.what}",
            )
            for one in TYPES
        ],
    )
