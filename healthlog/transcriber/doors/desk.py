"""The calls about recordings that are there: looking, changing, stopping, taking up again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

from healthlog.base.clock import Clock
from healthlog.base.web import Problem, Request, Response, json_response
from healthlog.transcriber import attempts, edits, events, listing, notes, rows
from healthlog.transcriber.doors import playing, view, written
from healthlog.transcriber.doors.changes import changes_of, checked
from healthlog.transcriber.doors.view import Item
from healthlog.transcriber.doors.why import Now
from healthlog.transcriber.listing import Wanted
from healthlog.transcriber.recordings import Recordings
from healthlog.transcriber.rows import Recording
from healthlog.transcriber.stop import REASONS
from healthlog.transcriber.transcript import FORMATS, TXT

JOURNAL = "Healthlog-Journal"
"""Header: which journal is meant, so that no command reaches a service of another one."""

_DONE = "It is done: there is nothing to stop."
_STOPPED = "It is stopped already."
_GOING = "It isn't stopped."


@dataclass(frozen=True, slots=True)
class Desk:
    """The handlers. They may run in many threads.

    `workers` is how many there are to be, `mark` what tells the journal of this service from every
    other, `zone` that of recordings of which nobody told where they were made.
    """

    recordings: Recordings
    clock: Clock
    workers: int
    zone: tzinfo
    mark: str

    # ---- looking

    def one(self, request: Request) -> Response:
        request.query.only(())
        return self._shown(request.params["id"])

    def audio(self, request: Request) -> Response:
        """The file as it came."""
        request.query.only(())
        found = self._found(request.params["id"])
        if found.sha256 is None:
            raise Problem(404, "No file came with this recording.")
        path = self.recordings.places.original(found.recording_id, found.extension)
        return playing.played(request, found, path)

    def transcript(self, request: Request) -> Response:
        request.query.only(("format",))
        form = request.query.get("format")
        if form is not None and form not in FORMATS:
            raise Problem(400, f"The parameter format must be one of {', '.join(FORMATS)}.")
        found = self._found(request.params["id"])
        store = self.recordings.store
        heard = store.read(lambda c: attempts.heard(c, found.recording_id))
        return written.transcript(found, heard, form or TXT)

    def page(
        self,
        stage: str | None,
        stopped: bool | str | None,
        words: str | None,
        *,
        behind: str,
        limit: int,
    ) -> tuple[Sequence[Item], str | None] | None:
        """A page of the list: its items, behind which id others follow, if they do. None when there
        is no word in `words`."""
        wanted = Wanted(stage, stopped, words)
        try:
            found, following = self.recordings.store.read(
                lambda c: listing.page(c, wanted, behind, limit)
            )
        except listing.NoWord:
            return None
        return [view.item(one) for one in found], following

    def notes(self, date: int) -> Sequence[Item]:
        """What a day shows of the recordings of that local date (days since 1970)."""
        found = self.recordings.store.read(lambda c: notes.spoken_on(c, date, self.zone))
        return [view.note(one) for one in found]

    def told(self, recording_id: str) -> Item:
        """All about one. Problem: a 404."""
        found = self._found(recording_id)
        happened = self.recordings.store.read(lambda c: events.of(c, recording_id))
        now = Now(self.clock.now_us(), self.workers, self.recordings.missing())
        return view.whole(found, happened, now)

    # ---- changing

    def edit(self, recording_id: str, said: Mapping[str, object]) -> None:
        """Write what a person has written. Problem: a 404, a 400 that names what is wrong."""
        self._write(recording_id, checked(said))

    def take_up(self, recording_id: str) -> None:
        """Let a stopped one go on. Problem: a 404, a 409."""
        if not self.recordings.resumption.one(recording_id):
            self._found(recording_id)
            raise Problem(409, _GOING)

    def halt(self, recording_id: str) -> None:
        """Stop the work on one. Problem: a 404, a 409."""
        if not self.recordings.stopper.stop_by_person(recording_id):
            stopped = self._found(recording_id).stopped_at_us is not None
            raise Problem(409, _STOPPED if stopped else _DONE)

    def discard(self, recording_id: str) -> None:
        """Remove one with its file. Problem: a 404."""
        if not self.recordings.removal.remove(self._found(recording_id).recording_id):
            raise _no_such()

    def change(self, request: Request) -> Response:
        """200 with the recording as it is then."""
        request.query.only(())
        recording_id = self._found(request.params["id"]).recording_id
        self._write(recording_id, changes_of(request.headers.get("content-type"), request.body))
        return self._shown(recording_id)

    def resume(self, request: Request) -> Response:
        request.query.only(())
        self.take_up(request.params["id"])
        return self._shown(request.params["id"])

    def resume_all(self, request: Request) -> Response:
        """All that were stopped for one reason; how many."""
        request.query.only(("reason",))
        if request.headers.get(JOURNAL) not in {None, self.mark}:
            raise Problem(409, "This service keeps another data directory.")
        reason = request.query.get("reason")
        if reason is None:
            raise Problem(400, "The parameter reason is missing.")
        if reason not in REASONS:
            raise Problem(400, f"The parameter reason must be one of {', '.join(REASONS)}.")
        return json_response({"resumed": self.recordings.resumption.all_of(reason)})

    def stop(self, request: Request) -> Response:
        request.query.only(())
        self.halt(request.params["id"])
        return self._shown(request.params["id"])

    def remove(self, request: Request) -> Response:
        """204 once file and rows are gone."""
        request.query.only(())
        self.discard(request.params["id"])
        return Response(204, b"", "")

    # ---- what they share

    def _found(self, recording_id: str) -> Recording:
        found = self.recordings.store.read(lambda c: rows.get(c, recording_id))
        if found is None:
            raise _no_such()
        return found

    def _write(self, recording_id: str, changes: dict[str, Any]) -> None:
        if not self.recordings.store.write(lambda c: edits.edit(c, recording_id, changes)):
            raise _no_such()

    def _shown(self, recording_id: str) -> Response:
        return json_response(self.told(recording_id))


def _no_such() -> Problem:
    return Problem(404, "There is no such recording.")
