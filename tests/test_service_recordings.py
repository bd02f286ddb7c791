"""The recordings as a part of the service: its settings, its numbers, its stop."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from healthlog.transcriber import rows
from healthlog.transcriber.rows import Meta
from tests.support.ending import Watched, number_told
from tests.support.installed import needs_ffmpeg
from tests.support.process import command
from tests.support.serviced import got, running
from tests.support.studio import tone

WAV = Meta(rows.HTTP, "wav")
QUICK = {"recordings_poll_delay": "0.1"}


def speech(folder: Path) -> list[bytes]:
    tone(folder / "tone.wav")
    return [(folder / "tone.wav").read_bytes()]


@needs_ffmpeg
@pytest.mark.scenario("recordings", "Service carries a recording to its text")
def test_a_recording_becomes_text(data: Path, tmp_path: Path) -> None:
    given = {**QUICK, "recordings_command_argv": "echo quick brown fox"}
    with running(data, **given) as (service, stream):
        told = got(service, "/stats")["recordings"]
        assert told == {
            "uploaded": 0,
            "normalized": 0,
            "submitted": 0,
            "transcribed": 0,
            "done": 0,
            "stopped": 0,
            "workers": 1,
            "missing": [],
        }
        taken = service.rooms.recordings.intake.take(speech(tmp_path), WAV)
        stream.until("recording moved", stage="done")
        row = service.rooms.recordings.store.read(lambda c: rows.get(c, taken.recording_id))
        assert row is not None
        assert (row.stage, row.text) == ("done", "quick brown fox")
        assert got(service, "/stats")["recordings"]["done"] == 1
        service.rooms.recordings.stopper.stop_by_person(
            service.rooms.recordings.intake.take_refused(WAV, "too large").recording_id
        )
        assert got(service, "/stats")["recordings"]["stopped"] == 1
    assert stream.lines("stop budget exhausted") == []


@needs_ffmpeg
def test_a_stop_ends_the_program_that_is_at_work(data: Path, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    os.mkfifo(pid)
    argv = f"sh -c 'echo $$ > {pid}; exec sleep 60'"
    with running(data, **QUICK, recordings_command_argv=argv) as (service, stream):
        service.rooms.recordings.intake.take(speech(tmp_path), WAV)
        program = Watched(number_told(pid))
        stream.until("recording moved", stage="submitted")
    assert program.has_ended()
    assert stream.lines("stop budget exhausted") == []
    assert stream.lines("recording step failed") == []


def test_a_service_without_workers_only_takes_in(data: Path, tmp_path: Path) -> None:
    argv = "no-such-recogniser {wav}"
    with running(data, recordings_workers="0", recordings_command_argv=argv) as (service, _):
        service.rooms.recordings.intake.take(speech(tmp_path), WAV)
        told = got(service, "/stats")["recordings"]
        assert (told["uploaded"], told["workers"]) == (1, 0)
        assert told["missing"][-1] == (
            "The program no-such-recogniser can't be found: recordings wait until it is installed."
        )


@pytest.mark.scenario("recordings", "Service refuses settings of recordings that can't work")
def test_a_service_refuses_settings_that_can_not_work(data: Path) -> None:
    ended = command("serve", "--data", data, env={"HEALTHLOG_RECORDINGS_OWN_LIMIT": "5m"})
    assert ended.returncode == 2
    assert ended.stderr == (
        "healthlog: recordings_configuration_delay 900s must be shorter than"
        " recordings_own_limit 300s\n"
    )
