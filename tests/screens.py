"""Pictures of the main pages for docs/: `python -m tests.screens DIR`.

Half a year of invented data is served and looked at with a real browser, in the width of a phone
and of a desk, in light and dark.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from tests.browser.visiting import Visit, visiting
from tests.demo.__main__ import ZONE
from tests.demo.__main__ import main as fill
from tests.support.serviced import running

DAYS = 180
PHONE, DESK = 390, 1000
LONGEST = 1400
"""Pixels that are shown of a page, however long it is."""


class Shot(NamedTuple):
    """A picture to be taken; `link` is what is followed on the page first, if anything."""

    name: str
    path: str
    width: int
    dark: bool = False
    link: str | None = None


SHOTS = (
    Shot("today-phone", "/", PHONE),
    Shot("today-dark", "/", PHONE, dark=True),
    Shot("metric", "/metric/heart_rate?span=month", DESK),
    Shot("nights", "/nights", DESK),
    Shot("workout", "/workouts", DESK, link="main table a"),
    Shot("ecg", "/records?kind=ecg", DESK, link="main table a"),
    Shot("why", "/metric/step_count?span=month", DESK, link="main table a[href^='/why']"),
    Shot("journal", "/journal", DESK),
)


def main(argv: list[str]) -> int:
    """Take all of them."""
    [folder] = argv
    Path(folder).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        data = Path(work) / "data"
        if status := fill([str(data), "--days", str(DAYS)]):
            return status
        with (
            running(data, timezone=ZONE, recordings_workers="0") as (service, _),
            visiting(service.port) as visit,
        ):
            for shot in SHOTS:
                take(visit, shot, Path(folder))
    return 0


def take(visit: Visit, shot: Shot, folder: Path) -> None:
    """One picture, as a file in the folder."""
    browser = visit.browser
    browser.size(shot.width, LONGEST)
    browser.media(prefers_color_scheme="dark" if shot.dark else "light")
    visit.open(shot.path)
    if shot.link:
        path = browser.one(shot.link).attribute("href")
        visit.open(str(path))
    tall = browser.run("return document.documentElement.scrollHeight")
    browser.size(shot.width, min(tall, LONGEST))
    browser.screenshot(folder / f"{shot.name}.png")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
