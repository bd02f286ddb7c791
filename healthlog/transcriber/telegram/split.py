"""A text of any length as messages that Telegram takes."""

from __future__ import annotations

LONGEST = 4000
"""UTF-16 units of a message: the Bot API takes 4,096 characters, which it counts so."""

_PARAGRAPH, _SENTENCE_ENDS = "\n", ".!?…"
_WIDE_ENDS = "。！？"
"""No blank follows these."""
_LEAST_SHARE = 2
"""A part is at least half full where there is a choice: better a sentence cut than a crumb."""
_NARROW = 0xFFFF


def split(text: str, longest: int = LONGEST) -> list[str]:
    """The parts, none empty, none longer than `longest` UTF-16 units (2 at least), cut behind a
    paragraph, else a sentence, else a word, else anywhere but inside a character. Blanks at the
    cuts are left out, and nothing else."""
    parts, rest = [], _stored(text).strip()
    while rest:
        end = _fitting(rest, longest)
        if end < len(rest):
            end = _cut(rest, end)
        parts.append(rest[:end].rstrip())
        rest = rest[end:].lstrip()
    return parts


def units(text: str) -> int:
    """The length of a text in UTF-16 units."""
    return len(text) + sum(1 for character in text if ord(character) > _NARROW)


def _stored(text: str) -> str:
    # Half a pair of surrogates would make the whole message one that the Bot API doesn't take.
    return text.encode("utf-8", "replace").decode()


def _fitting(text: str, longest: int) -> int:
    """How many characters of it fit."""
    head = text[:longest]
    room = longest - units(head)
    end = len(head)
    while room < 0:
        end -= 1
        room += 2 if ord(head[end]) > _NARROW else 1
    return end


def _cut(text: str, end: int) -> int:
    """Where to cut, at `end` or before."""
    least = end // _LEAST_SHARE
    paragraph = text.rfind(_PARAGRAPH, least, end + 1)
    if paragraph > 0:
        return paragraph
    # A blank right behind the last character that fits is as good as one inside.
    places = range(end, max(least, 1) - 1, -1)
    sentence = next((at for at in places if _ends_sentence(text, at)), None)
    if sentence is not None:
        return sentence
    return next((at for at in range(end, 0, -1) if text[at].isspace()), end)


def _ends_sentence(text: str, at: int) -> bool:
    last = text[at - 1]
    return last in _WIDE_ENDS or (last in _SENTENCE_ENDS and text[at].isspace())
