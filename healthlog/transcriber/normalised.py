"""Audio for the recogniser, made of what came; made again if it is gone."""

from __future__ import annotations

import secrets
from pathlib import Path

from healthlog.base import files
from healthlog.base.errors import DiskFull
from healthlog.base.files import PART_SUFFIX
from healthlog.transcriber.cancel import Cancel
from healthlog.transcriber.failures import Retry, Verdict
from healthlog.transcriber.ffmpeg import PROBE_S, Ffmpeg, Probe
from healthlog.transcriber.places import Places
from healthlog.transcriber.rows import Recording
from healthlog.transcriber.wav import BYTES_PER_MS, NoSound, Sound, sound

_TOLERANCE_MS = 1500
_TOLERANCE_SHARE = 50
"""A result may be shorter than the source tells by 1.5 s and a fiftieth: lengths are rounded, and
players leave padding out."""


class Normaliser:
    """Makes the WAV file of a recording. Errors as those of Ffmpeg."""

    def __init__(self, places: Places, ffmpeg: Ffmpeg, *, min_free: int = 0) -> None:
        """`min_free` bytes of the disk are left to others."""
        self._places = places
        self._ffmpeg = ffmpeg
        self._min_free = min_free

    @property
    def timeout_s(self) -> float:
        """The longest it may take: a look at the file, then the work."""
        return self._ffmpeg.timeout_s + PROBE_S

    def make(self, recording: Recording, cancel: Cancel) -> Sound:
        """The file, under its name only once it is whole."""
        source = self._places.original(recording.recording_id, recording.extension)
        if not source.is_file():
            raise Verdict("the file of the recording is gone")
        probe = self._ffmpeg.probe(source, cancel)
        if not probe.has_audio:
            raise Verdict("there is no audio in the file")
        files.make_folders(self._places.work, self._places.data)
        self._check_space(probe.duration_ms or recording.declared_ms or 0)
        # Whoever else thinks that he holds the recording writes under another name.
        part = self._places.work / (secrets.token_hex(8) + PART_SUFFIX)
        try:
            self._ffmpeg.to_wav(source, part, cancel)
            made = _checked(part, recording, probe)
            files.rename(part, self._places.normalised(recording.recording_id))
        finally:
            files.remove(part)
        return made

    def _check_space(self, duration_ms: int) -> None:
        needed = self._min_free + duration_ms * BYTES_PER_MS
        if files.free_bytes(self._places.work) < needed:
            raise DiskFull("there is no room for the audio that is to be made")

    def ensure(self, recording: Recording, cancel: Cancel) -> Path:
        """The path of the file, which is made again if somebody removed it."""
        path = self._places.normalised(recording.recording_id)
        if not path.is_file():
            self.make(recording, cancel)
        return path

    def remove(self, recording_id: str) -> None:
        """Remove what was made, if it is there."""
        files.remove(self._places.normalised(recording_id))

    def sweep(self) -> None:
        """Remove what an earlier run left half made; before any `make`."""
        files.sweep(self._places.work)


def _checked(part: Path, recording: Recording, probe: Probe) -> Sound:
    try:
        made = sound(part)
    except NoSound:
        raise Retry("ffmpeg made no WAV file") from None
    for expected_ms in (probe.duration_ms, recording.declared_ms):
        if expected_ms is not None and too_short(made.duration_ms, expected_ms):
            # ffmpeg exits with 0 on a file that breaks off, and leaves a valid one that is short.
            raise Verdict(f"the file breaks off after {made.duration_ms} ms of {expected_ms} ms")
    return made


def too_short(duration_ms: int, expected_ms: int) -> bool:
    """Whether so much is missing that the file must be cut."""
    return duration_ms + _TOLERANCE_MS + expected_ms // _TOLERANCE_SHARE < expected_ms
