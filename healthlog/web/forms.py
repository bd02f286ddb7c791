"""What a form of a page sends."""

from __future__ import annotations

from urllib.parse import parse_qsl

from healthlog.base.web import Problem, Request

_TYPE = "application/x-www-form-urlencoded"


def fields(request: Request, most: int) -> dict[str, str]:
    """The fields of a form by their names, at most so many. Problem for what is none."""
    kind = (request.headers.get("Content-Type") or "").partition(";")[0].strip().lower()
    if kind != _TYPE:
        raise Problem(415, "Only a form is taken here.")
    parts = []
    while piece := request.body.read():
        parts.append(piece)
    try:
        text = b"".join(parts).decode("ascii")
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=most)
    except ValueError:
        raise Problem(400, "The form is malformed.") from None
    return dict(pairs)
