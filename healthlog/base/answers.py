"""Answers as values: what a handler returns, what it raises instead."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus

PROBLEM_TYPE = "application/problem+json"

_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_VALUE = re.compile(r"(?:[!-~](?:[\t -~]*[!-~])?)?")
# Written by the connection alone: two opinions about where an answer ends are a smuggler's way in.
_RESERVED = {"connection", "content-length", "content-type", "date", "transfer-encoding"}

HeaderPairs = tuple[tuple[str, str], ...]

RETRY_AFTER: HeaderPairs = (("Retry-After", "5"),)
"""What goes with a 503: when it is worth asking again."""


@dataclass(frozen=True, slots=True)
class Response:
    """One answer. ValueError for a header that the grammar of RFC 9110 §5 doesn't allow.

    `length` (bytes) may be given with an iterable body whose size is known, which is then not sent
    in chunks. `reason` says in the log why a request was refused; it is not sent. `delay_s` is how
    long the answer is held back.
    """

    status: int
    body: bytes | Iterable[bytes]
    content_type: str
    headers: HeaderPairs = ()
    length: int | None = None
    reason: str = ""
    delay_s: float = 0.0

    def __post_init__(self) -> None:
        HTTPStatus(self.status)
        _check_value("Content-Type", self.content_type)
        for name, value in self.headers:
            if _NAME.fullmatch(name) is None or name.lower() in _RESERVED:
                raise ValueError(f"no header of an answer: {name!r}")
            _check_value(name, value)


class Problem(Exception):
    """Raised by a handler to answer with an error; `detail` is one short sentence without data,
    `delay_s` how long the answer is held back."""

    def __init__(
        self, status: int, detail: str, headers: HeaderPairs = (), delay_s: float = 0.0
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = headers
        self.delay_s = delay_s


def json_response(value: object, status: int = 200, headers: HeaderPairs = ()) -> Response:
    """`value` as JSON in UTF-8; ValueError for NaN and infinities."""
    return Response(status, json_bytes(value), "application/json", headers)


def problem(
    status: int, detail: str, headers: HeaderPairs = (), title: str | None = None
) -> Response:
    """An error as RFC 9457 has it; `title` is the status's own unless given."""
    said = {
        "type": "about:blank",
        "title": title or HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }
    return Response(status, json_bytes(said), PROBLEM_TYPE, headers, reason=detail)


def json_bytes(value: object) -> bytes:
    """Compact JSON in UTF-8. A lone surrogate, which UTF-8 can't say, is written as its escape."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")


def _check_value(name: str, value: str) -> None:
    if _VALUE.fullmatch(value) is None:
        raise ValueError(f"no value of the header {name}: {value!r}")
