"""Fetching a recording's file: where it lies, then its bytes, never all in memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from healthlog.transcriber.cancel import Cancel
from healthlog.transcriber.telegram import faults
from healthlog.transcriber.telegram.api import Api, Call
from healthlog.transcriber.telegram.faults import Declined, NoFolder, Unanswered
from healthlog.transcriber.telegram.media import Media, natural
from healthlog.transcriber.telegram.settings import Telegram

_PIECE_BYTES = 64 * 1024
_FIND_S, _FIND_LOCAL_S = 120.0, 1800.0
"""The Bot API fetches the file itself before it answers where it lies; a large one takes long."""
_FETCH_S = 1800.0


class TooLarge(Exception):
    """The file is larger than what the Bot API gives out."""


class Gone(Exception):
    """The Bot API says that it has no such file, which may be for now only."""

    def __init__(self) -> None:
        super().__init__("the Bot API does not give the file out")


@dataclass(frozen=True, slots=True)
class Found:
    """Where a file lies. `bytes` None where that wasn't told."""

    path: str = field(repr=False)
    bytes: int | None


class Downloads:
    """Fetches files. Raises TooLarge, Gone, any other of `faults`, Cancelled."""

    def __init__(self, api: Api, settings: Telegram, cancel: Cancel) -> None:
        self._api = api
        self._folder = settings.files
        self._largest = settings.largest_bytes
        self._cancel = cancel

    def find(self, media: Media) -> Found:
        """Asks where the file lies; what is known to be too large isn't asked for."""
        self._check_size(media.bytes)
        timeout_s = _FIND_S if self._folder is None else _FIND_LOCAL_S
        with_id = {"file_id": media.file_id}
        try:
            told = self._api.call(Call("getFile", with_id, timeout_s))
        except Declined as error:
            raise _meant(error) from error
        path = told.get("file_path") if isinstance(told, dict) else None
        if not isinstance(path, str) or not path:
            raise Gone
        size = natural(told.get("file_size"))
        self._check_size(size)
        return Found(path, size)

    def pieces(self, found: Found) -> Iterator[bytes]:
        """The bytes of the file. Unanswered when fewer come than were told."""
        came = 0
        for piece in self._raw(found.path):
            came += len(piece)
            self._check_size(came)
            yield piece
        if found.bytes is not None and came != found.bytes:
            raise Unanswered("fewer bytes of a file came than it has")

    def _check_size(self, size: int | None) -> None:
        if size is not None and size > self._largest:
            raise TooLarge

    def _raw(self, path: str) -> Iterator[bytes]:
        if not path.startswith("/"):
            yield from self._over_http(path)
            return
        with _opened(path, self._folder) as file:
            while piece := file.read(_PIECE_BYTES):
                self._cancel.check()
                yield piece

    def _over_http(self, path: str) -> Iterator[bytes]:
        try:
            with self._api.file(path, _FETCH_S) as answer:
                while piece := answer.read(_PIECE_BYTES):
                    yield piece
        except Declined as error:
            raise _meant(error) from error


def _meant(error: Declined) -> Exception:
    return TooLarge() if error.kind == faults.TOO_BIG else Gone()


def _opened(path: str, folder: Path | None) -> IO[bytes]:
    """A file that the Bot API server has put where it can be read from here. Nothing outside of the
    folder is opened, whatever the server says."""
    if folder is None:
        raise NoFolder(f"{faults.FILES} must name the folder where the Bot API server keeps files")
    real = os.path.realpath(path)
    if not Path(real).is_relative_to(os.path.realpath(folder)):
        raise NoFolder(f"{faults.FILES}: the Bot API server keeps files outside of {folder}")
    try:
        return Path(real).open("rb")
    except OSError as error:
        raise NoFolder(
            f"{faults.FILES}: a file in {folder} can't be read: {error.strerror}"
        ) from None
