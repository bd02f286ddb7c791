"""The recogniser that speaks OpenAI's HTTP: OpenAI itself, Speaches, whisper.cpp's server, others.

It answers a call with the transcript, after any time. So each call is an operation of the spool,
made by a process that outlives this one: a crash of the service throws nothing away.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from urllib.parse import urlsplit

from healthlog.base.clock import Clock
from healthlog.transcriber.cancel import Cancel
from healthlog.transcriber.failures import Configuration, Ended, Retry
from healthlog.transcriber.places import Places
from healthlog.transcriber.providers import openai_call
from healthlog.transcriber.providers.base import Job, NotYet, Parameters
from healthlog.transcriber.providers.heard import NotHeard
from healthlog.transcriber.providers.languages import plain_code
from healthlog.transcriber.providers.openai_heard import transcript_of
from healthlog.transcriber.providers.openai_settings import AUTO, NAME, USUAL_MODEL, OpenAi
from healthlog.transcriber.providers.packed import MEDIA_TYPES, OGG, WAV, Packer
from healthlog.transcriber.providers.spool import Kind, Spool
from healthlog.transcriber.transcript import Transcript

USUAL_PATH = "/v1/audio/transcriptions"

_CALL_TIMEOUT_S = 60.0
_TIMES_ITS_LENGTH = 3
_WAV_MAX_BYTES = 24 * 1024 * 1024
"""OpenAI itself takes 25 MB: what is longer than 13 minutes has to be packed. Servers at home take
any length, but not every one of them can unpack."""


class OpenAiProvider:
    """Implements `Provider` on the spool. It counts as paid where a key is needed."""

    def __init__(
        self, given: OpenAi, *, places: Places, packer: Packer, language: str | None, clock: Clock
    ) -> None:
        self._given = given
        self._packer = packer
        self._language = None if language is None else plain_code(language)
        kind = Kind(
            module=openai_call.__name__,
            environment={openai_call.KEY: given.key},
            paid=self.paid,
            parallel=given.parallel,
        )
        self._spool = Spool(places.calls, places.data, kind, clock)

    @property
    def name(self) -> str:
        return NAME

    @property
    def paid(self) -> bool:
        return bool(self._given.key)

    @property
    def timeout_s(self) -> float:
        """Only the spool is asked, not the server; but the audio may have to be packed first."""
        return _CALL_TIMEOUT_S + self._packer.timeout_s

    @property
    def ask_timeout_s(self) -> float:
        return _CALL_TIMEOUT_S

    @property
    def bounded_by(self) -> str:
        return ""

    def parameters(self) -> Parameters:
        said = {"model": self._given.model, "form": self._given.form}
        return said if self._language is None else {**said, "language": self._language}

    def missing(self) -> tuple[str, ...]:
        if self._given.set_up:
            return ()
        return ("recordings_openai_key is not set: recordings wait until it is.",)

    def submit(self, job: Job, cancel: Cancel) -> str:
        if not self._given.set_up:
            raise Configuration(openai_call.KEY_SETTING, "it is not set")
        form = self._form(job)
        audio = self._packer.packed(job, cancel) if form == OGG else job.audio
        answer_s = max(self._given.timeout_s, _TIMES_ITS_LENGTH * job.duration_ms / 1000)
        request: dict[str, object] = {
            "url": address(self._given.url),
            "audio": str(audio.absolute()),
            "media_type": MEDIA_TYPES[form],
            "fields": list(fields(job.parameters)),
            "answer_s": answer_s,
        }
        return self._spool.begin(job.key, request)

    def find(self, key: str) -> str | None:
        return key if self._spool.holds(key) else None

    def poll(self, operation: str, parameters: Parameters, cancel: Cancel) -> NotYet | Transcript:
        found = self._spool.poll(operation)
        if isinstance(found, NotYet):
            return found
        try:
            told = json.loads((found / openai_call.HEARD).read_bytes())
            return transcript_of(told, parameters.get("language"))
        except (OSError, ValueError, NotHeard):
            # It was read once before it was kept, so the disk is to blame.
            raise Ended(Retry("the recogniser's answer is damaged"), charged=True) from None

    def forget(self, operation: str) -> None:
        self._spool.remove(operation)
        self._packer.remove(operation)

    def stop(self, budget_s: float) -> None:
        self._spool.stop(budget_s)

    def _form(self, job: Job) -> str:
        form = job.parameters.get("form", AUTO)
        if form != AUTO:
            return form
        too_long = job.audio.stat().st_size > _WAV_MAX_BYTES
        return OGG if self._given.is_the_service and too_long else WAV


def address(url: str) -> str:
    """The address of the call: that of the setting where it has a path, else the usual one."""
    bare = url.rstrip("/")
    path = urlsplit(bare).path
    if path in {"", "/v1"}:
        return bare.removesuffix("/v1") + USUAL_PATH
    return bare


def fields(parameters: Parameters) -> Iterator[tuple[str, str]]:
    """The fields of the form beside the file."""
    model = parameters.get("model", USUAL_MODEL)
    yield "model", model
    if "language" in parameters:
        yield "language", parameters["language"]
    if "diarize" in model:
        yield from (("response_format", "diarized_json"), ("chunking_strategy", "auto"))
    elif model.startswith("gpt-"):
        # They give the text alone, and refuse to be asked for more.
        yield "response_format", "json"
    else:
        yield "response_format", "verbose_json"
