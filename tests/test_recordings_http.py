"""A spoken sentence over HTTP, all the way: a real service, real programs, real sockets."""

from __future__ import annotations

import http.client
import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.installed import needs_ffmpeg, needs_speech
from tests.support.openai_server import HEARD, KEY, openai_server
from tests.support.patience import PATIENCE_S
from tests.support.process import INGEST, READ, Child, serving
from tests.support.speech import SENTENCE, spoken, word_error_rate, words
from tests.support.spoken import BOUNDARY, field_part, file_part, form_of
from tests.support.studio import tone

API = "/api/v1/recordings"


def asked(
    child: Child, method: str, path: str, body: bytes | None = None, **headers: str
) -> tuple[int, dict[str, str], bytes]:
    token = INGEST if path == "/recordings" else READ
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    connection = http.client.HTTPConnection("127.0.0.1", child.port, timeout=PATIENCE_S)
    try:
        connection.request(method, path, body, {"Authorization": f"Bearer {token}", **fields})
        answer = connection.getresponse()
        told = {name.lower(): value for name, value in answer.getheaders()}
        return answer.status, told, answer.read()
    finally:
        connection.close()


def sent(child: Child, body: bytes, kind: str) -> str:
    status, _, told = asked(child, "POST", "/recordings", body, Content_Type=kind)
    assert status == 201, told
    recording_id = json.loads(told)["recording_id"]
    assert isinstance(recording_id, str)
    return recording_id


def shown(child: Child, recording_id: str) -> Any:
    status, _, told = asked(child, "GET", f"{API}/{recording_id}")
    assert status == 200
    return json.loads(told)


@needs_ffmpeg
@needs_speech
@pytest.mark.scenario("recording-doors", "Spoken sentence sent by a phone can be read and found")
def test_a_spoken_sentence_sent_by_a_phone_can_be_read(data: Path, tmp_path: Path) -> None:
    memo = spoken(tmp_path, "m4a")
    # As an iOS Shortcut sends it: a form with the file, its name, its time.
    parts = [
        field_part("title", "Errands"),
        field_part("recorded_at", "2026-08-02T09:30:00+03:00"),
        file_part(memo, "audio/x-m4a", "Recording.m4a"),
    ]
    with serving(data, HEALTHLOG_RECORDINGS_POLL_DELAY="100ms") as child:
        kind = f'multipart/form-data; boundary="{BOUNDARY}"'
        one = sent(child, form_of(parts), kind)
        child.until("recording moved", recording_id=one, stage="done")
        told = shown(child, one)
        assert word_error_rate(SENTENCE, told["text"]) <= 0.1
        assert (told["title"], told["stage"], told["waiting"]) == ("Errands", "done", None)
        assert [event["stage"] for event in told["events"]] == [
            *("normalized", "submitted", "transcribed", "done"),
        ]
        _, _, text = asked(child, "GET", f"{API}/{one}/transcript")
        assert word_error_rate(SENTENCE, text.decode()) <= 0.1
        _, _, subtitles = asked(child, "GET", f"{API}/{one}/transcript?format=srt")
        assert b" --> " in subtitles
        _, _, found = asked(child, "GET", f"{API}?q=doctor+monday")
        assert [item["recording_id"] for item in json.loads(found)["items"]] == [one]
        _, _, day = asked(child, "GET", "/api/v1/days/2026-08-02")
        [note] = json.loads(day)["notes"]
        assert (note["title"], note["spoken_at"]) == ("Errands", "2026-08-02T09:30:00+03:00")
        status, headers, piece = asked(child, "GET", f"{API}/{one}/audio", Range="bytes=4-11")
        assert (status, piece) == (206, memo[4:12])
        assert headers["content-range"] == f"bytes 4-11/{len(memo)}"
        assert asked(child, "DELETE", f"{API}/{one}")[0] == 204
        assert list((data / "audio").rglob(f"{one}*")) == []
        assert child.stop() == 0
    log = json.dumps(child.lines).lower()
    assert [word for word in words(SENTENCE) if len(word) > 5 and word in log] == []
    assert "errands" not in log


@needs_ffmpeg
@pytest.mark.scenario("recording-doors", "Service hands recordings to the server of its settings")
def test_a_service_hands_recordings_to_the_server_of_its_settings(
    data: Path, tmp_path: Path
) -> None:
    tone(tmp_path / "tone.wav")
    with openai_server() as server:
        given = {
            "PROVIDER": "openai",
            "POLL_DELAY": "100ms",
            "OPENAI_URL": server.url,
            "OPENAI_KEY": KEY,
        }
        env: dict[str, Any] = {
            f"HEALTHLOG_RECORDINGS_{name}": value for name, value in given.items()
        }
        with serving(data, **env) as child:
            one = sent(child, (tmp_path / "tone.wav").read_bytes(), "audio/wav")
            child.until("recording moved", recording_id=one, stage="done")
            assert shown(child, one)["text"] == HEARD["text"]
            assert json.loads(asked(child, "GET", "/stats")[2])["recordings"]["missing"] == []
            assert child.stop() == 0
    assert server.calls == 1
    assert KEY not in json.dumps(child.lines) + child.errors_said
    held = [path.read_bytes() for path in data.rglob("*") if path.is_file()]
    assert not any(KEY.encode() in content for content in held)


def test_a_setting_that_can_not_work_stops_the_start(data: Path) -> None:
    env: dict[str, Any] = {
        "HEALTHLOG_RECORDINGS_PROVIDER": "yandex",
        "HEALTHLOG_RECORDINGS_YANDEX_MODEL": "deferred-general",
    }
    child = Child(data, **env)
    try:
        assert child.finish() == 2
        assert "recordings_foreign_limit must be 25h at least" in child.errors_said
    finally:
        child.close()
