"""`POST /recordings`: a recording from the door to the disk, answered once it is safe."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from healthlog.base.coding import decoded
from healthlog.base.errors import DiskFull
from healthlog.base.web import Problem, Request, Response, json_response
from healthlog.transcriber.doors import form
from healthlog.transcriber.doors.media import FIRST_BYTES, Media, media_of
from healthlog.transcriber.edits import TITLE_MAX
from healthlog.transcriber.intake import Intake
from healthlog.transcriber.rows import HTTP, Meta
from healthlog.transcriber.times import moment_of

_FIELD_MAX_BYTES = 16 * 1024
_TITLE, _RECORDED_AT = "title", "recorded_at"


class Upload:
    """The handler of the route. It may run in many threads.

    `max_body` is bytes, `room` tells how many the disk has to spare. Refusals are raised: Problem,
    or the errors of body, disk and journal, which `base.web` answers. Then nothing was accepted.
    """

    def __init__(self, intake: Intake, *, max_body: int, room: Callable[[], int]) -> None:
        self._intake = intake
        self._max_body = max_body
        self._room = room

    def __call__(self, request: Request) -> Response:
        """201 once file and row are durable."""
        headers = request.headers
        said = headers.get("content-type") or ""
        kind = said.partition(";")[0].strip().lower()
        if kind != form.MEDIA_TYPE and _is_other(kind):
            raise _no_media()
        pieces = decoded(request.body, headers.get("content-encoding"), self._max_body)
        # What is announced is asked for at once; the intake looks again while it comes.
        if self._room() < (request.body.announced or 0):
            raise DiskFull("the disk has no room for the recording")
        if kind == form.MEDIA_TYPE:
            coming = _of_form(pieces, form.boundary_of(said))
        else:
            coming = _of_body(pieces, said)
        taken = self._intake.take(coming.content(), coming.meta)
        return json_response({"recording_id": taken.recording_id, "stage": taken.stage}, 201)


@dataclass(slots=True)
class _Coming:
    """A recording that comes in: its bytes, then what is known of it once they were read."""

    pieces: Callable[[_Coming], Iterator[bytes]]
    said: Meta = field(default_factory=lambda: Meta(HTTP, ""))

    def content(self) -> Iterator[bytes]:
        return self.pieces(self)

    def meta(self) -> Meta:
        return self.said

    def found(self, media: Media) -> None:
        self.said = replace(self.said, extension=media.extension, content_type=media.content_type)


def _is_other(kind: str) -> bool:
    """Whether a type is that of something else, also where the body begins like audio."""
    return media_of(kind, None, b"ID3") is None


def _no_media() -> Problem:
    return Problem(415, "Only audio and video are taken here.")


def _of_body(pieces: Iterator[bytes], content_type: str) -> _Coming:
    return _Coming(lambda coming: _checked(pieces, coming, content_type, None))


def _of_form(pieces: Iterator[bytes], boundary: bytes) -> _Coming:
    return _Coming(lambda coming: _file_of(form.parts(pieces, boundary), coming))


def _file_of(parts: Iterable[form.Part], coming: _Coming) -> Iterator[bytes]:
    """The bytes of the one file of a form; its fields, before or behind it, are noted."""
    given: dict[str, str] = {}
    files = 0
    for part in parts:
        if part.filename is None:
            _note(given, part)
            continue
        if files == 1:
            raise Problem(400, "The form holds more than one file.")
        files += 1
        yield from _checked(part.content, coming, part.content_type, part.filename)
    if files == 0:
        raise Problem(400, "The form holds no file.")
    coming.said = _told(coming.said, given)


def _note(given: dict[str, str], part: form.Part) -> None:
    """What isn't known is read past: a recording must not be lost over a stray field."""
    value = bytearray()
    for piece in part.content:
        value += piece
        if len(value) > _FIELD_MAX_BYTES:
            raise Problem(413, "A field of the form is too long.")
    if part.name not in {_TITLE, _RECORDED_AT}:
        return
    if part.name in given:
        raise Problem(400, f"The field {part.name} is given more than once.")
    try:
        given[part.name] = value.decode("utf-8").strip()
    except UnicodeDecodeError:
        raise Problem(400, f"The field {part.name} is no UTF-8.") from None


def _told(said: Meta, given: dict[str, str]) -> Meta:
    title, recorded_at = given.get(_TITLE) or None, given.get(_RECORDED_AT) or None
    if title is not None and (len(title) > TITLE_MAX or "\0" in title):
        raise Problem(400, f"The field title must be a text of at most {TITLE_MAX} characters.")
    if recorded_at is None:
        return replace(said, title=title)
    try:
        at_us, offset_min = moment_of(recorded_at)
    except ValueError:
        raise Problem(400, "The field recorded_at must be an RFC 3339 instant.") from None
    return replace(said, title=title, recorded_at_us=at_us, recorded_offset_min=offset_min)


def _checked(
    pieces: Iterator[bytes], coming: _Coming, content_type: str | None, name: str | None
) -> Iterator[bytes]:
    """The same bytes, once they have begun like audio or video."""
    first = bytearray()
    for piece in pieces:
        first += piece
        if len(first) >= FIRST_BYTES:
            break
    if not first:
        raise Problem(400, "The recording is empty.")
    media = media_of(content_type, name, bytes(first[:FIRST_BYTES]))
    if media is None:
        raise _no_media()
    coming.found(media)
    yield bytes(first)
    yield from pieces
