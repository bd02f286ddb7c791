"""The data directory: what lies where in it."""

from __future__ import annotations

from pathlib import Path

from healthlog.base.errors import Refusal


class NoData(Refusal):
    """There is no data directory; the message names what there is in its place."""


class Home:
    """Paths of a data directory. No part of the log is ever written outside it."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.journal = data / "journal.db"
        self.mart = data / "mart.db"
        self.lock = data / "lock"
        self.tokens = data / "tokens.json"

    def prepare(self) -> None:
        """Make the directory, for its owner alone. NoData when that can't be done."""
        try:
            self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise NoData(f"data directory {self.data}: {error.strerror}") from error

    def require(self) -> None:
        """NoData when there is no such directory: a command that only looks makes none."""
        if not self.data.is_dir():
            raise NoData(f"data directory {self.data} is not there; name it with --data")
