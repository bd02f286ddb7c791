"""The recogniser that speaks OpenAI's HTTP: its calls, what becomes of each that fails."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from healthlog.base.clock import SystemClock
from healthlog.transcriber.cancel import Cancel
from healthlog.transcriber.failures import Configuration, Ended, Retry, Verdict
from healthlog.transcriber.ffmpeg import Ffmpeg
from healthlog.transcriber.places import Places
from healthlog.transcriber.providers import openai_call
from healthlog.transcriber.providers.base import Job, NotYet
from healthlog.transcriber.providers.choose import providers
from healthlog.transcriber.providers.openai import OpenAiProvider, address, fields
from healthlog.transcriber.providers.openai_settings import OpenAi
from healthlog.transcriber.providers.packed import Packer
from healthlog.transcriber.settings import CannotWork, Settings
from healthlog.transcriber.transcript import Transcript
from tests.support.clock import FakeClock
from tests.support.far import Far, Said, far
from tests.support.installed import needs_ffmpeg
from tests.support.openai_server import (
    CERTIFICATE,
    KEY,
    OpenAiServer,
    as_json,
    error,
    openai_server,
)
from tests.support.patience import PATIENCE_S, looked_for
from tests.support.studio import SPOKEN, open_studio, tone

Maker = Callable[..., OpenAiProvider]


@pytest.fixture
def server() -> Iterator[OpenAiServer]:
    with openai_server() as made:
        yield made


@pytest.fixture
def provider(data: Path, server: OpenAiServer) -> Iterator[Maker]:
    made: list[OpenAiProvider] = []

    def make(language: str | None = None, **given: Any) -> OpenAiProvider:
        places = Places(data)
        usual = OpenAi(url=server.url, key=KEY, timeout_s=PATIENCE_S)
        one = OpenAiProvider(
            replace(usual, **given),
            places=places,
            packer=Packer(places, Ffmpeg(20.0)),
            language=language,
            clock=SystemClock(),
        )
        made.append(one)
        return one

    yield make
    for one in made:
        one.stop(5.0)


def job_of(provider: OpenAiProvider, data: Path, key: str = "a.1") -> Job:
    audio = data / "a.wav"
    tone(audio)
    return Job(key, audio, 1000, provider.parameters())


def ended(provider: OpenAiProvider, job: Job) -> Transcript:
    operation = provider.submit(job, Cancel())

    def look() -> Transcript | None:
        found = provider.poll(operation, job.parameters, Cancel())
        if isinstance(found, Transcript):
            return found
        assert found == NotYet()
        return None

    return looked_for(look)


# Through a process of its own


@pytest.mark.scenario("recognisers", "Server of OpenAI's kind is called once")
def test_a_recording_is_sent_as_a_form(provider: Maker, server: OpenAiServer, data: Path) -> None:
    one = provider(language="en-US")
    job = job_of(one, data)
    found = ended(one, job)
    assert (found.text, found.language) == (SPOKEN, "en")
    assert [segment.start_ms for segment in found.segments] == [0, 1200]
    file = server.fields.pop("file")
    assert file == job.audio.read_bytes()
    assert server.fields == {
        "model": "whisper-1",
        "language": "en",
        "response_format": "verbose_json",
        "filename": "audio.wav",
        "media_type": "audio/wav",
    }
    # Asked again, under the same key, by another process of the service: nobody is called.
    again = provider(language="en-US")
    assert again.find("a.1") == "a.1"
    assert ended(again, job) == found
    assert server.calls == 1
    assert one.paid
    one.forget("a.1")
    assert one.find("a.1") is None


@pytest.mark.scenario("recognisers", "Key stands in no file")
def test_the_key_stands_in_no_file(provider: Maker, server: OpenAiServer, data: Path) -> None:
    one = provider()
    ended(one, job_of(one, data))
    held = [path.read_bytes() for path in data.rglob("*") if path.is_file()]
    assert held
    assert not any(KEY.encode() in content for content in held)
    assert server.far.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in repr(OpenAi(key=KEY))
    assert KEY not in json.dumps(dict(one.parameters()))


@needs_ffmpeg
def test_a_long_recording_is_packed_on_its_way(
    provider: Maker, server: OpenAiServer, data: Path
) -> None:
    one = provider(form="ogg")
    job = job_of(one, data)
    assert ended(one, job).text == SPOKEN
    assert (server.fields["filename"], server.fields["media_type"]) == ("audio.ogg", "audio/ogg")
    assert server.fields["file"][:4] == b"OggS"
    packed = Places(data).packed("a.1")
    assert packed.is_file()
    one.forget("a.1")
    assert not packed.exists()


@pytest.mark.scenario("recognisers", "Connection that breaks after the request leaves a doubt")
def test_a_connection_that_breaks_after_the_request(
    provider: Maker, server: OpenAiServer, data: Path
) -> None:
    server.far.faults = [Said(drop=True)]
    one = provider()
    with pytest.raises(Ended) as raised:
        ended(one, job_of(one, data))
    assert raised.value.charged
    assert isinstance(raised.value.cause, Retry)


@pytest.mark.scenario("recognisers", "Connection that breaks after the request leaves a doubt")
def test_a_process_that_is_killed_during_the_call(
    provider: Maker, server: OpenAiServer, data: Path
) -> None:
    server.far.faults = [Said(held=threading.Event())]
    one = provider()
    job = job_of(one, data)
    operation = one.submit(job, Cancel())
    assert server.far.arrived.wait(PATIENCE_S)
    os.kill(int((Places(data).calls / operation / "started").read_text()), signal.SIGKILL)
    with pytest.raises(Ended) as raised:
        ended(one, job)
    assert raised.value.charged
    assert server.calls == 1


# What an answer means, without a process


def called(data: Path, server: OpenAiServer | Far, key: str = KEY, **given: Any) -> dict[str, Any]:
    folder = data / "operation"
    folder.mkdir(exist_ok=True)
    audio = data / "a.wav"
    tone(audio)
    url = server.url + (openai_call_path(server))
    request = {"url": url, "audio": str(audio), "media_type": "audio/wav", "answer_s": 20.0}
    parameters = {"model": "whisper-1"}
    request |= {"fields": list(fields(parameters)), **given}
    return openai_call.call(folder, request, key, FakeClock())


def openai_call_path(server: OpenAiServer | Far) -> str:
    return server.path if isinstance(server, OpenAiServer) else "/v1/audio/transcriptions"


@pytest.mark.scenario("recognisers", "Errors of the server are told apart")
@pytest.mark.parametrize(
    ("fault", "outcome", "setting"),
    [
        (error(401, "bad key", "invalid_api_key"), "configuration", "recordings_openai_key"),
        (error(403, "country not supported"), "configuration", "recordings_openai_key"),
        (error(402, "pay first"), "configuration", "recordings_openai_key"),
        (error(429, "you exceeded your current quota", "insufficient_quota"), "configuration",
         "recordings_openai_key"),
        (error(404, "The model `x` does not exist", "model_not_found"), "configuration",
         "recordings_openai_model"),
        (as_json(404, {"detail": "Model 'x' is not installed locally."}), "configuration",
         "recordings_openai_model"),
        (Said(404, b"File Not Found (/v1/audio/transcriptions)"), "configuration",
         "recordings_openai_url"),
        (Said(405, b"no"), "configuration", "recordings_openai_url"),
        (Said(301, b"", {"Location": "https://elsewhere/"}), "configuration",
         "recordings_openai_url"),
        (Said(200, b"<html>", {"Content-Type": "text/html"}), "configuration",
         "recordings_openai_url"),
        (error(400, "no such language", param="language"), "configuration", "recordings_language"),
        (as_json(422, {"detail": [{"loc": ["body", "model"], "msg": "x"}]}), "configuration",
         "recordings_openai_model"),
        (as_json(400, {"detail": {"error": {"param": "response_format"}}}), "configuration",
         "recordings_openai_model"),
        (error(400, "Invalid file format.", param="file"), "verdict", None),
        (Said(400, b"Invalid request", {"Content-Type": "text/plain"}), "verdict", None),
        (Said(400, b"[" * 5000), "verdict", None),
        (as_json(422, {"detail": [{"loc": ["body", "file"], "msg": "x"}]}), "verdict", None),
        (Said(413, b"Maximum content size limit exceeded"), "verdict", None),
        (Said(415, b""), "verdict", None),
        (Said(500, b"Internal Server Error"), "retry", None),
        (Said(503, b'{"status":"loading model"}'), "retry", None),
        (Said(408, b""), "retry", None),
    ],
)  # fmt: skip
def test_errors_of_the_server_are_told_apart(
    data: Path, server: OpenAiServer, fault: Said, outcome: str, setting: str | None
) -> None:
    server.far.faults = [fault]
    result = called(data, server)
    assert result["outcome"] == outcome
    assert result.get("setting") == setting
    assert not result.get("charged")
    assert str(fault.status) in result["message"] or fault.status == 200


@pytest.mark.scenario("recognisers", "Server that is busy says how long to wait")
def test_a_busy_server_says_how_long_to_wait(data: Path, server: OpenAiServer) -> None:
    server.far.faults = [error(429, "slow down", "rate_limit_exceeded", retry_after="20")]
    result = called(data, server)
    assert (result["outcome"], result["retry_after_s"]) == ("retry", 20.0)


@pytest.mark.parametrize(
    ("fault", "charged"),
    [
        (Said(200, b'{"text": "cut', {"Content-Type": "application/json"}), True),
        (Said(200, b'{"text": "whole"}', cut=5), True),
        (Said(drop=True), True),
        (Said(drop=True, early=True), False),
    ],
)
def test_what_may_have_been_paid_for_is_told(
    data: Path, server: OpenAiServer, fault: Said, charged: bool
) -> None:
    server.far.faults = [fault]
    if fault.early:
        (data / "large.wav").write_bytes(b"RIFF" + bytes(8 * 1024 * 1024))
        result = called(data, server, audio=str(data / "large.wav"))
    else:
        result = called(data, server)
    assert (result["outcome"], bool(result.get("charged"))) == ("retry", charged)
    assert not (data / "operation" / openai_call.HEARD).exists()


def test_a_server_that_is_not_there_costs_nothing(data: Path, server: OpenAiServer) -> None:
    server.far.close()
    result = called(data, server)
    assert (result["outcome"], result.get("charged")) == ("retry", None)
    assert result["message"] == "the recogniser: it can't be reached: Connection refused"


def test_audio_that_is_gone_is_told(data: Path, server: OpenAiServer) -> None:
    result = called(data, server, audio=str(data / "gone.wav"))
    assert result == {"outcome": "retry", "message": "the audio for the recogniser is gone"}


@pytest.mark.scenario("recognisers", "Server without a proper certificate gets nothing")
def test_a_server_without_a_proper_certificate(data: Path) -> None:
    with far(lambda _: Said(), certificate=CERTIFICATE) as untrusted:
        result = called(data, untrusted)
    assert (result["outcome"], result["setting"]) == ("configuration", "recordings_openai_url")
    assert untrusted.asked == []


def test_nothing_that_a_server_says_is_kept(data: Path, server: OpenAiServer) -> None:
    server.far.faults = [error(400, f"can't make sense of {SPOKEN}")]
    assert SPOKEN not in json.dumps(called(data, server))


# What it is called with


@pytest.mark.scenario("recognisers", "Server is found by its address, with or without a path")
@pytest.mark.parametrize(
    ("url", "called_at"),
    [
        ("https://api.openai.com", "https://api.openai.com/v1/audio/transcriptions"),
        ("https://api.openai.com/v1/", "https://api.openai.com/v1/audio/transcriptions"),
        ("http://box:8000/", "http://box:8000/v1/audio/transcriptions"),
        ("http://box:8080/inference", "http://box:8080/inference"),
        ("https://x/api/v1/audio/transcriptions", "https://x/api/v1/audio/transcriptions"),
    ],
)
def test_the_address_of_the_call(url: str, called_at: str) -> None:
    assert address(url) == called_at


def test_a_server_of_whisper_cpp_is_called_where_it_listens(data: Path) -> None:
    with openai_server(None, "/inference") as server:
        server.models = None
        result = called(data, server, key="")
    assert result["outcome"] == "done"
    assert "authorization" not in server.far.asked[0].headers


@pytest.mark.parametrize(
    ("model", "form"),
    [
        ("whisper-1", {"response_format": "verbose_json"}),
        ("Systran/faster-whisper-small", {"response_format": "verbose_json"}),
        ("gpt-4o-transcribe", {"response_format": "json"}),
        ("gpt-4o-transcribe-diarize",
         {"response_format": "diarized_json", "chunking_strategy": "auto"}),
    ],
)  # fmt: skip
def test_each_model_is_asked_for_what_it_gives(model: str, form: dict[str, str]) -> None:
    assert dict(fields({"model": model})) == {"model": model, **form}


def test_openai_itself_is_sent_small_files_and_others_whole_ones(
    provider: Maker, data: Path
) -> None:
    large = data / "large.wav"
    with large.open("wb") as file:
        os.truncate(file.fileno(), 25 * 1024 * 1024)
    job = Job("a.1", large, 800_000, {})
    small = replace(job, audio=data / "small.wav")
    tone(small.audio)
    service, home = provider(url="https://api.openai.com"), provider()
    assert [one._form(job) for one in (service, home)] == ["ogg", "wav"]
    assert [one._form(small) for one in (service, home)] == ["wav", "wav"]
    assert service._form(replace(job, parameters={"form": "wav"})) == "wav"


@pytest.mark.scenario("recognisers", "Recogniser without its key is its owner's to put right")
def test_a_missing_key_is_told(provider: Maker, data: Path) -> None:
    one = provider(url="https://api.openai.com", key="")
    assert one.missing() == ("recordings_openai_key is not set: recordings wait until it is.",)
    with pytest.raises(Configuration, match=r"recordings_openai_key"):
        one.submit(job_of(one, data), Cancel())
    home = provider(key="")
    assert (home.missing(), home.paid) == ((), False)


# In the pipeline


@pytest.mark.scenario("recognisers", "Server of OpenAI's kind is called once")
def test_a_recording_becomes_text_by_way_of_a_server(
    data: Path, clock: FakeClock, server: OpenAiServer, provider: Maker
) -> None:
    with open_studio(data, clock, providers={"openai": provider()}) as lab:
        one = lab.normalised(lab.post())
        server.far.faults = [error(429, "slow down", "rate_limit_exceeded", retry_after="40")]
        assert lab.outcome() == "moved"
        while (outcome := lab.outcome()) == "deferred" or not outcome:
            Cancel().wait(0.005)
            lab.due()
        assert outcome == "retry"
        assert lab.row(one).due_at_us >= clock.wall_us + 40_000_000, "what the server asked for"
        assert lab.later() == "deferred"
        while lab.row(one).stage != "done":
            Cancel().wait(0.005)
            lab.due()
            lab.steps()
        assert lab.row(one).text == SPOKEN
    assert server.calls == 2
    assert KEY not in lab.stream.getvalue()


@pytest.mark.scenario("recognisers", "Connection that breaks after the request leaves a doubt")
def test_a_broken_connection_stops_what_was_paid_for(
    data: Path, clock: FakeClock, server: OpenAiServer, provider: Maker
) -> None:
    server.far.faults = [Said(drop=True)]
    with open_studio(data, clock, providers={"openai": provider()}) as lab:
        one = lab.normalised(lab.post())
        while lab.row(one).stopped_at_us is None:
            Cancel().wait(0.005)
            lab.due()
            lab.steps()
        assert lab.row(one).stop_error == "payment_unknown"
    assert server.calls == 1


# Settings


def test_it_is_set_up_by_its_key_or_by_another_address(data: Path, clock: FakeClock) -> None:
    def names(**given: Any) -> set[str]:
        return set(providers(Settings(**given), places=Places(data), clock=clock))

    assert names() == {"command"}
    assert names(openai=OpenAi(key=KEY)) == {"command", "openai"}
    assert names(openai=OpenAi(url="http://box:8000")) == {"command", "openai"}
    assert names(provider="openai") == {"command", "openai"}


@pytest.mark.scenario("recognisers", "Times that contradict each other stop the start")
def test_an_answer_that_takes_longer_than_a_recording_may_stand(
    data: Path, clock: FakeClock
) -> None:
    slow = Settings(provider="openai", openai=OpenAi(timeout_s=24 * 3600.0))
    with (
        pytest.raises(CannotWork, match=r"recordings_openai_timeout"),
        open_studio(data, clock, settings=slow),
    ):
        pass


def test_a_verdict_stops_at_once(data: Path, server: OpenAiServer, provider: Maker) -> None:
    server.far.faults = [Said(400, b"Invalid request")]
    one = provider()
    with pytest.raises(Verdict, match="answered 400"):
        ended(one, job_of(one, data))
