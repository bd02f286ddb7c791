"""What counts as audio or video at the door."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from healthlog.transcriber.doors.media import Media, media_of, sniffed
from tests.support.installed import needs_ffmpeg
from tests.support.patience import PATIENCE_S
from tests.support.spoken import M4A
from tests.support.studio import tone

OCTETS = "application/octet-stream"


@pytest.mark.parametrize(
    ("kind", "name", "extension"),
    [
        ("audio/x-m4a", None, "m4a"),
        ("audio/mp4; codecs=mp4a", None, "m4a"),
        ("AUDIO/MPEG", None, "mp3"),
        ("audio/webm;codecs=opus", "blob", "webm"),
        ("video/quicktime", None, "mov"),
        ("audio/vnd.strange", "memo.qcp", "qcp"),
        ("audio/vnd.strange", None, "bin"),
    ],
)
def test_a_type_of_audio_or_video_is_believed(kind: str, name: str | None, extension: str) -> None:
    found = media_of(kind, name, b"\x00" * 512)
    assert found == Media(kind.partition(";")[0].lower(), extension)


@pytest.mark.parametrize(
    "first",
    [b"\x89PNG\r\n", b"%PDF-1.4", b"PK\x03\x04", b"<!doctype html>", b"\xef\xbb\xbf {}",
     b"\xff\xd8\xff\xe0", b"\x1f\x8b\x08"],
)  # fmt: skip
def test_something_else_under_such_a_type_is_seen(first: bytes) -> None:
    assert media_of("audio/mpeg", None, first) is None
    assert media_of(OCTETS, None, first) is None


@pytest.mark.parametrize("kind", ["text/plain", "application/json", "image/heic", "application/zip",
                                  "audio", "audio/", "audio/ö", "multipart/mixed"])  # fmt: skip
def test_another_type_is_believed_too(kind: str) -> None:
    assert media_of(kind, "note.m4a", M4A) is None


@pytest.mark.parametrize("kind", [None, "", OCTETS, "application/x-www-form-urlencoded"])
def test_who_can_not_tell_is_looked_at(kind: str | None) -> None:
    assert media_of(kind, None, M4A) == Media("audio/mp4", "m4a")
    assert media_of(kind, "note.m4a", b"hello, this is a text") is None
    assert media_of(kind, "note.m4a", b"") is None


@pytest.mark.parametrize(
    ("first", "found"),
    [
        (b"....ftypM4B ", Media("audio/mp4", "m4a")),
        (b"....ftypisom", Media("video/mp4", "mp4")),
        (b"....ftypqt  ", Media("video/quicktime", "mov")),
        (b"....ftyp3gp5", Media("video/3gpp", "3gp")),
        (b"RIFF....WAVEfmt ", Media("audio/wav", "wav")),
        (b"RF64....WAVE", Media("audio/wav", "wav")),
        (b"RIFF....AVI ", Media("video/x-msvideo", "avi")),
        (b"RIFF....WEBP", None),
        (b"FORM....AIFF", Media("audio/aiff", "aiff")),
        (b"OggS", Media("audio/ogg", "oga")),
        (b"ID3\x04", Media("audio/mpeg", "mp3")),
        (b"\xff\xfb\x90\x64", Media("audio/mpeg", "mp3")),
        (b"\xff\xf3\x84\x64", Media("audio/mpeg", "mp3")),
        (b"\xff\xf1\x50\x80", Media("audio/aac", "aac")),
        (b"\xff\xfeh\x00i\x00", None),  # UTF-16
        (b"\xff\xd8\xff\xe0", None),  # JPEG
        (b"\xff\xff\xff\xff", None),
        (b"\xff\xfb", None),
        (b"\x1a\x45\xdf\xa3....B\x82\x84webm", Media("video/webm", "webm")),
        (b"\x1a\x45\xdf\xa3....B\x82\x88matroska", Media("video/x-matroska", "mkv")),
        ((b"G" + bytes(187)) * 3, Media("video/mp2t", "ts")),
        (b"Good morning, doctor. " * 20, None),
        (b"#!AMR\n", Media("audio/amr", "amr")),
        (b"caff\x00\x01", Media("audio/x-caf", "caf")),
        (b"", None),
    ],
)
def test_beginnings_are_known(first: bytes, found: Media | None) -> None:
    assert sniffed(first) == found


@needs_ffmpeg
@pytest.mark.parametrize(
    ("name", "options"),
    [("a.m4a", ["-c:a", "aac"]), ("a.mp3", ["-c:a", "libmp3lame", "-id3v2_version", "0"]),
     ("a.oga", ["-c:a", "libopus"]), ("a.flac", []), ("a.aac", []), ("a.webm", []), ("a.aiff", []),
     ("a.caf", []), ("a.mkv", []), ("a.ts", [])],
)  # fmt: skip
def test_files_of_a_real_program_are_known(tmp_path: Path, name: str, options: list[str]) -> None:
    tone(tmp_path / "a.wav", seconds=0.2)
    command = ["ffmpeg", "-nostdin", "-v", "error", "-i", str(tmp_path / "a.wav"), *options]
    subprocess.run([*command, str(tmp_path / name)], check=True, timeout=PATIENCE_S)
    found = sniffed((tmp_path / name).read_bytes()[:512])
    assert found is not None
    assert found.extension == name.partition(".")[2]
