"""Recordings coming in: durable before they are accepted, in the order of their arrival."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from healthlog.base import files
from healthlog.base.errors import DiskFull
from healthlog.base.ids import folder_of, make_id, parse_id
from healthlog.transcriber import rows
from healthlog.transcriber.places import Places, extension_of
from healthlog.transcriber.rows import Meta
from tests.support.clock import MORNING_US
from tests.support.patience import PATIENCE_S
from tests.support.studio import Studio

HTTP = Meta(rows.HTTP, "m4a")


def originals(studio: Studio) -> list[str]:
    return sorted(p.name for p in studio.recordings.places.audio.glob("*/*/*/*") if p.is_file())


@pytest.mark.scenario("recordings", "File and row are durable before a recording is accepted")
def test_the_file_comes_first_then_the_row(studio: Studio) -> None:
    pieces, seen = [b"a" * 70_000, b"", b"b" * 10], list[tuple[int, list[str]]]()

    def beside(connection: sqlite3.Connection, recording_id: str) -> None:
        [(count,)] = connection.execute("SELECT count(*) FROM recording").fetchall()
        seen.append((count, originals(studio)))

    meta = Meta(
        rows.TELEGRAM, "oga", "audio/ogg", recorded_at_us=5, declared_ms=6_000, chat_id=1,
        message_id=2, thread_id=3, owner="ann", title="Bread",
    )  # fmt: skip
    taken = studio.recordings.intake.take(iter(pieces), meta, beside)
    path = studio.data / "audio/2026/08/02" / f"{taken.recording_id}.oga"
    assert path.read_bytes() == b"".join(pieces)
    assert path.stat().st_mode & 0o777 == 0o600
    assert seen == [(1, [path.name])]
    assert taken == studio.row(taken)
    assert (taken.bytes, taken.sha256) == (70_010, hashlib.sha256(b"".join(pieces)).hexdigest())
    assert (taken.stage, taken.accepted_at_us, taken.attempts) == ("uploaded", MORNING_US, 0)
    told = (taken.source, taken.content_type, taken.recorded_at_us, taken.declared_ms)
    assert told == ("telegram", "audio/ogg", 5, 6_000)
    assert (taken.chat_id, taken.message_id, taken.thread_id) == (1, 2, 3)
    assert (taken.owner, taken.title) == ("ann", "Bread")
    [line] = studio.lines("recording accepted")
    assert (line["recording_id"], line["bytes"], line["source"]) == (
        taken.recording_id, 70_010, "telegram",
    )  # fmt: skip
    assert list(studio.recordings.places.incoming.iterdir()) == []


@pytest.mark.scenario("recordings", "What breaks off on its way is not accepted")
def test_what_breaks_off_is_not_accepted(studio: Studio) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"the beginning"
        raise DiskFull("no room")

    with pytest.raises(DiskFull):
        studio.recordings.intake.take(pieces(), HTTP)
    assert studio.rows("SELECT 1 FROM recording") == []
    assert originals(studio) == []
    assert list(studio.recordings.places.incoming.iterdir()) == []
    assert studio.lines() == []


@pytest.mark.scenario("recordings", "Disk that is nearly full takes nothing in")
def test_a_disk_that_is_nearly_full_takes_nothing_in(studio: Studio) -> None:
    studio.recordings.intake._min_free = 2**62
    with pytest.raises(DiskFull, match="bytes are free"):
        studio.post()
    assert studio.rows("SELECT 1 FROM recording") == []
    assert list(studio.recordings.places.incoming.iterdir()) == []


@pytest.mark.scenario("recordings", "Row that can't be written accepts nothing")
def test_a_row_that_can_not_be_written_accepts_nothing(studio: Studio) -> None:
    def beside(_connection: sqlite3.Connection, _recording_id: str) -> None:
        raise DiskFull("no room")

    with pytest.raises(DiskFull):
        studio.recordings.intake.take([b"x"], HTTP, beside)
    assert studio.rows("SELECT 1 FROM recording") == []
    assert studio.lines() == []
    # The file stays, for a commit that failed may yet be found in the database.
    assert len(originals(studio)) == 1
    assert studio.post() is not None


@pytest.mark.scenario("recordings", "Order of taking is that of arrival")
def test_ids_are_in_the_order_of_arrival(studio: Studio) -> None:
    posted = [studio.post() for _ in range(3)]
    studio.clock.set(MORNING_US - 10**9)
    posted += [studio.recordings.intake.take([b"x"], HTTP) for _ in range(3)]
    ids = [one.recording_id for one in posted]
    assert sorted(ids) == ids
    assert len({parse_id(one) for one in ids}) == 6
    assert posted[-1].accepted_at_us == MORNING_US - 10**9


def test_many_at_once_all_get_their_own_place(studio: Studio) -> None:
    def take() -> None:
        for _ in range(5):
            studio.recordings.intake.take([b"x"], HTTP)

    threads = [threading.Thread(target=take, daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    found = [row[0] for row in studio.rows("SELECT recording_id FROM recording ORDER BY number")]
    assert len(found) == 20
    assert sorted(found) == found
    assert len(originals(studio)) == 20


def test_half_a_file_of_an_earlier_run_is_removed(studio: Studio) -> None:
    studio.recordings.places.incoming.mkdir(parents=True)
    part = files.Part.create(studio.recordings.places.incoming)
    part.write(b"x")
    part.sync()
    studio.recordings.prepare()
    assert not part.path.exists()


# Names


def test_ids_sort_by_time_and_lead_nowhere_else() -> None:
    one = make_id(MORNING_US, "5f3a9c1e")
    assert one == "20260802T080142.123456Z-5f3a9c1e"
    assert parse_id(one) == MORNING_US
    assert folder_of(one) == "2026/08/02"
    assert make_id(MORNING_US + 1, "00000000") > one
    for text in ("", "..", one + "x", one.replace("2026", "../."), one.upper()):
        assert parse_id(text) is None
    with pytest.raises(ValueError, match="no id"):
        make_id(MORNING_US, "../../..")


@pytest.mark.parametrize(
    ("name", "extension"),
    [("Note.M4A", "m4a"), ("voice/file_7.oga", "oga"), ("noext", "bin"), ("x.", "bin"),
     ("x.tar/../../etc", "bin"), ("x.averylongend", "bin"), ("a.b.mp3", "mp3"), ("x.é", "bin")],
)  # fmt: skip
def test_extensions_are_harmless(name: str, extension: str) -> None:
    assert extension_of(name) == extension


def test_paths_are_made_of_ids_alone(tmp_path: Path) -> None:
    places, one = Places(tmp_path), make_id(MORNING_US, "5f3a9c1e")
    assert places.original(one, "m4a") == tmp_path / f"audio/2026/08/02/{one}.m4a"
    assert places.normalised(one) == tmp_path / f"audio/work/{one}.wav"
    for recording_id, extension in (("../x", "m4a"), (one, "../m4a"), (one, "")):
        with pytest.raises(ValueError, match="no "):
            places.original(recording_id, extension)
    with pytest.raises(ValueError, match="no id"):
        places.normalised("../x")
