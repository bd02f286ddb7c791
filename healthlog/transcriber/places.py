"""The files of the recordings: what lies where below the data directory."""

from __future__ import annotations

import re
from pathlib import Path

from healthlog.base.ids import folder_of, parse_id

_EXTENSION = re.compile(r"[a-z0-9]{1,8}", re.ASCII)
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", re.ASCII)
ANY_EXTENSION = "bin"


class Places:
    """Paths of one data directory.

    `audio/YYYY/MM/DD/<id>.<ext>` is what came and is never changed. `audio/incoming` holds what is
    still coming. `audio/work` can be made again: audio for the recogniser, operations under way,
    those of programs apart from those that call somebody.
    """

    def __init__(self, data: Path) -> None:
        self.data = data
        self.audio = data / "audio"
        self.incoming = self.audio / "incoming"
        self.work = self.audio / "work"
        self.operations = self.work / "operations"
        self.calls = self.work / "calls"

    def original(self, recording_id: str, extension: str) -> Path:
        """The file as it came. ValueError for what is no id or no extension."""
        if _EXTENSION.fullmatch(extension) is None:
            raise ValueError("no extension of a file")
        return self.folder(recording_id) / f"{recording_id}.{extension}"

    def folder(self, recording_id: str) -> Path:
        """Where the file of this recording lies. ValueError for what is no id."""
        return self.audio / folder_of(_checked(recording_id))

    def normalised(self, recording_id: str) -> Path:
        """The audio made for the recogniser. ValueError for what is no id."""
        return self.work / f"{_checked(recording_id)}.wav"

    def packed(self, key: str) -> Path:
        """The same made small, for one attempt. ValueError for what is no key."""
        if _KEY.fullmatch(key) is None:
            raise ValueError("no key of an attempt")
        return self.work / f"{key}.ogg"


def extension_of(name: str) -> str:
    """A harmless extension for the end of a file's name or path, `bin` where it has none."""
    end = name.rpartition(".")[2].lower() if "." in name else ""
    return end if _EXTENSION.fullmatch(end) else ANY_EXTENSION


def _checked(recording_id: str) -> str:
    if parse_id(recording_id) is None:
        raise ValueError("no id of a recording")
    return recording_id
