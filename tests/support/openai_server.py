"""A server that speaks OpenAI's HTTP for transcriptions, strict about what it is sent.

Shapes of answers and errors are those recorded of OpenAI, whisper.cpp's server and Speaches.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from email.parser import BytesParser
from email.policy import HTTP
from pathlib import Path
from typing import Any

from tests.support.far import Asked, Far, Said

KEY = "sk-of-the-tests-0123456789"
MODELS = ("whisper-1", "gpt-4o-transcribe", "gpt-4o-transcribe-diarize")
PATH = "/v1/audio/transcriptions"
HEARD: dict[str, Any] = {
    "task": "transcribe",
    "language": "english",
    "duration": 2.0,
    "text": "the quick brown fox is called gustav",
    "segments": [
        {"id": 0, "start": 0.0, "end": 1.2, "text": " the quick brown fox", "avg_logprob": -0.1},
        {"id": 1, "start": 1.2, "end": 2.0, "text": " is called gustav", "avg_logprob": -0.3},
    ],
}


def as_json(status: int, told: object, **headers: str) -> Said:
    """An answer in JSON."""
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    return Said(status, json.dumps(told).encode(), {"Content-Type": "application/json", **fields})


def error(status: int, message: str, code: str | None = None, **more: str) -> Said:
    """An error as OpenAI words it."""
    kind = "invalid_request_error"
    param = more.pop("param", None)
    told = {"error": {"message": message, "type": kind, "param": param, "code": code}}
    return as_json(status, told, **more)


class OpenAiServer:
    """`far` has what it was asked, and may be told to fail. `key` None: it needs none. `heard` is
    what it hears in anything; `fields` what it was sent last, the file as `file`."""

    def __init__(self, key: str | None = KEY, path: str = PATH) -> None:
        self.key = key
        self.path = path
        self.heard = HEARD
        self.fields: dict[str, Any] = {}
        self.models: tuple[str, ...] | None = MODELS
        self.far = Far(self._answer)

    @property
    def url(self) -> str:
        return self.far.url

    @property
    def calls(self) -> int:
        return len(self.far.asked)

    def _answer(self, asked: Asked) -> Said:
        if asked.path != self.path or asked.method != "POST":
            return Said(404, b"File Not Found", {"Content-Type": "text/plain"})
        if self.key is not None and asked.headers.get("authorization") != f"Bearer {self.key}":
            return error(401, "Incorrect API key provided", "invalid_api_key")
        self.fields = fields_of(asked)
        if not isinstance(self.fields.get("file"), bytes) or not self.fields["file"]:
            told = [{"type": "missing", "loc": ["body", "file"], "msg": "Field required"}]
            return as_json(422, {"detail": told})
        model = self.fields.get("model")
        if self.models is not None and model not in self.models:
            return error(404, f"The model `{model}` does not exist", "model_not_found")
        if self.fields["file"][:4] not in {b"RIFF", b"OggS"}:
            return error(400, "Invalid file format.", param="file")
        form = self.fields.get("response_format")
        if str(model).startswith("gpt-") and form == "verbose_json":
            message = "response_format 'verbose_json' is not compatible with this model"
            return error(400, message, "unsupported_value", param="response_format")
        if form == "json":
            return as_json(200, {"text": self.heard["text"], "usage": {"type": "duration"}})
        return as_json(200, self.heard)


def fields_of(asked: Asked) -> dict[str, Any]:
    """The fields of a form, read by another parser than ours; the file's name as `filename`."""
    head = f"Content-Type: {asked.headers['content-type']}\r\n\r\n".encode()
    message = BytesParser(policy=HTTP).parsebytes(head + asked.body)
    assert message.is_multipart(), message.defects
    assert not message.defects
    found: dict[str, Any] = {}
    for part in message.iter_parts():
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        assert isinstance(content, bytes)
        if part.get_filename() is None:
            found[str(name)] = content.decode()
        else:
            found[str(name)] = content
            found["filename"], found["media_type"] = part.get_filename(), part.get_content_type()
    return found


@contextmanager
def openai_server(key: str | None = KEY, path: str = PATH) -> Iterator[OpenAiServer]:
    """A server, gone at the end of the block."""
    server = OpenAiServer(key, path)
    try:
        yield server
    finally:
        server.far.close()


CERTIFICATE = Path(__file__).parent.parent / "data" / "tls" / "one.cert.pem"
