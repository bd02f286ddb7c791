"""Which files in a message are recordings, with what is known of them before they are fetched."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from healthlog.transcriber.places import ANY_EXTENSION, extension_of

_USUAL: Mapping[str, tuple[str, str]] = {
    "voice": ("audio/ogg", "oga"),
    "audio": ("audio/mpeg", "mp3"),
    "video_note": ("video/mp4", "mp4"),
    "video": ("video/mp4", "mp4"),
    "document": ("application/octet-stream", ANY_EXTENSION),
}
"""By the field of the message: the type and the extension of such a file when nothing is said."""

# Made by the sender's own program while it recorded; of other files the length is what a tag says.
_MEASURED = frozenset(("voice", "video_note"))

_AUDIBLE = re.compile(r"(?:audio|video)/.+|application/ogg", re.ASCII | re.IGNORECASE)
_UNSAID = frozenset(("", "application/octet-stream", "binary/octet-stream"))
_EXTENSION = re.compile(
    "3gp|aac|aiff?|amr|caf|flac|m4[abv]|mk[av]|mov|mp[34]|mpga|og[ag]|opus|wav|web[am]|wma"
)
_CONTENT_TYPE = re.compile(r"[A-Za-z0-9!#$&^_.+-]{1,60}/[A-Za-z0-9!#$&^_.+-]{1,60}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Media:
    """A file that Telegram keeps. `bytes` and `declared_ms` None where they aren't told; extension
    None where no name tells one."""

    file_id: str
    content_type: str
    usual_extension: str
    extension: str | None
    bytes: int | None
    declared_ms: int | None

    def extension_with(self, path: str) -> str:
        """The extension of the file, once Telegram has told its path."""
        if self.extension is not None:
            return self.extension
        found = extension_of(path)
        return found if found != ANY_EXTENSION else self.usual_extension


def media_of(message: Mapping[str, Any]) -> Media | None:
    """The recording in a message, None when there is none.

    A GIF is sent as a document of type video/mp4 with an `animation` beside it: it has no sound.
    """
    if "animation" in message:
        return None
    for kind in _USUAL:
        found = message.get(kind)
        if isinstance(found, dict) and isinstance(found.get("file_id"), str):
            return _media(kind, found) if kind != "document" or _audible(found) else None
    return None


def _media(kind: str, found: Mapping[str, Any]) -> Media:
    usual_type, usual_extension = _USUAL[kind]
    said_type, name = _text(found, "mime_type"), _text(found, "file_name")
    extension = extension_of(name)
    seconds = natural(found.get("duration")) if kind in _MEASURED else None
    return Media(
        found["file_id"],
        said_type if _CONTENT_TYPE.fullmatch(said_type) else usual_type,
        usual_extension,
        None if extension == ANY_EXTENSION else extension,
        natural(found.get("file_size")),
        None if seconds is None else seconds * 1000,
    )


def _audible(document: Mapping[str, Any]) -> bool:
    said_type = _text(document, "mime_type")
    if said_type.lower() in _UNSAID:
        return _EXTENSION.fullmatch(extension_of(_text(document, "file_name"))) is not None
    return _AUDIBLE.fullmatch(said_type) is not None


def _text(found: Mapping[str, Any], name: str) -> str:
    value = found.get(name)
    return value if isinstance(value, str) else ""


def natural(value: object) -> int | None:
    """A whole number from 0 that fits a column, None for anything else."""
    fits = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53
    return value if fits and isinstance(value, int) else None
