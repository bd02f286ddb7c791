"""What SpeechKit's errors mean: statuses of HTTP, numbers of gRPC
(https://grpc.io/docs/guides/status-codes/), and words where a number says too little."""

from __future__ import annotations

import json

from healthlog.transcriber.failures import Configuration, Ended, Retry, Verdict
from healthlog.transcriber.providers.calls import Answer

KEY, FOLDER = "recordings_yandex_key", "recordings_yandex_folder"
MODEL, URL = "recordings_yandex_model", "recordings_yandex_url"
LANGUAGE = "recordings_language"

_INVALID_ARGUMENT, _NOT_FOUND, _PERMISSION_DENIED, _UNAUTHENTICATED = 3, 5, 7, 16

_SETTINGS = (("folder", FOLDER), ("model", MODEL), ("language", LANGUAGE))


def failure(answer: Answer, now_us: int) -> Exception:
    """The error that an answer of another status than 200 stands for."""
    status = answer.status
    message = f"SpeechKit answered {status}"
    said = _message(answer)
    if status in {401, 403}:
        return Configuration(FOLDER if "folder" in said else KEY, message)
    if status == 400:
        return _of_input(said, message)
    if status in {413, 415, 422}:
        return Verdict(message)
    if 300 <= status < 400:
        return Configuration(URL, message)
    # A limit, a fault on the way, or what nobody foresaw: attempts have an end of their own.
    return Retry(message, retry_after_s=answer.retry_after_s(now_us))


def stream_failure(code: int | None, said: str, *, over: bool) -> Exception:
    """The error that one in an operation (`over`: it has ended by it) or a result stands for."""
    message = f"SpeechKit's code {code}" if code is not None else "an error of SpeechKit"
    if code == _INVALID_ARGUMENT:
        found = _of_input(said.lower(), message)
        return Ended(found) if isinstance(found, Configuration) and over else found
    if code in {_PERMISSION_DENIED, _UNAUTHENTICATED}:
        wrong = Configuration(KEY, message)
        return Ended(wrong) if over else wrong
    if over:
        return Ended(Retry(message))
    if code == _NOT_FOUND:
        return Ended(Retry("SpeechKit has no result any more: it keeps one three days"),
                     charged=True)  # fmt: skip
    return Retry(message)


def _of_input(said: str, message: str) -> Configuration | Verdict:
    """It won't have what it was given: a setting where it names one, else the audio."""
    for word, setting in _SETTINGS:
        if word in said:
            return Configuration(setting, message)
    return Verdict(message)


def _message(answer: Answer) -> str:
    """Its words, to look for others in them; they are kept nowhere."""
    try:
        told = json.loads(answer.content[:8192])
    except (ValueError, RecursionError):
        return ""
    return str(told.get("message", "")).lower() if isinstance(told, dict) else ""
