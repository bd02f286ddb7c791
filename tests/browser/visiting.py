"""Visits to a service by a browser, and what is demanded of every page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tests.support.process import READ
from tests.support.webdriver import Browser, browsing

_AXE = """
const done = arguments[arguments.length - 1];
axe.run(document, {resultTypes: ['violations']}).then(
  found => done(found.violations.map(
    one => [one.id, one.help, one.nodes.slice(0, 3).map(node => node.html)])),
  error => done([['axe', String(error), []]]));
"""


@dataclass(frozen=True, slots=True)
class Visit:
    """A browser at one service."""

    browser: Browser
    port: int

    def open(self, path: str) -> None:
        self.browser.open(f"http://127.0.0.1:{self.port}{path}")

    def log_in(self, token: str = READ) -> None:
        """Fill in the form that is shown."""
        self.browser.one("#token").type(token)
        self.browser.follow("main form button")

    def is_quiet(self) -> None:
        """The page complained of nothing, and asked no other host for anything."""
        assert self.browser.console() == []
        own = f"http://127.0.0.1:{self.port}/"
        assert [url for url in self.browser.requests() if not url.startswith(own)] == []

    def is_accessible(self, axe: str) -> None:
        """The page keeps the rules that a program can judge (WCAG A and AA, best practices)."""
        # By way of the driver, which no policy of the page stops.
        self.browser.run(f"{axe}; return true")
        found: list[Any] = self.browser.run_async(_AXE)
        assert found == []


@contextmanager
def visiting(port: int, *, log_in: bool = True) -> Iterator[Visit]:
    """A visit by a browser that nobody has used before."""
    with browsing() as browser:
        visit = Visit(browser, port)
        if log_in:
            visit.open("/login")
            visit.log_in()
            browser.console()
            browser.requests()
        yield visit
