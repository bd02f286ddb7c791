"""WAV files as the recogniser gets them: how long they are, whether anything can be heard."""

from __future__ import annotations

import math
import sys
import wave
from array import array
from dataclasses import dataclass
from pathlib import Path

RATE = 16_000
BYTES_PER_MS = 2 * RATE // 1000
_BLOCK_FRAMES = RATE // 10
_SILENCE_RMS = 32768 * 10 ** (-60 / 20)
"""-60 dB of full scale: far below a whisper close to any phone. What is louder is recognised."""


class NoSound(Exception):
    """The file is no WAV of 16 kHz, mono, 16 bits."""


@dataclass(frozen=True, slots=True)
class Sound:
    """What there is to hear."""

    duration_ms: int
    silent: bool


def sound(path: Path) -> Sound:
    """Length and loudness. NoSound; OSError when the file can't be read."""
    try:
        with wave.open(str(path), "rb") as file:
            shape = (file.getframerate(), file.getnchannels(), file.getsampwidth())
            if shape != (RATE, 1, 2):
                raise NoSound("not 16 kHz, mono, 16 bits")
            duration_ms = file.getnframes() * 1000 // RATE
            return Sound(duration_ms, silent=not any(map(_loud, iter(lambda: _block(file), b""))))
    except (wave.Error, EOFError) as error:
        raise NoSound("no WAV file") from error


def _block(file: wave.Wave_read) -> bytes:
    return file.readframes(_BLOCK_FRAMES)


def _loud(block: bytes) -> bool:
    samples = array("h", block[: len(block) // 2 * 2])
    if sys.byteorder == "big":
        samples.byteswap()
    # A constant is no sound, however far from zero it is.
    mean = sum(samples) / len(samples)
    if max(samples) - mean <= _SILENCE_RMS and mean - min(samples) <= _SILENCE_RMS:
        return False
    return math.sqrt(sum((s - mean) ** 2 for s in samples) / len(samples)) > _SILENCE_RMS
