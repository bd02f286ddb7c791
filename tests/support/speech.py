"""Speech for the recogniser, spoken by a program; how far a text is from what was said."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tests.support.patience import PATIENCE_S

SENTENCE = (
    "Please remind me to call the doctor on Monday morning and to buy fresh bread, milk and green"
    " apples on the way home."
)
FORMS = {
    "m4a": ("-c:a", "aac", "-b:a", "64k", "-ar", "44100"),
    "oga": ("-c:a", "libopus", "-b:a", "24k", "-ac", "1", "-ar", "48000", "-f", "ogg"),
}
"""As a phone's voice memo comes, and a voice message of Telegram."""


def spoken(folder: Path, form: str, text: str = SENTENCE) -> bytes:
    """The sentence in flite's voice rms, which PocketSphinx understands, in that form."""
    wav, made = folder / "spoken.wav", folder / f"spoken.{form}"
    subprocess.run(
        ["flite", "-voice", "rms", "-t", text, "-o", str(wav)], check=True, timeout=PATIENCE_S
    )
    command = ["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", str(wav), *FORMS[form], str(made)]
    subprocess.run(command, check=True, timeout=PATIENCE_S)
    return made.read_bytes()


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def word_error_rate(said: str, heard: str) -> float:
    """Words to be put in, left out, or exchanged, for each word that was said."""
    reference, found = words(said), words(heard)
    row = list(range(len(found) + 1))
    for number, word in enumerate(reference, start=1):
        before, row[0] = row[0], number
        for place, other in enumerate(found, start=1):
            here = min(row[place] + 1, row[place - 1] + 1, before + (word != other))
            before, row[place] = row[place], here
    return row[-1] / max(len(reference), 1)
