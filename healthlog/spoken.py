"""What the log asks of its recordings: given in, for it knows nothing of how they become text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from healthlog.base.answers import Problem

Item = Mapping[str, object]


class Spoken(Protocol):
    """The recordings, for lists and days."""

    def page(
        self,
        stage: str | None,
        stopped: bool | str | None,
        words: str | None,
        *,
        behind: str,
        limit: int,
    ) -> tuple[Sequence[Item], str | None] | None:
        """So many recordings behind that id, the oldest first, with the id behind which others
        follow, if they do. `stage` its name, `stopped` whether it is or isn't, or for which reason,
        `words` that it holds; None: any. None when there is no word in `words`."""
        ...

    def notes(self, date: int) -> Sequence[Item]:
        """What a day shows of the recordings of that local date (days since 1970)."""
        ...

    def told(self, recording_id: str) -> Item:
        """All about one. Problem 404; the others, too."""
        ...

    def edit(self, recording_id: str, said: Mapping[str, object]) -> None:
        """Write what a person says of it. Problem 400 names what is wrong."""
        ...

    def take_up(self, recording_id: str) -> None:
        """Let a stopped one go on; Problem 409 if it isn't stopped."""
        ...

    def halt(self, recording_id: str) -> None:
        """Stop the work on one; Problem 409 if there is none."""
        ...

    def discard(self, recording_id: str) -> None:
        """Remove one with its file."""
        ...


class Silent:
    """Where there are none."""

    def page(
        self,
        _stage: str | None,
        _stopped: bool | str | None,
        _words: str | None,
        *,
        behind: str,
        limit: int,
    ) -> tuple[Sequence[Item], str | None] | None:
        return (), None

    def notes(self, _date: int) -> Sequence[Item]:
        return ()

    def told(self, recording_id: str) -> Item:
        raise _no_such()

    def edit(self, recording_id: str, said: Mapping[str, object]) -> None:
        raise _no_such()

    def take_up(self, recording_id: str) -> None:
        raise _no_such()

    def halt(self, recording_id: str) -> None:
        raise _no_such()

    def discard(self, recording_id: str) -> None:
        raise _no_such()


def _no_such() -> Problem:
    return Problem(404, "There is no such recording.")
