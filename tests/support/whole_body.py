"""A body read whole, as the envelope would be read if memory were no matter: the oracle of the
reading in pieces."""

from __future__ import annotations

import json
from typing import Any

from healthlog.hae.depth import nests_too_deep
from healthlog.hae.envelope import SECTIONS, Malformed
from healthlog.values import is_empty


def sections(body: bytes) -> list[tuple[str, Any]]:
    """The non-empty sections of a body, in its order. Malformed."""
    top = _decoded(body)
    if not isinstance(top, dict):
        raise Malformed("the body is no JSON object")
    if "data" not in top:
        return [(name, value) for name, value in top.items() if not is_empty(value)]
    data = {} if top["data"] in (None, []) else top["data"]
    if not isinstance(data, dict):
        raise Malformed("`data` is no JSON object")
    found: list[tuple[str, Any]] = []
    for name, value in top.items():
        if name == "data":
            found += data.items()
        elif name in SECTIONS:
            found.append((name, value))
    return [(name, value) for name, value in found if not is_empty(value)]


def _decoded(body: bytes) -> object:
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Malformed(f"the body is not UTF-8 at byte {error.start}") from None
    if nests_too_deep(body):
        raise Malformed("the body nests too deep")
    try:
        value: object = json.loads(text)
    except json.JSONDecodeError as error:
        raise Malformed(f"the body is no JSON: {error.msg} at character {error.pos}") from None
    except ValueError:
        raise Malformed("the body holds a number too long to read") from None
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Malformed("the body holds half of a surrogate pair") from None
    return value
