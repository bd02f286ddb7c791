"""Audio made small enough for the way to a recogniser far away."""

from __future__ import annotations

import secrets
from pathlib import Path

from healthlog.base import files
from healthlog.base.files import PART_SUFFIX
from healthlog.transcriber.cancel import Cancel
from healthlog.transcriber.ffmpeg import Ffmpeg
from healthlog.transcriber.places import Places
from healthlog.transcriber.providers.base import Job

OGG, WAV = "ogg", "wav"
MEDIA_TYPES = {OGG: "audio/ogg", WAV: "audio/wav"}


class Packer:
    """Makes OGG/Opus of the audio of an attempt, by its key; raises what Ffmpeg does."""

    def __init__(self, places: Places, ffmpeg: Ffmpeg) -> None:
        self._places = places
        self._ffmpeg = ffmpeg

    @property
    def timeout_s(self) -> float:
        """The longest it may take."""
        return self._ffmpeg.timeout_s

    def packed(self, job: Job, cancel: Cancel) -> Path:
        """The file, made once; `remove` it when it is needed no more."""
        path = self._places.packed(job.key)
        if path.is_file():
            return path
        files.make_folders(self._places.work, self._places.data)
        part = self._places.work / (secrets.token_hex(8) + PART_SUFFIX)
        try:
            self._ffmpeg.to_opus(job.audio, part, cancel)
            files.rename(part, path)
        finally:
            files.remove(part)
        return path

    def remove(self, key: str) -> None:
        """Remove what was made, if it is there."""
        files.remove(self._places.packed(key))
