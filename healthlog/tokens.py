"""The two tokens: made once, compared without a timing hint, replaced while the service runs."""

from __future__ import annotations

import fcntl
import hashlib
import hmac
import json
import os
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from healthlog.base.errors import Refusal
from healthlog.base.files import write_whole
from healthlog.base.http1 import Headers
from healthlog.setting_kinds import token

INGEST, READ = "ingest", "read"
KINDS = (INGEST, READ)

_BYTES = 32
_FILE_MAX_BYTES = 65_536
_KIND = token()

Stamp = tuple[int, int, int]


class TokensUnusable(Refusal):
    """The file of the tokens can't be used; the message names it, never what stands in it."""


class TokenConfigured(Refusal):
    """The token stands in the configuration, which is not ours to write."""


class Tokens:
    """The tokens in force: those configured, for the others those of the file at `path`.

    What is missing there is made when this is made; TokensUnusable if the file can't be read.
    It may be used by many threads, the file by several processes. A file that changes is read
    anew with the next request; while it is unusable the tokens last read stay in force.
    `compare` is the comparison, in constant time, of two checksums.
    """

    def __init__(
        self,
        path: Path,
        ingest: str | None = None,
        read: str | None = None,
        *,
        compare: Callable[[bytes, bytes], bool] = hmac.compare_digest,
    ) -> None:
        self._path = path
        self._compare = compare
        self._configured = {
            kind: value for kind, value in ((INGEST, ingest), (READ, read)) if value is not None
        }
        self._made_here = [kind for kind in KINDS if kind not in self._configured]
        self._lock = threading.Lock()
        self._stamp: Stamp | None = None
        self._digests: dict[str, bytes] = {}
        self._complete()
        self._load()

    def authorized(self, headers: Headers, scope: str) -> bool:
        """Whether a request may pass: its one credential is the token of the scope. The ingest
        token opens the scope `ingest` alone, the read token every other."""
        self._follow()
        credentials = _credentials(headers)
        # Whoever says two things is not asked which of them was meant.
        if len(credentials) != 1:
            return False
        wanted = self._digests[INGEST if scope == INGEST else READ]
        return self._compare(_digest(credentials.pop()), wanted)

    def shown(self, headers: Headers) -> bool:
        """Whether the request shows any credential of a kind that tokens are."""
        return bool(_credentials(headers))

    def known(self, headers: Headers) -> bool:
        """Whether a token of either kind is among its credentials."""
        shown = [_digest(one) for one in _credentials(headers)]
        return any(self._compare(one, held) for one in shown for held in self._digests.values())

    def is_read(self, said: str) -> bool:
        """Whether that is the read token."""
        self._follow()
        return self._compare(_digest(said), self._digests[READ])

    def seal(self, text: str) -> bytes:
        """A checksum of the text that only the read token in force gives."""
        self._follow()
        return hmac.digest(self._digests[READ], b"session " + text.encode(), "sha256")

    def show(self, kind: str) -> str:
        """The token in force."""
        return {**_read(self._path, self._made_here), **self._configured}[kind]

    def rotate(self, kind: str) -> str:
        """A new token in the place of the old one; TokenConfigured where it is not ours."""
        if kind in self._configured:
            raise TokenConfigured(f"{kind}_token is set in the configuration; change it there")
        with _turn(self._path.parent):
            held = _members(self._path)
            made = held[kind] = _new()
            self._write(held)
        self._load()
        return made

    def _complete(self) -> None:
        """Make the tokens that are not configured, nor in the file yet."""
        if not self._made_here:
            return
        with _turn(self._path.parent):
            held = _members(self._path)
            missing = [kind for kind in self._made_here if kind not in held]
            if missing:
                self._write({**held, **{kind: _new() for kind in missing}})

    def _write(self, held: Mapping[str, object]) -> None:
        write_whole(self._path, json.dumps(held, indent=1).encode() + b"\n", 0o600)

    def _follow(self) -> None:
        """Read the file anew if it is another than the one read last."""
        if not self._made_here or _stamp(self._path) == self._stamp:
            return
        try:
            self._load()
        except TokensUnusable:
            return  # deliveries must not be lost because somebody is half through an edit

    def _load(self) -> None:
        with self._lock:
            # Before the contents: what is written in between is then read again.
            stamp = _stamp(self._path)
            held = {**_read(self._path, self._made_here), **self._configured}
            if held[INGEST] == held[READ]:
                raise TokensUnusable(f"{self._path} needs a token that is not the other one too")
            self._digests = {kind: _digest(value) for kind, value in held.items()}
            self._stamp = stamp


def _read(path: Path, kinds: list[str]) -> dict[str, str]:
    """The tokens of these kinds; TokensUnusable if one isn't there, or is no token."""
    held = _members(path) if kinds else {}
    found: dict[str, str] = {}
    for kind in kinds:
        value = held.get(kind)
        try:
            found[kind] = str(_KIND.read(value if isinstance(value, str) else ""))
        except ValueError:
            raise TokensUnusable(f"{path} holds no usable token called {kind}") from None
    return found


def _members(path: Path) -> dict[str, object]:
    """What the file says, {} where there is none."""
    try:
        with path.open("rb") as file:
            said = json.loads(file.read(_FILE_MAX_BYTES))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise TokensUnusable(f"{path} can't be read: {error.strerror}") from error
    except (ValueError, RecursionError):
        raise TokensUnusable(f"{path} is not the JSON object it should be") from None
    if not isinstance(said, dict):
        raise TokensUnusable(f"{path} is not the JSON object it should be")
    return said


def _stamp(path: Path) -> Stamp | None:
    try:
        told = path.stat()
    except OSError:
        return None
    return (told.st_mtime_ns, told.st_ino, told.st_size)


@contextmanager
def _turn(folder: Path) -> Iterator[None]:
    """Only one at a time changes the file, of all threads and processes: two that start together
    agree on what the first of them made."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise TokensUnusable(f"{folder} can't be opened: {error.strerror}") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _new() -> str:
    return secrets.token_urlsafe(_BYTES)


def _digest(text: str) -> bytes:
    """Of one length whatever the text's, which would show otherwise."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _credentials(headers: Headers) -> set[str]:
    """All tokens that a request shows. Other schemes are not ours: a proxy may have left them."""
    found = set(headers.get_all("X-API-Key"))
    for value in headers.get_all("Authorization"):
        scheme, _, rest = value.partition(" ")
        if scheme.lower() == "bearer":
            found.add(rest.strip(" \t"))
    return found - {""}
