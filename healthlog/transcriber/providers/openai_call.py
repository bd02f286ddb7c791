"""The process that sends one recording to an OpenAI-compatible server, then keeps what it answers.

It is the runner of that recogniser's operations: see `runner`. The key comes in its environment and
is taken out of there at once; it stands in no file and in no list of processes.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from healthlog.base import files
from healthlog.base.clock import Clock, SystemClock
from healthlog.transcriber.providers import runner
from healthlog.transcriber.providers.calls import (
    Answer,
    Call,
    Unanswered,
    Unsent,
    Untrusted,
    ask,
)
from healthlog.transcriber.providers.form import Form
from healthlog.transcriber.providers.runner import CONFIGURATION, DONE, RETRY, VERDICT

KEY = "RECOGNISER_KEY"
"""The variable by which the key comes. Not one of the service's own: those stop an unknown one."""

HEARD = "heard.json"

URL, KEY_SETTING = "recordings_openai_url", "recordings_openai_key"
MODEL, LANGUAGE = "recordings_openai_model", "recordings_language"

_SLOWEST_BYTES_S = 16 * 1024
_LEAST_SEND_S = 120.0
_QUOTA = "insufficient_quota"

Result = dict[str, object]


def call(folder: Path, request: dict[str, Any], key: str, clock: Clock) -> Result:
    """Sends the file `audio` with the fields `fields` to `url`; the answer has `answer_s` to come.
    What is in it is written down in the folder, and read by whoever polls."""
    fields = [(name, value) for name, value in request["fields"]]
    path = Path(request["audio"])
    form = Form.of(fields, path, name=f"audio{path.suffix}", media_type=request["media_type"])
    try:
        length = form.length
    except OSError:
        return _told(RETRY, "the audio for the recogniser is gone")
    headers = {"Content-Type": form.content_type, "Accept": "application/json"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    send_s = max(_LEAST_SEND_S, length / _SLOWEST_BYTES_S)
    answer_s = float(request["answer_s"])
    wanted = Call(
        "POST",
        request["url"],
        headers,
        whole_s=send_s + answer_s,
        answer_s=answer_s,
        body=form.pieces,
        length=length,
    )
    try:
        answer = ask(wanted)
    except Untrusted as error:
        return _told(CONFIGURATION, f"the recogniser: {error}", setting=URL)
    except Unsent as error:
        return _told(RETRY, f"the recogniser: {error}")
    except Unanswered as error:
        return _told(RETRY, f"the recogniser: {error}", charged=True)
    return result_of(answer, folder, clock.now_us())


def result_of(answer: Answer, folder: Path, now_us: int) -> Result:
    """What an answer means: by its status, and where that isn't enough by what servers are known to
    say. None of their words is kept."""
    if 200 <= answer.status < 300:
        return _heard(answer, folder)
    said = answer.content[:4096].decode("utf-8", "replace")
    message = f"the recogniser answered {answer.status}"
    if answer.status in {401, 402, 403} or (answer.status == 429 and _QUOTA in said):
        return _told(CONFIGURATION, message, setting=KEY_SETTING)
    if answer.status in {408, 425, 429} or answer.status >= 500:
        return _told(RETRY, message, retry_after_s=answer.retry_after_s(now_us))
    if answer.status == 404:
        setting = MODEL if "model" in said.lower() else URL
        return _told(CONFIGURATION, message, setting=setting)
    if answer.status < 400 or answer.status in {405, 406, 411, 421, 426}:
        return _told(CONFIGURATION, message, setting=URL)
    wrong = _wrong_parameter(said)
    if wrong is not None:
        return _told(CONFIGURATION, message, setting=wrong)
    too_large = ": the audio is too large for it" if answer.status == 413 else ""
    return _told(VERDICT, message + too_large)


def _heard(answer: Answer, folder: Path) -> Result:
    try:
        told = json.loads(answer.content)
    except (ValueError, RecursionError):
        told = None
    if isinstance(told, dict) and isinstance(told.get("text"), str):
        files.write_whole(folder / HEARD, answer.content)
        return _told(DONE, "")
    if "html" in answer.headers.get("content-type", ""):
        return _told(CONFIGURATION, "what answers there is no recogniser", setting=URL)
    return _told(RETRY, "the recogniser's answer is no transcript", charged=True)


def _wrong_parameter(said: str) -> str | None:
    """The setting that a 400 or 422 is about: `error.param` of OpenAI, `detail[].loc` of others.
    None where it is the audio, or isn't told."""
    settings = {"model": MODEL, "language": LANGUAGE, "response_format": MODEL}
    try:
        told = json.loads(said)
    except (ValueError, RecursionError):
        return None
    detail = told.get("detail") if isinstance(told, dict) else None
    error = told.get("error") if isinstance(told, dict) else None
    if isinstance(detail, dict):
        error = detail.get("error")
    names = [error.get("param")] if isinstance(error, dict) else []
    for one in detail if isinstance(detail, list) else []:
        place = one.get("loc") if isinstance(one, dict) else None
        names += place if isinstance(place, list) else []
    known = (settings[name] for name in names if isinstance(name, str) and name in settings)
    return next(known, None)


def _told(outcome: str, message: str, **more: object) -> Result:
    return {"outcome": outcome, "message": message, **more}


def main(arguments: list[str]) -> int:
    """Carry out the operation whose folder is the first argument."""
    key, clock = os.environ.pop(KEY, ""), SystemClock()
    return runner.live(arguments, lambda folder, request: call(folder, request, key, clock))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
