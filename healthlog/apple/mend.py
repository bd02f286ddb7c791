"""Elements that are no XML, put right where it is plain what was meant.

iOS 16 wrote `startDate` twice into each statistic of a workout, meaning `endDate` by the second,
and control characters into texts; a parser refuses such a document.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple
from xml.parsers import expat

from healthlog.apple.stream import NotAppleHealth

Element = list[Any]
"""`[name, {attribute: text}]`, with a list of the elements inside as a third member if any are.
All attributes are kept as they stand."""

DEEPEST = 16
"""Levels below the root; Apple needs four. In a body each makes two."""

ROOT, END = b"<HealthData>", b"</HealthData>"

_INSTEAD = "\ufffd"
# What XML has no place for, as characters and as references.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_REFERENCE = re.compile(
    "&#(?:x0*(?:[0-8bcefBCEF]|1[0-9a-fA-F]|[dD][89a-fA-F][0-9a-fA-F]{2}|[fF]{3}[eEfF])"
    "|0*(?:[0-8]|1[124-9]|2[0-9]|3[01]));"
)
_TAG = re.compile(rb"""<([A-Za-z][\w.-]*)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)(\s*/?>)""")
_ATTRIBUTE = re.compile(rb"""\s+([\w:.-]+)(\s*=\s*(?:"[^"<]*"|'[^'<]*'))""")


class Mended(NamedTuple):
    """An element put right, None if it can't be read; how many characters in it became U+FFFD
    because XML has none such; whether anything else in the stretch was lost."""

    element: Element | None
    replaced: int
    lost: bool


def mended(raw: bytes) -> Mended:
    """The first element in a stretch of a document."""
    clean, replaced = _cleaned(raw)
    found: list[Element] = []
    stack: list[Element] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        put(stack, [name, attributes])

    def end(_name: str) -> None:
        element = stack.pop()
        if len(stack) == 1:
            found.append(element)

    parser = expat.ParserCreate("utf-8")
    parser.StartElementHandler, parser.EndElementHandler = start, end
    try:
        parser.Parse(ROOT + _TAG.sub(_without_doubles, clean) + END, True)
        lost = not found
    except expat.ExpatError:
        lost = True
    return Mended(found[0] if found else None, replaced, lost)


def put(stack: list[Element], element: Element) -> None:
    """Put an element into the one it stands in, then on the stack. The root holds none: what
    stands directly in it is handed on when it ends. NotAppleHealth beyond DEEPEST."""
    if len(stack) > DEEPEST:
        raise NotAppleHealth(f"its elements nest deeper than {DEEPEST} levels")
    if len(stack) > 1:
        above = stack[-1]
        if len(above) == 2:
            above.append([element])
        else:
            above[2].append(element)
    stack.append(element)


def _cleaned(raw: bytes) -> tuple[bytes, int]:
    text = raw.decode("utf-8", "replace")
    replaced = text.count(_INSTEAD) - raw.count(_INSTEAD.encode())
    text, controls = _CONTROL.subn(_INSTEAD, text)
    text, references = _REFERENCE.subn(_INSTEAD, text)
    return text.encode(), replaced + controls + references


def _without_doubles(tag: re.Match[bytes]) -> bytes:
    """A tag in which each attribute stands once."""
    attributes = _ATTRIBUTE.findall(tag[2])
    names = [name for name, _ in attributes]
    if len(set(names)) == len(names):
        return tag[0]
    kept: dict[bytes, bytes] = {}
    for name, value in attributes:
        if name == b"startDate" and name in kept and b"endDate" not in names:
            kept.setdefault(b"endDate", value)
        kept.setdefault(name, value)
    text = b"".join(b" " + name + value for name, value in kept.items())
    return b"<" + tag[1] + text + tag[3]
