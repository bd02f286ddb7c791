"""The data directory: what lies where in it."""

from __future__ import annotations

import stat
from pathlib import Path

from healthlog.base.errors import Refusal

_OTHERS = 0o077


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
        self.audio = data / "audio"
        self.restoring = data / "restore.unfinished"

    def make(self) -> None:
        """Make the directory, for its owner alone. NoData when that can't be done."""
        try:
            if not self.data.is_dir():
                self.data.parent.mkdir(parents=True, exist_ok=True)
                self.data.mkdir(mode=0o700, exist_ok=True)
                # Whatever the umask took away.
                self.data.chmod(0o700)
        except OSError as error:
            raise NoData(f"data directory {self.data}: {error.strerror}") from error

    def tighten(self) -> list[Path]:
        """Take from everybody else what they may do with the directory, the databases, the tokens:
        a copy may have been put there. The paths for which that can't be done."""
        files = [self.tokens, *self.data.glob("*.db*")]
        return [path for path in (self.data, *files) if not _tightened(path)]

    def prepare(self) -> None:
        """Make the directory. NoData when that can't be done, or when a restore didn't come to
        its end there."""
        self.make()
        self._refuse_unfinished()

    def require(self) -> None:
        """NoData when there is no such directory, or only a part of a log in it: a command that
        only looks makes none."""
        if not self.data.is_dir():
            raise NoData(f"data directory {self.data} is not there; name it with --data")
        self._refuse_unfinished()

    def _refuse_unfinished(self) -> None:
        if self.restoring.exists():
            raise NoData(
                f"data directory {self.data} holds an unfinished restore:"
                " run `restore` again to go on, or remove what is in it"
            )


def _tightened(path: Path) -> bool:
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & _OTHERS:
            path.chmod(mode & ~_OTHERS)
            mode = stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return not mode & _OTHERS
