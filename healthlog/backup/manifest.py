"""The manifest of a backup: every file in it with its size, with its checksum.

Lines of JSON: the head, one line a file in the order of their paths, and a last line with how many
there are and the checksum of all that stands before it. It is put in place when everything it names
is durable, so that a folder with a whole manifest is a whole backup.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from healthlog.base import errors
from healthlog.base.clock import parse_us, text_us
from healthlog.base.files import Part

FILE = "manifest.ndjson"
FORMAT = 1
ARCHIVE, AUDIO = "archive/", "audio/"
STATE_FILES = frozenset(("journal.db", "mart.db", "tokens.json", "healthlog.toml"))
"""What may stand in the folder of the state: anything else in a data directory is not of a log."""

_LONGEST_LINE = 64 * 1024
_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)
_STATE = re.compile(r"state-[0-9TZ.]+", re.ASCII)


class NoManifest(errors.Refusal):
    """There is no manifest; the message names where it should be."""


class Spoiled(errors.Refusal):
    """The manifest isn't as it was written; the message names it."""


class MadeByNewer(errors.Refusal):
    """The backup was made by a newer program."""


@dataclass(frozen=True, slots=True)
class Head:
    """When the backup was made, by which program, the folder in it with what changes from one
    backup to the next, and the number of the last migration of each database."""

    made_at_us: int
    version: str
    state: str
    schema: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Entry:
    """A file by its path in the backup, with slashes, its size and its checksum."""

    path: str
    bytes: int
    sha256: str


class Writer:
    """Writes a manifest into a part file. Life: add…, then finish with its place."""

    def __init__(self, part: Part, head: Head) -> None:
        self.files = 0
        self._part = part
        self._digest = hashlib.sha256()
        told = {**asdict(head), "made_at": text_us(head.made_at_us)}
        del told["made_at_us"]
        self._put({"healthlog_backup": FORMAT, **told})

    def add(self, entry: Entry) -> None:
        self.files += 1
        self._put(asdict(entry))

    def finish(self, path: Path) -> None:
        """Puts the manifest in place; durable once the folder is synced."""
        self._part.write(_line({"files": self.files, "sha256": self._digest.hexdigest()}))
        self._part.sync()
        self._part.rename(path)

    def _put(self, member: Mapping[str, object]) -> None:
        line = _line(member)
        self._digest.update(line)
        self._part.write(line)


@dataclass(frozen=True, slots=True)
class Manifest:
    """A manifest that is whole. `identity` is the checksum in its last line."""

    path: Path
    head: Head
    files: int
    identity: str

    def entries(self) -> Iterator[Entry]:
        """The files in the order of their paths, those of the state last."""
        lines = islice(_lines(self.path), 1, self.files + 1)
        return (_entry(self, line) for line in lines)


def opened(path: Path) -> Manifest:
    """The manifest in `path`, read to its end. NoManifest, Spoiled, MadeByNewer."""
    head, files, digest, last = None, 0, hashlib.sha256(), b""
    for line in _lines(path):
        digest.update(last)
        last = line
        if head is None:
            head = _head(path, line)
        else:
            files += 1
    if head is None or last != _line({"files": files - 1, "sha256": digest.hexdigest()}):
        raise Spoiled(f"{path} is damaged: it isn't what was written")
    found = Manifest(path, head, files - 1, digest.hexdigest())
    for _ in found.entries():
        pass  # each is looked at on the way
    return found


def _line(member: Mapping[str, object]) -> bytes:
    return json.dumps(member).encode() + b"\n"


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with errors.naming(), path.open("rb") as file:
            while line := file.readline(_LONGEST_LINE):
                yield line
    except FileNotFoundError:
        raise NoManifest(f"{path} is not there") from None
    except OSError as error:
        raise Spoiled(f"{path} can't be read: {error.strerror}") from error


def _head(path: Path, line: bytes) -> Head:
    try:
        told: dict[str, Any] = json.loads(line)
        number = int(told["healthlog_backup"])
        if number > FORMAT:
            raise MadeByNewer(
                f"{path} was written by healthlog {told.get('version')}, which is newer: use that"
            )
        schema = {str(name): int(last) for name, last in told["schema"].items()}
        if _STATE.fullmatch(told["state"]) is None:
            raise ValueError
        return Head(parse_us(told["made_at"]), str(told["version"]), told["state"], schema)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise Spoiled(f"{path} is damaged: its first line tells of no backup") from None


def _entry(manifest: Manifest, line: bytes) -> Entry:
    """Nothing that stands in a manifest may lead out of the folder it stands in."""
    try:
        told = json.loads(line)
        entry = Entry(told["path"], told["bytes"], told["sha256"])
        state, _, name = entry.path.partition("/")
        is_state = state == manifest.head.state and name in STATE_FILES
        well = (
            (is_state or entry.path.startswith((ARCHIVE, AUDIO)))
            and not {"", ".", ".."} & set(entry.path.split("/"))
            and "\0" not in entry.path
            and type(entry.bytes) is int
            and _SHA256.fullmatch(entry.sha256) is not None
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        well = False
    if not well:
        raise Spoiled(f"{manifest.path} names a file that can't be one of a backup")
    return entry
