"""One value of a text decoded by the decoder of the standard library, if all of it is in sight."""

from __future__ import annotations

import json
from json import JSONDecodeError, JSONDecoder
from typing import Any, NamedTuple

from healthlog.hae.depth import nests_too_deep
from healthlog.hae.window import Malformed

UNDECIDED = 16
"""What stands so near to the end of what is in sight may go on behind it."""

_raw_decode = JSONDecoder().raw_decode


class Fault(NamedTuple):
    """What is wrong with a text, and where in it; -1 where what follows the text decides."""

    message: str
    at: int


def decode(text: str, pos: int, *, ended: bool) -> tuple[Any, int] | Fault:
    """The value that begins at `pos`, and where it ends. `ended`: nothing follows the text.
    Malformed for a value that can't be read whatever follows."""
    try:
        value, end = _raw_decode(text, pos)
    except JSONDecodeError as error:
        is_cut = not ended and error.msg.startswith("Unterminated string")
        return Fault(error.msg, -1 if is_cut else error.pos)
    except RecursionError:
        raise too_deep() from None
    except ValueError:
        raise Malformed("the body holds a number too long to read") from None
    # `1` may be the beginning of `12` or of `1e5`.
    if not ended and text[end - 1] not in '}]"' and len(text) - end < UNDECIDED:
        return Fault("Expecting value", -1)
    return value, end


def decode_elements(text: str) -> list[Any] | None:
    """What stands in a text as elements of an array, separated by commas; None where that can't be
    decoded, for whatever reason, or where nothing stands."""
    try:
        found, _ = _raw_decode(f"[{text}]")
    except (ValueError, RecursionError):
        return None
    return found or None


def demand_levels(text: str, value: Any, room: int) -> None:
    """Malformed for a text that nests deeper than `room`; `value` is what it was decoded to."""
    braces, brackets = text.count("{"), text.count("[") if "[" in text else 0
    if braces + brackets <= room or _is_flat(value, braces, brackets):
        return
    if nests_too_deep(text.encode(), room):
        raise too_deep()


def too_deep() -> Malformed:
    return Malformed("the body nests too deep")


def has_lone_surrogate(value: object) -> bool:
    """Whether a text in it holds half of a surrogate pair."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def _is_flat(value: Any, braces: int, brackets: int) -> bool:
    """Whether a text hardly nests, told by what it was decoded to and how many brackets of each
    kind it has: where all of them belong to a list of objects, or to an object around one, none
    is left for anything else. (One within a string only makes it look as if there were more.)"""
    if type(value) is dict:
        value = next((one for one in value.values() if type(one) is list), None)
        braces, brackets = braces - 1, brackets - 1
    return (
        type(value) is list
        and brackets == 0
        and braces == len(value)
        and {*map(type, value)} == {dict}
    )
