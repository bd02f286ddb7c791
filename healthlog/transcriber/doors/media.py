"""Whether a file that comes in is audio or video: by what it is called, then by how it begins.

Senders that can't tell say `application/octet-stream`, or nothing; then its first bytes decide.
Whether anything can be heard in it is found out later, by the program that reads it whole.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from healthlog.transcriber.places import extension_of

FIRST_BYTES = 512
"""So many of them are enough."""

_TYPE = re.compile(r"(audio|video)/[a-z0-9][a-z0-9!#$&^_.+-]{0,60}", re.ASCII)
# The last is what curl calls everything.
_UNSAID = frozenset(
    (
        *("", "application/octet-stream", "binary/octet-stream", "application/ogg"),
        *("application/mp4", "application/x-www-form-urlencoded"),
    )
)

_EXTENSIONS = {
    "audio/3gpp": "3gp",
    "audio/aac": "aac",
    "audio/aiff": "aiff",
    "audio/amr": "amr",
    "audio/flac": "flac",
    "audio/mp4": "m4a",
    "audio/mpeg": "mp3",
    "audio/ogg": "oga",
    "audio/opus": "opus",
    "audio/vnd.wave": "wav",
    "audio/wav": "wav",
    "audio/wave": "wav",
    "audio/webm": "webm",
    "audio/x-aiff": "aiff",
    "audio/x-caf": "caf",
    "audio/x-flac": "flac",
    "audio/x-m4a": "m4a",
    "audio/x-wav": "wav",
    "video/3gpp": "3gp",
    "video/mp4": "mp4",
    "video/quicktime": "mov",
    "video/webm": "webm",
    "video/x-matroska": "mkv",
}

_BEGINNINGS: tuple[tuple[bytes, str, str], ...] = (
    (b"OggS", "audio/ogg", "oga"),
    (b"fLaC", "audio/flac", "flac"),
    (b"ID3", "audio/mpeg", "mp3"),
    (b"#!AMR", "audio/amr", "amr"),
    (b"caff", "audio/x-caf", "caf"),
    (b"wvpk", "audio/x-wavpack", "wv"),
    (b".snd", "audio/basic", "au"),
    (b"FLV\x01", "video/x-flv", "flv"),
    (b"\x00\x00\x01\xba", "video/mpeg", "mpg"),
    (b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "video/x-ms-asf", "asf"),
)
_INSIDE = {
    b"WAVE": ("audio/wav", "wav"),
    b"AVI ": ("video/x-msvideo", "avi"),
    b"AIFF": ("audio/aiff", "aiff"),
    b"AIFC": ("audio/aiff", "aiff"),
}
# Pictures, documents, archives, pages, what programs say to each other.
_OTHERS = (
    *(b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"%PDF", b"PK\x03\x04", b"\x1f\x8b", b"bplist"),
    *(b"<", b"{", b"["),
)
_EBML, _TRANSPORT_STREAM = b"\x1a\x45\xdf\xa3", 0x47
_PACKET_BYTES = 188


@dataclass(frozen=True, slots=True)
class Media:
    """A type that is audio or video, with an ending for the file's name."""

    content_type: str
    extension: str


def media_of(content_type: str | None, name: str | None, first: bytes) -> Media | None:
    """What a file is by its Content-Type, its name, its first bytes (FIRST_BYTES of them if there
    are so many); None for what is neither audio nor video."""
    said = (content_type or "").partition(";")[0].strip().lower()
    seen = sniffed(first)
    if _TYPE.fullmatch(said) is not None:
        if seen is None and first.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(_OTHERS):
            return None
        extension = _EXTENSIONS.get(said) or (seen.extension if seen else extension_of(name or ""))
        return Media(said, extension)
    if said in _UNSAID:
        return seen
    return None


def type_of(extension: str) -> str | None:
    """The usual type of files of that ending; None for one that isn't known."""
    return next((kind for kind, usual in _EXTENSIONS.items() if usual == extension), None)


def sniffed(first: bytes) -> Media | None:
    """What the first bytes of a file say; None when they don't say that it is audio or video."""
    for beginning, content_type, extension in _BEGINNINGS:
        if first.startswith(beginning):
            return Media(content_type, extension)
    if first[:4] in {b"RIFF", b"RF64", b"BW64", b"FORM"} and first[8:12] in _INSIDE:
        return Media(*_INSIDE[first[8:12]])
    if first[4:8] == b"ftyp":
        return _of_brand(first[8:12])
    if first.startswith(_EBML):
        return _of_doctype(first)
    if _is_transport_stream(first):
        return Media("video/mp2t", "ts")
    return _of_frame(first)


def _of_brand(brand: bytes) -> Media:
    """ISO base media files, by their major brand (https://mp4ra.org/registered-types/brands)."""
    if brand[:3] in {b"M4A", b"M4B", b"M4P"}:
        return Media("audio/mp4", "m4a")
    if brand[:3] in {b"3gp", b"3g2"}:
        return Media("video/3gpp", "3gp")
    if brand == b"qt  ":
        return Media("video/quicktime", "mov")
    return Media("video/mp4", "mp4")


def _of_doctype(first: bytes) -> Media:
    if b"webm" in first[:64]:
        return Media("video/webm", "webm")
    return Media("video/x-matroska", "mkv")


def _is_transport_stream(first: bytes) -> bool:
    packets = first[: 2 * _PACKET_BYTES + 1 : _PACKET_BYTES]
    return len(packets) == 3 and all(byte == _TRANSPORT_STREAM for byte in packets)


def _of_frame(first: bytes) -> Media | None:
    """MPEG audio without a tag, AAC in ADTS: by the fields of a frame's header, all in range."""
    if len(first) < 4 or first[0] != 0xFF or first[1] & 0xE0 != 0xE0:
        return None
    version, layer = first[1] >> 3 & 3, first[1] >> 1 & 3
    if first[1] & 0xF6 == 0xF0:
        return Media("audio/aac", "aac") if first[2] >> 2 & 15 < 13 else None
    bitrate, rate = first[2] >> 4, first[2] >> 2 & 3
    if version != 1 and layer in {1, 2} and bitrate not in {0, 15} and rate != 3:
        return Media("audio/mpeg", "mp3")
    return None
