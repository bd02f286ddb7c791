"""The file of a recording as it came, whole or in part: for a player that jumps about in it."""

from __future__ import annotations

import re
from email.utils import formatdate
from pathlib import Path

from healthlog.base.answers import HeaderPairs
from healthlog.base.web import Problem, Request, Response
from healthlog.transcriber.doors import ranges
from healthlog.transcriber.doors.media import type_of
from healthlog.transcriber.doors.ranges import Unsatisfiable
from healthlog.transcriber.rows import Recording

_MEDIA_TYPE = re.compile(r"(audio|video)/[A-Za-z0-9!#$&^_.+-]{1,60}", re.ASCII)
_UNKNOWN = "application/octet-stream"


def played(request: Request, recording: Recording, path: Path) -> Response:
    """200, 206, 304 or 416 (RFC 9110 §13, §14); Problem 410 when the file is gone."""
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        raise Problem(410, "The file of this recording is gone.") from None
    modified_s = recording.accepted_at_us // 1_000_000
    etag = f'"{recording.sha256}"'
    about: HeaderPairs = (
        ("Accept-Ranges", "bytes"),
        ("ETag", etag),
        ("Last-Modified", formatdate(modified_s, usegmt=True)),
        # It never changes, but it may be removed, and it is nobody else's.
        ("Cache-Control", "private, no-cache"),
        ("Content-Disposition", f'inline; filename="{path.name}"'),
        # What somebody sent is played, and never taken for a page.
        ("X-Content-Type-Options", "nosniff"),
    )
    if ranges.is_known(request.headers, etag):
        return Response(304, b"", "", about)
    kind = _type_of(recording)
    try:
        asked = None
        if request.method == "GET":
            asked = ranges.asked_for(request.headers, size, etag, modified_s)
    except Unsatisfiable:
        unsatisfied = (("Content-Range", f"bytes */{size}"), ("Accept-Ranges", "bytes"))
        raise Problem(416, "The range begins behind the end of the file.", unsatisfied) from None
    if asked is None:
        return Response(200, ranges.pieces(path, 0, size), kind, about, length=size)
    part = ranges.pieces(path, asked.first, asked.length)
    about = (*about, ("Content-Range", asked.content_range))
    return Response(206, part, kind, about, length=asked.length)


def _type_of(recording: Recording) -> str:
    """What its sender called it, if that is a kind of audio or video, else by its ending."""
    said = recording.content_type or ""
    if _MEDIA_TYPE.fullmatch(said) is not None:
        return said
    return type_of(recording.extension) or _UNKNOWN
