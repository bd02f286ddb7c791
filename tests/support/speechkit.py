"""SpeechKit v3, asynchronous, as its reference describes it: REST over one address."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.support.far import Asked, Far, Said

KEY = "AQVN-of-the-tests-0123456789"
FOLDER = "b1gofthetests"
MODELS = ("general", "general:rc", "deferred-general")
STREAM_TYPE = {"Content-Type": "application/json"}


def final(text: str, start: int, end: int, index: int, channel: str = "0") -> dict[str, Any]:
    """One stretch of speech as it was heard first."""
    words, at = [], start
    for word in text.split():
        words.append({"text": word, "startTimeMs": str(at), "endTimeMs": str(at + 100)})
        at += 100
    best: dict[str, Any] = {"words": words, "text": text, "confidence": 0}
    best |= {"startTimeMs": str(start), "endTimeMs": str(end)}
    best |= {"languages": [{"languageCode": "ru-RU", "probability": 0.9}]}
    told = {"alternatives": [best], "channelTag": channel}
    cursors = {"receivedDataMs": str(end), "finalTimeMs": str(end), "finalIndex": str(index)}
    uuid = {"uuid": "1b56b0c5", "userRequestId": "f8d"}
    return {
        "result": {
            "sessionUuid": uuid,
            "audioCursors": cursors,
            "responseWallTimeMs": "189",
            "final": told,
            "channelTag": channel,
        }
    }


def refined(text: str, start: int, end: int, index: int, channel: str = "0") -> dict[str, Any]:
    """The same, better written."""
    best = {"text": text, "startTimeMs": str(start), "endTimeMs": str(end)}
    refinement = {"finalIndex": str(index), "normalizedText": {"alternatives": [best]}}
    return {"result": {"finalRefinement": refinement, "channelTag": channel}}


def end_of_utterance(at: int) -> dict[str, Any]:
    return {"result": {"eouUpdate": {"timeMs": str(at)}, "channelTag": "0"}}


HEARD = (
    final("привет это густав", 0, 1200, 0),
    refined("Привет, это Густав.", 0, 1200, 0),
    end_of_utterance(1200),
    final("вторая фраза", 1500, 2400, 1),
    refined("Вторая фраза.", 1500, 2400, 1),
    {"result": {"statusCode": {"codeType": "CLOSED"}}},
)
TEXT = "Привет, это Густав. Вторая фраза."


def stream(events: tuple[dict[str, Any], ...] = HEARD, between: str = "") -> bytes:
    return between.join(json.dumps(one, ensure_ascii=False) for one in events).encode()


def failed(status: int, code: int, message: str, **headers: str) -> Said:
    """An error as the gateway of the API words it."""
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    told = {"code": code, "message": message, "details": []}
    return Said(status, json.dumps(told).encode(), {**STREAM_TYPE, **fields})


@dataclass
class Operation:
    """One recognition; `polls` how often it was asked for."""

    request: dict[str, Any]
    audio: bytes
    polls: int = 0
    deleted: bool = False


@dataclass
class SpeechKit:
    """`done_after`: so many questions find it at work. `error`: what an operation comes to instead.
    `expired`: results are gone. `pieces`: the sizes in which a result is sent."""

    done_after: int = 0
    error: dict[str, Any] | None = None
    expired: bool = False
    forgotten: bool = False
    result: bytes = field(default_factory=stream)
    pieces: tuple[int, ...] = (7,)
    operations: dict[str, Operation] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.far = Far(self._answer)

    @property
    def url(self) -> str:
        return self.far.url

    def paths(self) -> list[str]:
        return [one.path for one in self.far.asked]

    def _answer(self, asked: Asked) -> Said:
        if asked.headers.get("authorization") != f"Api-Key {KEY}":
            return failed(401, 16, "Unknown api key")
        if asked.headers.get("x-folder-id", FOLDER) != FOLDER:
            return failed(403, 7, "Permission to [resource-manager.folder x] denied")
        if (asked.method, asked.path) == ("POST", "/stt/v3/recognizeFileAsync"):
            return self._begun(asked)
        if asked.method == "GET" and asked.path.startswith("/operations/"):
            return self._told(asked.path.removeprefix("/operations/"))
        operation = self.operations.get(asked.query.get("operation_id", [""])[0])
        if (asked.method, asked.path) == ("GET", "/stt/v3/getRecognition"):
            if operation is None or operation.deleted or self.expired:
                return failed(404, 5, "operation data is not found")
            return Said(200, self.result, STREAM_TYPE, pieces=self.pieces)
        if (asked.method, asked.path) == ("DELETE", "/stt/v3/deleteRecognition"):
            if operation is not None:
                operation.deleted = True
            return Said(200, b"{}", STREAM_TYPE)
        return failed(404, 12, "Not Found")

    def _begun(self, asked: Asked) -> Said:
        request = json.loads(asked.body)
        model = request["recognitionModel"]
        if model["model"] not in MODELS:
            return failed(400, 3, "Invalid argument: unknown model")
        audio = base64.b64decode(request["content"], validate=True)
        kind = model["audioFormat"]["containerAudio"]["containerAudioType"]
        if (kind, audio[:4]) != ("OGG_OPUS", b"OggS"):
            return failed(400, 3, "Invalid argument: audio can't be decoded")
        key = f"f8d{len(self.operations):03}"
        self.operations[key] = Operation(request, audio)
        return self._operation(key, done=False)

    def _told(self, key: str) -> Said:
        if key not in self.operations or self.forgotten:
            return failed(404, 5, f"Operation {key} not found")
        self.operations[key].polls += 1
        done = self.operations[key].polls > self.done_after
        return self._operation(key, done=done)

    def _operation(self, key: str, *, done: bool) -> Said:
        told: dict[str, Any] = {
            "id": key,
            "description": "STT v3 async recognition",
            "createdAt": "2026-08-02T08:01:42Z",
            "done": done,
            "metadata": None,
        }
        if done and self.error is not None:
            told["error"] = self.error
        return Said(200, json.dumps(told).encode(), STREAM_TYPE)


@contextmanager
def speechkit(**given: Any) -> Iterator[SpeechKit]:
    """The service, gone at the end of the block."""
    made = SpeechKit(**given)
    try:
        yield made
    finally:
        made.far.close()
