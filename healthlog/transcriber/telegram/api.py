"""The Bot API: methods called by name, with the meaning of their answers.

https://core.telegram.org/bots/api#making-requests. The token stands in every address, so nothing of
one is ever told; what the other side wrote into an error is only looked at.
"""

from __future__ import annotations

import json
import secrets
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from healthlog.base.clock import Clock
from healthlog.base.http_place import place_of
from healthlog.base.runtime import Deadline
from healthlog.transcriber.cancel import Cancel
from healthlog.transcriber.telegram import faults
from healthlog.transcriber.telegram.faults import Fault
from healthlog.transcriber.telegram.settings import Telegram
from healthlog.transcriber.telegram.wire import Answer, Asking, Wire

_LARGEST_ANSWER = 16 * 1024 * 1024
"""Far above the 4 MiB at which the Bot API ends a list of updates."""
_DOWNLOAD_IDLE_S = 30.0
_LONGEST_PAUSE_S = 24 * 3600.0
_JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Call:
    """A method with its parameters; the answer must have come after `timeout_s`. `patient`: it goes
    on while the service begins to stop."""

    method: str
    parameters: Mapping[str, object] = field(repr=False)
    timeout_s: float
    patient: bool = False


class Api:
    """The Bot API for one token. Used by several threads."""

    def __init__(
        self,
        settings: Telegram,
        clock: Clock,
        cancel: Cancel,
        trusted: ssl.SSLContext | None = None,
    ) -> None:
        """`trusted` are certificates instead of those of the system. ValueError when `settings.api`
        is no address."""
        self._token = settings.token or ""
        self._wire = Wire(place_of(settings.api), trusted)
        self._clock = clock
        self._cancel = cancel

    def call(self, call: Call) -> Any:
        """The `result` of the answer. Any of `faults`; Cancelled."""
        body = json.dumps(call.parameters).encode()
        return self._called(call, body, _JSON)

    def send_text_file(self, call: Call, field: str, name: str, text: str) -> Any:
        """The same with a text as a file in one more field (multipart/form-data, RFC 7578)."""
        boundary = secrets.token_hex(16)
        body = _multipart(boundary, call.parameters, field, name, text)
        return self._called(call, body, f"multipart/form-data; boundary={boundary}")

    @contextmanager
    def file(self, path: str, timeout_s: float) -> Iterator[Answer]:
        """The file of that `file_path`, to be read inside the block. Any of `faults`; Cancelled."""
        until = Deadline.after(self._clock, timeout_s)
        at = f"/file/bot{self._token}/{quote(path)}"
        asking = Asking("GET", at, until, self._cancel, idle_s=_DOWNLOAD_IDLE_S)
        with self._wire.ask(asking) as answer:
            if answer.status != 200:
                raise _fault_of_file(answer)
            yield answer

    def _called(self, call: Call, body: bytes, content_type: str) -> Any:
        asking = Asking(
            "POST",
            f"/bot{self._token}/{call.method}",
            Deadline.after(self._clock, call.timeout_s),
            self._cancel,
            body=body,
            headers={"Content-Type": content_type},
            patient=call.patient,
        )
        with self._wire.ask(asking) as answer:
            said = _object(_whole(answer))
            if answer.status == 200 and said is not None and said.get("ok") is True:
                return said.get("result")
            raise fault_of(answer.status, said, answer.header("Retry-After"))


def fault_of(status: int, said: Mapping[str, Any] | None, retry_after: str | None) -> Fault:
    """What an answer means that brings no result. `said` is its JSON object, None where it had
    none: then something in between has answered."""
    if said is not None and isinstance(said.get("error_code"), int):
        status = said["error_code"]
    if status == 429:
        return faults.Overloaded(_pause_s(said, retry_after))
    if status >= 500:
        return faults.ServerFault(status)
    if said is None or said.get("ok") is not False or status < 400:
        return faults.NotTheApi(status)
    return _declined(status, said)


def _declined(status: int, said: Mapping[str, Any]) -> Fault:
    told = str(said.get("description", "")).lower()
    moved = _parameter(said, "migrate_to_chat_id")
    if moved is not None:
        return faults.Moved(int(moved))
    if status == 409:
        return faults.WebhookSet() if "webhook" in told else faults.Conflict()
    # A bot that was logged out of this server answers 400.
    if status in {401, 404, 421} or "logged out" in told:
        return faults.Denied()
    return faults.Declined(status, _kind(told))


def _kind(told: str) -> str:
    if "file is too big" in told:
        return faults.TOO_BIG
    if "file_id" in told or "temporarily unavailable" in told:
        return faults.UNAVAILABLE
    if "thread not found" in told or "topic" in told:
        return faults.NO_THREAD
    return faults.OTHER


def _fault_of_file(answer: Answer) -> Fault:
    said = _object(_whole(answer))
    # An address of a file holds for an hour at least; after that it is 404, with or without JSON.
    if answer.status == 404:
        return faults.Declined(404, faults.UNAVAILABLE)
    return fault_of(answer.status, said, answer.header("Retry-After"))


def _pause_s(said: Mapping[str, Any] | None, header: str | None) -> float:
    """`parameters.retry_after`, else the header, else a second."""
    told = None if said is None else _parameter(said, "retry_after")
    if told is None:
        told = float(header) if header is not None and header.isdecimal() else 1.0
    return min(max(told, 1.0), _LONGEST_PAUSE_S)


def _parameter(said: Mapping[str, Any], name: str) -> float | None:
    found = said.get("parameters")
    value = found.get(name) if isinstance(found, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _whole(answer: Answer) -> bytes:
    pieces, room = [], _LARGEST_ANSWER
    while piece := answer.read(min(room, 64 * 1024) or 1):
        room -= len(piece)
        if room < 0:
            raise faults.NotTheApi(answer.status)
        pieces.append(piece)
    return b"".join(pieces)


def _object(body: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _multipart(
    boundary: str, parameters: Mapping[str, object], field: str, name: str, text: str
) -> bytes:
    lines: list[str] = []
    for key, value in parameters.items():
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        lines += [f"--{boundary}", f'Content-Disposition: form-data; name="{key}"', "", shown]
    disposition = f'Content-Disposition: form-data; name="{field}"; filename="{name}"'
    lines += [f"--{boundary}", disposition, "Content-Type: text/plain; charset=utf-8", "", text]
    return "\r\n".join([*lines, f"--{boundary}--", ""]).encode("utf-8", "replace")
