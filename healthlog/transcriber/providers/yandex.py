"""Yandex SpeechKit v3, asynchronous: a recording goes there whole, its text is asked for later.

https://yandex.cloud/en/docs/speechkit/stt-v3/api-ref/AsyncRecognizer. An operation costs money, and
there is no list of them: what isn't known after a broken call, nobody can find out.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlencode

from healthlog.base.clock import Clock
from healthlog.transcriber.cancel import Cancel
from healthlog.transcriber.failures import Ambiguous, Configuration, Ended, Retry, Verdict
from healthlog.transcriber.providers.base import Job, NotYet, Parameters
from healthlog.transcriber.providers.calls import (
    Answer,
    Body,
    Call,
    Unanswered,
    Unsent,
    Untrusted,
    ask,
)
from healthlog.transcriber.providers.packed import Packer
from healthlog.transcriber.providers.yandex_errors import KEY, URL, failure, stream_failure
from healthlog.transcriber.providers.yandex_settings import DEFERRED, NAME, USUAL_MODEL, Yandex
from healthlog.transcriber.providers.yandex_stream import NoStream, Refused, transcript_of
from healthlog.transcriber.transcript import Transcript

_SUBMIT_S = 900.0
_ANSWER_S = 120.0
_ASK_S = 60.0
_FORGET_S = 20.0
_DEFERRED_DELAY_S = 120.0
_MOST_BYTES = 60 * 1000 * 1000
_PIECE_BYTES = 48 * 1024  # of three bytes each: base64 of the pieces is base64 of the whole
_OPERATION = re.compile(r"[A-Za-z0-9._-]{1,200}", re.ASCII)
_AUTO = "auto"
_REGIONS = {"en": "US", "he": "IL", "kk": "KZ", "sv": "SE"}
"""Where the region of a language isn't called as the language."""


