"""JSON-RPC 2.0 as MCP has it: a line of text to messages, answers to a line."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND = -32700, -32600, -32601
INVALID_PARAMS, INTERNAL_ERROR = -32602, -32603

Id = str | int | None
"""Of a request, never None; of an answer None where the request's could not be read."""

Answer = dict[str, Any]


class Wrong(Exception):
    """A request that can't be answered: the error's code, its message for the client, its data."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked, to be answered under its id."""

    id: Id
    method: str
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A notification, or an answer to a question nobody asked: nothing is said to either."""


@dataclass(frozen=True, slots=True)
class Broken:
    """What is no message, with the answer that says so."""

    answer: Answer


Message = Request | Unanswered | Broken


@dataclass(frozen=True, slots=True)
class Batch:
    """Several messages on one line; their answers are one line, too."""

    messages: Sequence[Message]


def read(line: bytes) -> Message | Batch:
    """What stands on a line."""
    try:
        value = json.loads(line.decode(), parse_constant=_no_number)
    except (ValueError, RecursionError):
        return Broken(error(None, PARSE_ERROR, "Parse error: the line is no JSON in UTF-8"))
    if isinstance(value, list):
        if not value:
            return Broken(error(None, INVALID_REQUEST, "Invalid Request: the batch is empty"))
        return Batch([_message(one) for one in value])
    return _message(value)


def result(of: Id, members: Mapping[str, Any]) -> Answer:
    """The answer that gives what was asked for."""
    return {"jsonrpc": "2.0", "id": of, "result": dict(members)}


def error(of: Id, code: int, message: str, data: object = None) -> Answer:
    """The answer that says why there is none."""
    said: dict[str, Any] = {"code": code, "message": message}
    if data is not None:
        said["data"] = data
    return {"jsonrpc": "2.0", "id": of, "error": said}


def line_of(answer: Answer | Sequence[Answer]) -> bytes:
    """An answer, or those of a batch, as one line."""
    # A lone surrogate, which JSON can spell but UTF-8 can't, goes out as it came in: escaped.
    return text_of(answer).encode("utf-8", "backslashreplace") + b"\n"


def text_of(value: object) -> str:
    """Compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)


def _message(value: object) -> Message:
    if not isinstance(value, dict):
        return _invalid(None, "a message is an object")
    is_request = "id" in value
    found = value.get("id")
    of = found if isinstance(found, str | int) and not isinstance(found, bool) else None
    if value.get("jsonrpc") != "2.0":
        return _invalid(of, 'jsonrpc must be "2.0"')
    if "method" not in value and ("result" in value or "error" in value):
        return Unanswered()
    method, params = value.get("method"), value.get("params", {})
    if not isinstance(method, str):
        return _invalid(of, "method must be a text")
    if not is_request:
        return Unanswered()
    if of is None:
        return _invalid(None, "id must be a text or a whole number")
    if not isinstance(params, dict):
        return Broken(error(of, INVALID_PARAMS, "Invalid params: params must be an object"))
    return Request(of, method, params)


def _invalid(of: Id, why: str) -> Broken:
    return Broken(error(of, INVALID_REQUEST, f"Invalid Request: {why}"))
