"""FFmpeg: what a file holds, how it becomes audio for a recogniser.

A file comes from outside and may be anything. Only demuxers that read one file are let at it:
playlists name other files and addresses.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from healthlog.transcriber.cancel import Cancel
from healthlog.transcriber.failures import Retry, Verdict
from healthlog.transcriber.programs import Finished, run
from healthlog.transcriber.wav import RATE

_DEMUXERS = (
    "aac,ac3,aiff,amr,amrnb,amrwb,asf,au,avi,caf,eac3,flac,flv,matroska,webm,mov,mp4,m4a,3gp,3g2,"
    "mj2,mp3,mpc,mpeg,mpegts,ogg,opus,tta,w64,wav,wv"
)
_INPUT = ("-protocol_whitelist", "file", "-format_whitelist", _DEMUXERS)

# What ffmpeg says when it is the file's fault. Anything else may go away.
_FAULTS_OF_FILE = (
    b"Invalid data found when processing input",
    b"does not contain any stream",
    b"matches no streams",
    b"moov atom not found",
    b"not in allowed list",
    b"not on whitelist",
    b"Not yet implemented in FFmpeg",
    b"End of file",
)
PROBE_S = 60.0
_NO_SPACE = b"No space left on device"


@dataclass(frozen=True, slots=True)
class Probe:
    """`duration_ms` as the file tells it of its audio, None when it doesn't."""

    has_audio: bool
    duration_ms: int | None


class Ffmpeg:
    """The two programs. `timeout_s` is for a conversion; a look at a file gets a minute of it.

    Raises Verdict when no audio can be read of the file, Configuration when a program is missing,
    Retry, Cancelled.
    """

    def __init__(
        self, timeout_s: float, *, ffmpeg: str = "ffmpeg", ffprobe: str = "ffprobe"
    ) -> None:
        self.timeout_s = timeout_s
        self._ffmpeg = ffmpeg
        self._ffprobe = ffprobe

    def missing(self) -> tuple[str, ...]:
        """A sentence for each of the programs that can't be found."""
        return tuple(
            f"The program {name} can't be found: recordings wait until it is installed."
            for name in (self._ffmpeg, self._ffprobe)
            if shutil.which(name) is None
        )

    def probe(self, source: Path, cancel: Cancel) -> Probe:
        """What the file says it holds."""
        asked = ("-show_entries", "format=duration:stream=codec_type,duration", "-of", "json")
        argv = (self._ffprobe, "-v", "error", *_INPUT, *asked, "-i", f"file:{source}")
        finished = run(argv, timeout_s=min(self.timeout_s, PROBE_S), cancel=cancel)
        _check(finished, "ffprobe")
        return probed(finished.out)

    def to_wav(self, source: Path, target: Path, cancel: Cancel) -> None:
        """The first audio stream as WAV, 16 kHz, mono, 16 bits. `target` is written as it goes:
        give it a name of its own, and another one only after this has returned."""
        self._convert(source, ("-c:a", "pcm_s16le", "-f", "wav"), target, cancel)

    def to_opus(self, source: Path, target: Path, cancel: Cancel) -> None:
        """The same as OGG/Opus, about 10 MB an hour; `target` as above."""
        self._convert(
            source,
            ("-c:a", "libopus", "-b:a", "24k", "-vbr", "constrained", "-application", "voip",
             "-f", "ogg"),
            target,
            cancel,
        )  # fmt: skip

    def _convert(self, source: Path, form: Sequence[str], target: Path, cancel: Cancel) -> None:
        argv = (
            *(self._ffmpeg, "-nostdin", "-hide_banner", "-v", "error", "-y", *_INPUT),
            *("-i", f"file:{source}", "-map", "0:a:0", "-vn", "-sn", "-dn"),
            # Tags may hold names: they stay in the file as it came.
            *("-map_metadata", "-1", "-ac", "1", "-ar", str(RATE), *form, f"file:{target}"),
        )
        _check(run(argv, timeout_s=self.timeout_s, cancel=cancel), "ffmpeg")


def probed(out: bytes) -> Probe:
    """What ffprobe's JSON says. The length of the whole file counts only where there is nothing
    in it but audio. Verdict when it is no such JSON."""
    try:
        told = json.loads(out)
        streams = told.get("streams", [])
        kinds = [stream.get("codec_type") for stream in streams]
        own = [s.get("duration") for s in streams if s.get("codec_type") == "audio"]
        whole = told.get("format", {}).get("duration")
    except (ValueError, AttributeError):
        raise Verdict("ffprobe told nothing of the file") from None
    said = own[0] if own and own[0] is not None else whole if kinds == ["audio"] else None
    return Probe("audio" in kinds, _milliseconds(said))


def _milliseconds(said: object) -> int | None:
    try:
        return round(float(str(said)) * 1000)
    except ValueError:
        return None


def _check(finished: Finished, name: str) -> None:
    if finished.status == 0:
        return
    if _NO_SPACE in finished.errors:
        raise Retry(f"{name} found no space left on the disk")
    if finished.status > 0 and any(fault in finished.errors for fault in _FAULTS_OF_FILE):
        raise Verdict(f"{name} can read no audio in the file")
    raise Retry(f"{name} ended with status {finished.status}")