class YandexProvider:
    """Implements `Provider`."""

    paid = True
    bounded_by = ""

    def __init__(
        self, given: Yandex, *, packer: Packer, language: str | None, clock: Clock
    ) -> None:
        self._given = given
        self._packer = packer
        self._language = language_of(language)
        self._clock = clock

    @property
    def name(self) -> str:
        return NAME

    @property
    def timeout_s(self) -> float:
        return self._packer.timeout_s + _SUBMIT_S

    @property
    def ask_timeout_s(self) -> float:
        """Two questions: how it stands, then for the text."""
        return 2 * _ASK_S

    def parameters(self) -> Parameters:
        return {"model": self._given.model, "language": self._language}

    def missing(self) -> tuple[str, ...]:
        if self._given.set_up:
            return ()
        return ("recordings_yandex_key is not set: recordings wait until it is.",)

    def submit(self, job: Job, cancel: Cancel) -> str:
        if not self._given.set_up:
            raise Configuration(KEY, "it is not set")
        audio = self._packer.packed(job, cancel)
        try:
            return self._begun(audio, job.parameters, cancel)
        finally:
            self._packer.remove(job.key)

    def find(self, key: str) -> str | None:
        raise Ambiguous("SpeechKit keeps no list of its operations")

    def poll(self, operation: str, parameters: Parameters, cancel: Cancel) -> NotYet | Transcript:
        if _OPERATION.fullmatch(operation) is None:
            raise Ended(Retry("the operation's id is damaged"), charged=True)
        told = self._operation(operation, cancel)
        if told.get("error"):
            raise self._failed(told["error"])
        if told.get("done") is not True:
            deferred = parameters.get("model", "").startswith(DEFERRED)
            return NotYet(_DEFERRED_DELAY_S if deferred else None)
        return self._recognition(operation, parameters, cancel)

    def forget(self, operation: str) -> None:
        if self._given.set_up and _OPERATION.fullmatch(operation) is not None:
            url = self._about(operation, "deleteRecognition")
            ask(self._call("DELETE", url, _FORGET_S))

    def stop(self, budget_s: float) -> None:
        """Nothing of it is on this machine."""

    # ---- its calls

    def _begun(self, audio: Path, parameters: Parameters, cancel: Cancel) -> str:
        before, after = _around(parameters)
        length = len(before) + 4 * -(-audio.stat().st_size // 3) + len(after)
        if length > _MOST_BYTES:
            raise Verdict("the recording is longer than SpeechKit takes in one piece")
        url = f"{self._given.url}/stt/v3/recognizeFileAsync"
        call = self._call("POST", url, _SUBMIT_S, lambda: _pieces(before, audio, after), length)
        try:
            answer = ask(call, cancel, patient=True)
        except Untrusted as error:
            raise Configuration(URL, str(error)) from None
        except Unsent as error:
            raise Retry(f"SpeechKit: {error}") from None
        except Unanswered as error:
            raise Ambiguous(f"SpeechKit: {error}") from None
        if answer.status != 200:
            raise failure(answer, self._clock.now_us())
        operation = _object(answer).get("id")
        if not isinstance(operation, str) or _OPERATION.fullmatch(operation) is None:
            raise Ambiguous("SpeechKit took the recording but told no operation")
        return operation

    def _operation(self, operation: str, cancel: Cancel) -> Mapping[str, object]:
        url = f"{self._given.operations_url}/operations/{operation}"
        answer = self._asked(url, cancel)
        if answer.status == 404:
            raise Ended(Retry("SpeechKit doesn't know the operation any more"), charged=True)
        if answer.status != 200:
            raise failure(answer, self._clock.now_us())
        return _object(answer)

    def _failed(self, error: object) -> Exception:
        """Of an operation that has come to nothing: then nothing was recognised, nor charged."""
        code = error.get("code") if isinstance(error, Mapping) else None
        return stream_failure(code if isinstance(code, int) else None, str(error), over=True)

    def _recognition(self, operation: str, parameters: Parameters, cancel: Cancel) -> Transcript:
        answer = self._asked(self._about(operation, "getRecognition"), cancel)
        if answer.status == 404:
            raise Ended(Retry("SpeechKit has no result any more: it keeps one three days"),
                        charged=True)  # fmt: skip
        if answer.status != 200:
            raise failure(answer, self._clock.now_us())
        asked = parameters.get("language")
        try:
            return transcript_of(answer.content, None if asked == _AUTO else asked)
        except NoStream as error:
            raise Retry(f"SpeechKit's answer is {error}") from None
        except Refused as refused:
            raise stream_failure(refused.code, refused.message, over=False) from None

    def _asked(self, url: str, cancel: Cancel) -> Answer:
        try:
            return ask(self._call("GET", url, _ASK_S), cancel)
        except Untrusted as error:
            raise Configuration(URL, str(error)) from None
        except (Unsent, Unanswered) as error:
            raise Retry(f"SpeechKit: {error}") from None

    def _about(self, operation: str, what: str) -> str:
        return f"{self._given.url}/stt/v3/{what}?{urlencode({'operation_id': operation})}"

    def _call(
        self, method: str, url: str, whole_s: float, body: Body | None = None, length: int = 0
    ) -> Call:
        headers = {"Authorization": f"Api-Key {self._given.key}", "Accept": "application/json"}
        if self._given.folder:
            headers["x-folder-id"] = self._given.folder
        if body is not None:
            headers["Content-Type"] = "application/json"
        return Call(
            method,
            url,
            headers,
            whole_s=whole_s,
            answer_s=min(whole_s, _ANSWER_S),
            body=body,
            length=length,
        )


def language_of(language: str | None) -> str:
    """The language as SpeechKit names it: `ru-RU` for `ru`, `auto` for none."""
    if not language:
        return _AUTO
    code, _, region = language.partition("-")
    return f"{code.lower()}-{(region or _REGIONS.get(code.lower(), code)).upper()}"


def _around(parameters: Parameters) -> tuple[bytes, bytes]:
    """What stands before and behind the audio in the request."""
    model = {
        "model": parameters.get("model", USUAL_MODEL),
        "audioFormat": {"containerAudio": {"containerAudioType": "OGG_OPUS"}},
        "textNormalization": {
            "textNormalization": "TEXT_NORMALIZATION_ENABLED",
            "profanityFilter": False,
            "literatureText": True,
        },
        "languageRestriction": {
            "restrictionType": "WHITELIST",
            "languageCode": [parameters.get("language", _AUTO)],
        },
        "audioProcessingType": "FULL_DATA",
    }
    before = json.dumps({"recognitionModel": model})[:-1] + ', "content": "'
    return before.encode(), b'"}'


def _pieces(before: bytes, audio: Path, after: bytes) -> Iterator[bytes]:
    yield before
    with audio.open("rb") as file:
        while piece := file.read(_PIECE_BYTES):
            yield base64.b64encode(piece)
    yield after


def _object(answer: Answer) -> Mapping[str, object]:
    try:
        told = json.loads(answer.content)
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}
