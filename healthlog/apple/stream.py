"""The bytes of an `export.xml` from its root element on.

What stands before is never parsed: a DTD that several versions of iOS wrote with mistakes can then
neither fail nor declare anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from healthlog.base.errors import Refusal

_ROOT = re.compile(rb"<HealthData(?=[\s/>])")
_DOCTYPE = re.compile(rb"<!DOCTYPE\s+HealthData\b")
_PROLOG_MAX = 1024 * 1024


class NotAppleHealth(Refusal):
    """The file is no export of Apple's Health; the message says why."""


def is_export(head: bytes) -> bool:
    """Whether a file that begins so is an `export.xml`, whatever the phone's language called it."""
    return _DOCTYPE.search(head) is not None or _ROOT.search(head) is not None


def from_root(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The pieces without what stands before the root element. NotAppleHealth when there is none
    near the beginning, or a prolog that declares entities, which Apple's never does."""
    prolog = b""
    following = iter(pieces)
    for piece in following:
        prolog += piece
        root = _ROOT.search(prolog)
        if root is not None:
            if b"<!ENTITY" in prolog[: root.start()]:
                raise NotAppleHealth("it declares entities, which no export of Apple's Health does")
            yield prolog[root.start() :]
            yield from following
            return
        if len(prolog) > _PROLOG_MAX:
            break
    raise NotAppleHealth("there is no HealthData in it")
