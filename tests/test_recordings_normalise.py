"""From a file as it came to audio for the recogniser, by the real ffmpeg."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from healthlog.transcriber.cancel import Cancel
from healthlog.transcriber.failures import Cancelled, Configuration, Retry, Verdict
from healthlog.transcriber.ffmpeg import Ffmpeg, Probe, probed
from healthlog.transcriber.normalised import Normaliser, too_short
from healthlog.transcriber.programs import run
from healthlog.transcriber.rows import Recording
from healthlog.transcriber.wav import NoSound, Sound, sound
from tests.support.clock import FakeClock
from tests.support.ending import Watched, number_told
from tests.support.installed import needs_ffmpeg
from tests.support.patience import PATIENCE_S
from tests.support.studio import Studio, open_studio, tone

NO_CANCEL = Cancel()
SLOW = '#!/bin/sh\nfor last; do :; done\ncp "$TONE" "${last#file:}"\necho $$ > "$TOLD"\nsleep 60\n'
"""Instead of ffmpeg: a valid file at once, and no end."""


@pytest.fixture
def studio(data: Path, clock: FakeClock) -> Iterator[Studio]:
    """A studio with the real first step."""
    with open_studio(data, clock, acts={}) as made:
        yield made


def encoded(
    folder: Path, name: str, *options: str, seconds: float = 2.0, height: int = 8000
) -> bytes:
    """A tone in another form, by ffmpeg."""
    tone(folder / "tone.wav", seconds=seconds, height=height)
    command = ["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", str(folder / "tone.wav")]
    subprocess.run([*command, *options, str(folder / name)], check=True, timeout=PATIENCE_S)
    return (folder / name).read_bytes()


def outcome(studio: Studio, content: bytes, extension: str, **meta: object) -> Recording:
    """The recording after its first step."""
    posted = studio.post(content, extension=extension, **meta)
    studio.step()
    return studio.row(posted)


@needs_ffmpeg
@pytest.mark.scenario("recordings", "File becomes audio for the recogniser")
@pytest.mark.parametrize(
    ("extension", "options"),
    [
        ("m4a", ("-c:a", "aac")),
        ("oga", ("-c:a", "libopus", "-b:a", "24k", "-ar", "48000")),
        pytest.param("wav", ("-ac", "2", "-ar", "44100"), marks=pytest.mark.slow),
        pytest.param("mp3", (), marks=pytest.mark.slow),
        pytest.param("webm", ("-c:a", "libopus"), marks=pytest.mark.slow),
    ],
)
def test_a_file_becomes_audio(
    studio: Studio, tmp_path: Path, extension: str, options: tuple[str, ...]
) -> None:
    row = outcome(studio, encoded(tmp_path, f"x.{extension}", *options), extension)
    assert (row.stage, row.silent) == ("normalized", False)
    assert row.duration_ms == pytest.approx(2000, abs=120)
    made = sound(studio.recordings.places.normalised(row.recording_id))
    assert made == Sound(row.duration_ms or 0, silent=False)
    assert list(studio.recordings.places.work.glob("*.part")) == []


@needs_ffmpeg
@pytest.mark.scenario("recordings", "Silence is found before anything is paid")
def test_silence_is_found(studio: Studio, tmp_path: Path) -> None:
    row = outcome(studio, encoded(tmp_path, "x.wav", height=0), "wav")
    assert (row.stage, row.silent) == ("normalized", True)


@needs_ffmpeg
@pytest.mark.scenario("recordings", "File without audio is a verdict")
@pytest.mark.parametrize(
    "content", [b"", b"junk " * 500, b"RIFF", b"#EXTM3U\nfile:///etc/hostname\n", "video"]
)
def test_a_file_without_audio_is_a_verdict(
    studio: Studio, tmp_path: Path, content: bytes | str
) -> None:
    if isinstance(content, str):
        options = (
            "-f",
            "lavfi",
            "-i",
            "color=size=64x64:duration=1",
            "-map",
            "1:v",
            "-c:v",
            "mpeg4",
        )
        content = encoded(tmp_path, "x.mp4", *options)
    row = outcome(studio, content, "mp4")
    assert (row.stage, row.stop_reason) == ("uploaded", "verdict")
    assert row.stop_error in {
        "ffprobe can read no audio in the file", "there is no audio in the file",
    }  # fmt: skip


@needs_ffmpeg
@pytest.mark.scenario("recordings", "Playlist names no other file")
@pytest.mark.parametrize("form", ["ffconcat version 1.0\nfile '{}'\n", "#EXTM3U\n#EXTINF:1,\n{}\n"])
def test_a_playlist_names_no_other_file(studio: Studio, tmp_path: Path, form: str) -> None:
    other = tmp_path / "secret.wav"
    tone(other)
    row = outcome(studio, form.format(other).encode(), "txt")
    assert row.stop_reason == "verdict"


@needs_ffmpeg
@pytest.mark.scenario("recordings", "File that breaks off is noticed")
def test_a_file_that_breaks_off_is_noticed(studio: Studio, tmp_path: Path) -> None:
    whole = encoded(tmp_path, "x.oga", "-c:a", "libopus", "-b:a", "24k", seconds=8)
    row = outcome(studio, whole[: len(whole) // 2], "oga", declared_ms=8000)
    assert row.stop_reason == "verdict"
    assert row.stop_error is not None
    assert row.stop_error.startswith("the file breaks off after ")
    assert row.stop_error.endswith(" ms of 8000 ms")
    assert not studio.recordings.places.normalised(row.recording_id).exists()


@needs_ffmpeg
def test_a_container_tells_that_its_end_is_missing(studio: Studio, tmp_path: Path) -> None:
    options = ("-c:a", "aac", "-movflags", "+faststart")
    whole = encoded(tmp_path, "x.m4a", *options, seconds=8)
    row = outcome(studio, whole[: len(whole) // 2], "m4a")
    assert row.stop_reason == "verdict"
    assert "breaks off" in (row.stop_error or "")


def test_a_length_is_compared_with_patience() -> None:
    assert not too_short(28_000, 29_400)
    assert too_short(20_000, 30_000)
    assert not too_short(30_000, 29_000)
    assert not too_short(3_540_000, 3_600_000)
    assert too_short(3_500_000, 3_600_000)


def test_a_length_counts_where_nothing_else_is_in_the_file() -> None:
    told = b'{"streams": [%s], "format": {"duration": "12.5"}}'
    audio, own = b'{"codec_type": "audio"}', b'{"codec_type": "audio", "duration": "3.25"}'
    assert probed(told % audio) == Probe(has_audio=True, duration_ms=12_500)
    assert probed(told % own) == Probe(has_audio=True, duration_ms=3_250)
    both = b'{"codec_type": "video"}, ' + audio
    assert probed(told % both) == Probe(has_audio=True, duration_ms=None)
    assert probed(b'{"streams": [{"codec_type": "audio", "duration": "N/A"}]}').duration_ms is None
    with pytest.raises(Verdict):
        probed(b"[]")


@pytest.mark.scenario("recordings", "Missing ffmpeg is its owner's to put right")
def test_a_missing_ffmpeg_is_a_wrong_setting(studio: Studio) -> None:
    studio.recordings._ffmpeg._ffprobe = "ffprobe-that-is-not-there"
    posted = studio.post()
    assert studio.outcome() == "configuration"
    row = studio.row(posted)
    assert (row.stopped_at_us, row.attempts) == (None, 0)
    assert row.last_error == (
        "ffprobe-that-is-not-there: the program can't be started: No such file or directory"
    )
    assert (
        "The program ffprobe-that-is-not-there can't be found: recordings wait until it is"
        " installed."
    ) in studio.recordings.missing()


@needs_ffmpeg
@pytest.mark.scenario("recordings", "Audio that would fill the disk is not made")
def test_audio_that_would_fill_the_disk_is_not_made(studio: Studio, tmp_path: Path) -> None:
    step = studio.recordings.chain.steps["normalise"]
    step._normaliser._min_free = 2**62  # type: ignore[attr-defined]
    row = outcome(studio, encoded(tmp_path, "x.wav"), "wav")
    assert (row.stage, row.attempts, row.stopped_at_us) == ("uploaded", 1, None)
    assert row.last_error == "there is no room for the audio that is to be made"
    assert list(studio.recordings.places.work.iterdir()) == []


def test_a_file_that_is_gone_is_a_verdict(studio: Studio) -> None:
    posted = studio.post()
    studio.recordings.places.original(posted.recording_id, "m4a").unlink()
    assert studio.outcome() == "verdict"
    assert studio.row(posted).stop_error == "the file of the recording is gone"


# Programs that don't end


def replaced(folder: Path, monkeyed: Ffmpeg) -> Path:
    """ffmpeg replaced by one that leaves a valid file at once, and then goes on for ever."""
    tone(folder / "tone.wav", seconds=0.2)
    told, program = folder / "told", folder / "ffmpeg"
    text = SLOW.replace("$TONE", str(folder / "tone.wav")).replace("$TOLD", str(told))
    program.write_text(text)
    program.chmod(0o700)
    os.mkfifo(told)
    monkeyed._ffmpeg = str(program)
    return told


@needs_ffmpeg
@pytest.mark.scenario("recordings", "Child of a step ends with the service")
def test_a_child_ends_with_the_service(studio: Studio, tmp_path: Path) -> None:
    told = replaced(tmp_path, studio.recordings._ffmpeg)
    posted = studio.post(encoded(tmp_path, "x.wav"), extension="wav")
    outcomes: list[str] = []
    worker = threading.Thread(target=lambda: outcomes.append(studio.outcome()), daemon=True)
    worker.start()
    watched = Watched(number_told(told))
    studio.cancel.ask()
    worker.join(PATIENCE_S)
    assert outcomes == ["interrupted"]
    assert watched.has_ended()
    row = studio.row(posted)
    assert (row.stage, row.attempts, row.claim_until_us) == ("uploaded", 0, None)
    # What was cut was a valid file, and is taken for nothing.
    assert list(studio.recordings.places.work.iterdir()) == []


@pytest.mark.scenario("recordings", "Program that takes too long is ended")
def test_a_program_that_takes_too_long_is_ended(studio: Studio, tmp_path: Path) -> None:
    ffmpeg = studio.recordings._ffmpeg
    replaced(tmp_path, ffmpeg).unlink()
    ffmpeg.probe = lambda source, cancel: Probe(True, None)  # type: ignore[method-assign]
    ffmpeg.timeout_s = 0.3
    posted = studio.post()
    assert studio.outcome() == "retry"
    assert studio.row(posted).last_error == "ffmpeg took longer than 0.3 s"
    assert list(studio.recordings.places.work.iterdir()) == []


def test_a_program_that_fails_by_itself_during_the_stop_has_failed() -> None:
    cancel = Cancel()

    class Late(Cancel):
        def check(self) -> None:
            """The stop is asked for while the program is under way."""

    late = Late()
    finished = run(["sh", "-c", "exit 3"], timeout_s=PATIENCE_S, cancel=late)
    late.ask()
    assert finished.status == 3
    with pytest.raises(Cancelled):
        run(["sleep", "60"], timeout_s=PATIENCE_S, cancel=late)
    cancel.ask()
    with pytest.raises(Cancelled):
        run(["true"], timeout_s=PATIENCE_S, cancel=cancel)


def test_what_a_program_prints_is_bounded() -> None:
    finished = run(
        ["sh", "-c", "head -c 3000000 /dev/zero; echo said >&2; exit 1"],
        timeout_s=PATIENCE_S, cancel=NO_CANCEL,
    )  # fmt: skip
    assert len(finished.out) == 256 * 1024
    assert (finished.status, finished.errors) == (1, b"said\n")


def test_a_program_has_no_input_and_no_terminal() -> None:
    finished = run(["sh", "-c", "cat; ps -o sid= -p $$"], timeout_s=PATIENCE_S, cancel=NO_CANCEL)
    assert int(finished.out) != os.getsid(0)
    with pytest.raises(Configuration, match="nothing-of-that-name"):
        run(["nothing-of-that-name"], timeout_s=1, cancel=NO_CANCEL)


@needs_ffmpeg
@pytest.mark.parametrize(
    ("printed", "error"),
    [("No space left on device", Retry), ("Conversion failed!", Retry),
     ("x: Invalid data found when processing input", Verdict)],
)  # fmt: skip
def test_what_ffmpeg_complains_of_is_told_apart(
    tmp_path: Path, printed: str, error: type[Exception]
) -> None:
    program = tmp_path / "ffmpeg"
    program.write_text(f"#!/bin/sh\necho '{printed}: a name of somebody' >&2\nexit 1\n")
    program.chmod(0o700)
    ffmpeg = Ffmpeg(20, ffmpeg=str(program))
    with pytest.raises(error) as raised:
        ffmpeg.to_wav(tmp_path / "x", tmp_path / "y", NO_CANCEL)
    assert "somebody" not in str(raised.value)


@needs_ffmpeg
def test_tags_stay_in_the_original(studio: Studio, tmp_path: Path) -> None:
    content = encoded(tmp_path, "x.m4a", "-c:a", "aac", "-metadata", "artist=Ann Example")
    assert b"Ann Example" in content
    row = outcome(studio, content, "m4a")
    assert b"Ann" not in studio.recordings.places.normalised(row.recording_id).read_bytes()


@needs_ffmpeg
def test_opus_for_recognisers_with_little_room(tmp_path: Path) -> None:
    tone(tmp_path / "tone.wav", seconds=10)
    Ffmpeg(20).to_opus(tmp_path / "tone.wav", tmp_path / "x.part", NO_CANCEL)
    made = (tmp_path / "x.part").read_bytes()
    assert made.startswith(b"OggS")
    assert len(made) < 60_000


# Levels


def test_a_whisper_is_no_silence(tmp_path: Path) -> None:
    for height, silent in ((0, True), (20, True), (60, False), (30_000, False)):
        tone(tmp_path / "x.wav", seconds=0.5, height=height)
        assert sound(tmp_path / "x.wav") == Sound(500, silent)


def test_a_constant_is_silence_and_a_click_at_the_end_is_none(tmp_path: Path) -> None:
    tone(tmp_path / "x.wav", seconds=1, height=0)
    content = (tmp_path / "x.wav").read_bytes()
    (tmp_path / "constant.wav").write_bytes(content[:44] + b"\x00\x10" * 16_000)
    assert sound(tmp_path / "constant.wav").silent
    (tmp_path / "click.wav").write_bytes(content[:-800] + b"\xff\x7f\x00\x80" * 200)
    assert not sound(tmp_path / "click.wav").silent


def test_something_else_is_no_sound(tmp_path: Path) -> None:
    for content in (b"", b"RIFF", b"junk" * 20):
        (tmp_path / "x.wav").write_bytes(content)
        with pytest.raises(NoSound):
            sound(tmp_path / "x.wav")


def test_what_an_earlier_run_left_half_made_is_removed(studio: Studio) -> None:
    places = studio.recordings.places
    places.work.mkdir(parents=True)
    (places.work / "0123456789abcdef.part").write_bytes(b"half")
    Normaliser(places, Ffmpeg(1)).sweep()
    assert list(places.work.glob("*.part")) == []
