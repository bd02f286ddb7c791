"""SpeechKit: a recording goes there once, its text comes back, or it is said why not."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from healthlog.transcriber.cancel import Cancel
from healthlog.transcriber.failures import (
    Ambiguous,
    Cancelled,
    Configuration,
    Ended,
    Retry,
    Verdict,
)
from healthlog.transcriber.ffmpeg import Ffmpeg
from healthlog.transcriber.places import Places
from healthlog.transcriber.providers.base import Job, NotYet
from healthlog.transcriber.providers.choose import providers
from healthlog.transcriber.providers.packed import Packer
from healthlog.transcriber.providers.yandex import YandexProvider, language_of
from healthlog.transcriber.providers.yandex_settings import Yandex
from healthlog.transcriber.settings import CannotWork, Settings
from healthlog.transcriber.transcript import Transcript
from tests.support.clock import FakeClock
from tests.support.far import Said, far
from tests.support.installed import needs_ffmpeg
from tests.support.openai_server import CERTIFICATE
from tests.support.patience import PATIENCE_S
from tests.support.speechkit import FOLDER, KEY, TEXT, SpeechKit, failed, speechkit, stream
from tests.support.studio import open_studio, tone

Maker = Callable[..., YandexProvider]


@pytest.fixture
def cloud() -> Iterator[SpeechKit]:
    with speechkit() as made:
        yield made


@pytest.fixture
def provider(data: Path, cloud: SpeechKit, clock: FakeClock) -> Maker:
    def make(language: str | None = "ru", **given: Any) -> YandexProvider:
        usual = Yandex(key=KEY, folder=FOLDER, url=cloud.url, operations_url=cloud.url)
        packer = Packer(Places(data), Ffmpeg(20.0))
        return YandexProvider(
            replace(usual, **given), packer=packer, language=language, clock=clock
        )

    return make


@pytest.fixture
def job(provider: Maker, data: Path) -> Job:
    audio = data / "a.wav"
    tone(audio)
    return Job("a.1", audio, 1000, provider().parameters())


def begun(provider: YandexProvider, job: Job) -> str:
    """Submitted, without the work of packing: what is packed already is taken."""
    packed = provider._packer._places.packed(job.key)
    packed.parent.mkdir(parents=True, exist_ok=True)
    if not packed.exists():
        packed.write_bytes(b"OggS, as far as anybody looks")
    return provider.submit(job, Cancel())


def polled(provider: YandexProvider, operation: str, **parameters: str) -> NotYet | Transcript:
    return provider.poll(
        operation, {"model": "general", "language": "ru-RU", **parameters}, Cancel()
    )


@needs_ffmpeg
@pytest.mark.scenario("recognisers", "Recording goes to SpeechKit once and comes back as text")
def test_a_recording_goes_there_and_comes_back_as_text(
    provider: Maker, cloud: SpeechKit, job: Job, data: Path
) -> None:
    cloud.done_after = 1
    one = provider()
    operation = one.submit(job, Cancel())
    [kept] = cloud.operations.values()
    assert kept.audio[:4] == b"OggS"
    assert seconds_of(kept.audio, data) == pytest.approx(1.0, abs=0.1)
    model = kept.request["recognitionModel"]
    assert model["model"] == "general"
    assert model["languageRestriction"] == {
        "restrictionType": "WHITELIST",
        "languageCode": ["ru-RU"],
    }
    assert cloud.far.asked[0].headers["x-folder-id"] == FOLDER
    assert polled(one, operation) == NotYet()
    found = polled(one, operation)
    assert isinstance(found, Transcript)
    assert (found.text, found.language) == (TEXT, "ru-RU")
    one.forget(operation)
    assert cloud.operations[operation].deleted
    assert not Places(data).packed("a.1").exists()
    assert one.paid


def seconds_of(audio: bytes, data: Path) -> float:
    path = data / "sent.ogg"
    path.write_bytes(audio)
    asked = ("-show_entries", "format=duration", "-of", "csv=p=0")
    told = subprocess.run(
        ["ffprobe", "-v", "error", *asked, str(path)], capture_output=True, check=True
    )
    return float(told.stdout)


@pytest.mark.parametrize("size", [0, 1, 2, 3, 48 * 1024, 48 * 1024 + 1])
def test_audio_of_any_size_arrives_whole(
    provider: Maker, cloud: SpeechKit, job: Job, data: Path, size: int
) -> None:
    """Base64 of pieces is that of the whole only if each but the last has a multiple of three."""
    content = b"OggS" + bytes(range(256)) * (size // 256 + 1)
    Places(data).work.mkdir(parents=True)
    Places(data).packed("a.1").write_bytes(content[: 4 + size])
    begun(provider(), job)
    [kept] = cloud.operations.values()
    assert kept.audio == content[: 4 + size]


def test_what_is_too_long_is_not_sent(
    provider: Maker, cloud: SpeechKit, job: Job, data: Path
) -> None:
    Places(data).work.mkdir(parents=True)
    with Places(data).packed("a.1").open("wb") as file:
        file.truncate(45 * 1000 * 1000)
    with pytest.raises(Verdict, match="longer than SpeechKit takes"):
        begun(provider(), job)
    assert cloud.far.asked == []


# Beginning fails


@pytest.mark.scenario("recognisers", "Errors of SpeechKit are told apart")
@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (failed(401, 16, "Unknown api key"), (Configuration, "recordings_yandex_key: ")),
        (failed(403, 7, "Permission denied"), (Configuration, "recordings_yandex_key: ")),
        (failed(403, 7, "no folder"), (Configuration, "recordings_yandex_folder")),
        (failed(400, 3, "unknown model"), (Configuration, "recordings_yandex_model: ")),
        (failed(400, 3, "unsupported language"), (Configuration, "recordings_language: ")),
        (failed(400, 3, "audio is corrupt"), (Verdict, "SpeechKit answered 400")),
        (Said(400, b"no JSON"), (Verdict, "SpeechKit answered 400")),
        (Said(413, b""), (Verdict, "SpeechKit answered 413")),
        (failed(429, 8, "quota"), (Retry, "SpeechKit answered 429")),
        (failed(500, 13, "internal"), (Retry, "SpeechKit answered 500")),
        (failed(503, 14, "unavailable"), (Retry, "SpeechKit answered 503")),
        (failed(504, 4, "deadline"), (Retry, "SpeechKit answered 504")),
        (Said(302, b"", {"Location": "https://x/"}), (Configuration, "recordings_yandex_url")),
        (Said(drop=True), (Ambiguous, "SpeechKit: no whole answer came")),
        (Said(200, b'{"id": "f8d'), (Ambiguous, "took the recording but told no operation")),
        (Said(200, b'{"id": "../x"}'), (Ambiguous, "took the recording but told no operation")),
        (Said(200, b'{"id": "f8d000"}', cut=4), (Ambiguous, "SpeechKit: no whole answer came")),
    ],
)  # fmt: skip
def test_errors_are_told_apart(
    provider: Maker, cloud: SpeechKit, job: Job, fault: Said, expected: tuple[Any, str]
) -> None:
    kind, words = expected
    cloud.far.faults = [fault]
    with pytest.raises(kind) as raised:
        begun(provider(), job)
    assert words in str(raised.value)


@pytest.mark.scenario("recognisers", "Server that is busy says how long to wait")
def test_speechkit_may_say_how_long_to_wait(provider: Maker, cloud: SpeechKit, job: Job) -> None:
    cloud.far.faults = [failed(429, 8, "quota", retry_after="90")]
    with pytest.raises(Retry) as raised:
        begun(provider(), job)
    assert raised.value.retry_after_s == 90


def test_a_cloud_that_is_not_there_has_begun_nothing(
    provider: Maker, cloud: SpeechKit, job: Job
) -> None:
    cloud.far.close()
    with pytest.raises(Retry, match="it can't be reached"):
        begun(provider(), job)


def test_its_certificate_is_looked_at(provider: Maker, job: Job) -> None:
    with far(lambda _: Said(), certificate=CERTIFICATE) as other:
        one = provider(url=other.url, operations_url=other.url)
        with pytest.raises(Configuration, match="certificate"):
            begun(one, job)
        with pytest.raises(Configuration, match="certificate"):
            polled(one, "f8d000")
    assert other.asked == []


@pytest.mark.scenario("recognisers", "What a crash left at SpeechKit nobody can find out")
def test_it_has_no_list_of_operations(provider: Maker) -> None:
    with pytest.raises(Ambiguous):
        provider().find("a.1")


@pytest.mark.scenario("recognisers", "Recogniser without its key is its owner's to put right")
def test_a_missing_key_is_told(provider: Maker, job: Job) -> None:
    one = provider(key="")
    assert one.missing() == ("recordings_yandex_key is not set: recordings wait until it is.",)
    with pytest.raises(Configuration, match=r"recordings_yandex_key"):
        begun(one, job)
    assert KEY not in repr(Yandex(key=KEY))


@needs_ffmpeg
def test_our_own_stop_waits_for_what_costs_money(
    provider: Maker, cloud: SpeechKit, job: Job
) -> None:
    cloud.far.faults = [Said(held=threading.Event())]
    cancel, ended = Cancel(), []

    def submit() -> None:
        try:
            provider().submit(job, cancel)
        except Cancelled:
            ended.append("cancelled")

    thread = threading.Thread(target=submit)
    thread.start()
    assert cloud.far.arrived.wait(PATIENCE_S)
    cancel.ask()
    thread.join(0.05)
    assert thread.is_alive()
    cancel.cut()
    thread.join(PATIENCE_S)
    assert ended == ["cancelled"]


# Asking fails


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (failed(401, 16, "Unknown api key"), Configuration),
        (failed(429, 8, "quota"), Retry),
        (failed(500, 13, "internal"), Retry),
        (Said(drop=True), Retry),
        (Said(200, b'{"id": "f8d000", "do', cut=9), Retry),
    ],
)
def test_a_question_that_fails_leaves_the_operation(
    provider: Maker, cloud: SpeechKit, job: Job, fault: Said, kind: type[Exception]
) -> None:
    one = provider()
    operation = begun(one, job)
    cloud.far.faults = [fault]
    with pytest.raises(kind):
        polled(one, operation)
    assert isinstance(polled(one, operation), Transcript)
    assert len(cloud.operations) == 1


@pytest.mark.scenario("recognisers", "Result that breaks off is asked for again")
@pytest.mark.parametrize("cut", [1, 100, 700])
def test_a_result_that_breaks_off_is_asked_for_again(
    provider: Maker, cloud: SpeechKit, job: Job, cut: int
) -> None:
    one = provider()
    operation = begun(one, job)
    done = Said(200, b'{"id": "f8d000", "done": true}')
    cloud.far.faults = [done, Said(200, cloud.result, cut=cut, pieces=(50,))]
    with pytest.raises(Retry):
        polled(one, operation)
    # Also when the break can't be told by the framing.
    cloud.far.faults = [done, Said(200, cloud.result[:cut])]
    with pytest.raises(Retry, match="SpeechKit's answer is not"):
        polled(one, operation)
    assert isinstance(polled(one, operation), Transcript)


@pytest.mark.scenario("recognisers", "Operation that has failed is over")
@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ({"code": 13, "message": "internal"}, (Ended, Retry)),
        ({"code": 16, "message": "key"}, (Ended, Configuration)),
        ({"code": 3, "message": "no such model"}, (Ended, Configuration)),
        ({"code": 3, "message": "audio"}, (Verdict, None)),
        ({"message": "?"}, (Ended, Retry)),
    ],
)
def test_an_operation_that_has_failed_is_over(
    provider: Maker, cloud: SpeechKit, job: Job, error: dict[str, Any], expected: tuple[Any, Any]
) -> None:
    kind, cause = expected
    cloud.error = error
    one = provider()
    operation = begun(one, job)
    with pytest.raises(kind) as raised:
        polled(one, operation)
    if isinstance(raised.value, Ended):
        assert isinstance(raised.value.cause, cause or Exception)
        assert not raised.value.charged


@pytest.mark.scenario("recognisers", "Result that has expired is left to a person")
@pytest.mark.parametrize("gone", ["expired", "forgotten", "in the stream"])
def test_a_result_that_has_expired(provider: Maker, cloud: SpeechKit, job: Job, gone: str) -> None:
    one = provider()
    operation = begun(one, job)
    cloud.expired, cloud.forgotten = gone == "expired", gone == "forgotten"
    if gone == "in the stream":
        cloud.result = stream(({"error": {"code": 5, "message": "not found"}},))
    with pytest.raises(Ended) as raised:
        polled(one, operation)
    assert raised.value.charged


def test_errors_in_a_result_are_told_apart(provider: Maker, cloud: SpeechKit, job: Job) -> None:
    one = provider()
    operation = begun(one, job)
    for code, kind in ((13, Retry), (7, Configuration), (3, Verdict)):
        cloud.result = stream(({"error": {"code": code, "message": "x"}},))
        with pytest.raises(kind):
            polled(one, operation)


def test_a_damaged_id_is_asked_of_nobody(provider: Maker, cloud: SpeechKit) -> None:
    with pytest.raises(Ended):
        polled(provider(), "../x?y=1")
    provider().forget("../x")
    assert cloud.far.asked == []


def test_the_cheap_queue_is_asked_more_seldom(provider: Maker, cloud: SpeechKit, job: Job) -> None:
    cloud.done_after = 9
    one = provider(model="deferred-general")
    assert one.parameters()["model"] == "deferred-general"
    operation = begun(one, job)
    assert polled(one, operation, model="deferred-general") == NotYet(120.0)


@pytest.mark.parametrize(
    ("language", "said"),
    [("ru", "ru-RU"), ("ru-RU", "ru-RU"), ("en", "en-US"), ("en-gb", "en-GB"), ("kk", "kk-KZ"),
     ("de", "de-DE"), (None, "auto"), ("", "auto")],
)  # fmt: skip
def test_languages_have_their_regions(language: str | None, said: str) -> None:
    assert language_of(language) == said


# In the pipeline


@needs_ffmpeg
@pytest.mark.scenario("recognisers", "Recording goes to SpeechKit once and comes back as text")
def test_a_recording_becomes_text_by_way_of_the_cloud(
    data: Path, clock: FakeClock, cloud: SpeechKit, provider: Maker
) -> None:
    cloud.done_after = 2
    with open_studio(data, clock, providers={"yandex": provider()}) as lab:
        one = lab.normalised(lab.message())
        assert [lab.outcome(), lab.outcome(), lab.later()] == ["moved", "deferred", "deferred"]
        assert [lab.later(), lab.outcome()] == ["moved", "moved"]
        assert lab.row(one).text == TEXT
        assert lab.sender.told == [TEXT]
    assert len(cloud.operations) == 1
    assert cloud.operations["f8d000"].deleted
    for told in (KEY, "Густав", FOLDER):
        assert told not in lab.stream.getvalue()


@needs_ffmpeg
@pytest.mark.scenario("recognisers", "Result that has expired is left to a person")
def test_a_result_that_has_expired_stops_the_recording(
    data: Path, clock: FakeClock, cloud: SpeechKit, provider: Maker
) -> None:
    with open_studio(data, clock, providers={"yandex": provider()}) as lab:
        one = lab.normalised(lab.message())
        lab.outcome()
        cloud.expired = True
        assert lab.outcome() == "verdict"
        assert lab.row(one).stop_error == "payment_unknown"
        cloud.expired = False
        lab.recordings.resumption.one(one.recording_id)
        lab.steps()
        lab.due()
        lab.steps()
        assert lab.row(one).stage == "done"
        details = [event.detail for event in lab.events(one) if event.outcome == "resumed"]
        assert details == ["cost_accepted"]
    assert len(cloud.operations) == 2


@needs_ffmpeg
@pytest.mark.scenario("recognisers", "Connection that breaks after the request leaves a doubt")
def test_a_broken_submission_is_not_repeated(
    data: Path, clock: FakeClock, cloud: SpeechKit, provider: Maker
) -> None:
    cloud.far.faults = [Said(drop=True)]
    with open_studio(data, clock, providers={"yandex": provider()}) as lab:
        one = lab.normalised(lab.message())
        assert lab.outcome() == "verdict"
        assert lab.row(one).stop_error == "payment_unknown"
        assert lab.step() is None
    assert cloud.paths() == ["/stt/v3/recognizeFileAsync"]


# Settings


def test_it_is_set_up_by_its_key(data: Path, clock: FakeClock) -> None:
    def names(**given: Any) -> set[str]:
        return set(providers(Settings(**given), places=Places(data), clock=clock))

    assert names(yandex=Yandex(key=KEY)) == {"command", "yandex"}
    assert names(provider="yandex") == {"command", "yandex"}


@pytest.mark.scenario("recognisers", "Times that contradict each other stop the start")
def test_the_cheap_queue_needs_more_than_a_day(data: Path, clock: FakeClock) -> None:
    deferred = Settings(provider="yandex", yandex=Yandex(key=KEY, model="deferred-general"))
    with (
        pytest.raises(CannotWork, match=r"recordings_foreign_limit must be 25h"),
        open_studio(data, clock, settings=deferred),
    ):
        pass
    with open_studio(data, clock, settings=replace(deferred, foreign_limit=25 * 3600.0)):
        pass


@pytest.mark.parametrize("name", ["openai", "yandex"])
def test_the_usual_settings_fit_the_leases(data: Path, clock: FakeClock, name: str) -> None:
    with open_studio(data, clock, settings=Settings(provider=name), acts={}):
        pass
