"""The archive: how a body is placed, how it is read back, what it does when that fails."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from healthlog.archive.body import BodyWriter
from healthlog.archive.read import Unreadable
from healthlog.archive.store import Archive
from healthlog.base.errors import Inaccessible, IOFault
from healthlog.base.files import Part
from healthlog.model import Delivery
from tests.support.accepting import delivery
from tests.support.disk import WatchedDisk

ODD = '{"a":"x\u202fy\\/", "b" : 0.16799999999999998}\r\n'.encode()
FULL = {
    "content_type": "application/json",
    "remote": "192.0.2.7",
    "automation_id": "6F2A-\u2019",
    "automation_name": "Täglich \u2013 Minuten",
    "aggregation": "Minutes",
    "period": "Default",
    "session_id": "77AA",
}


@pytest.fixture
def disk() -> WatchedDisk:
    return WatchedDisk()


@pytest.fixture
def archive(data: Path, disk: WatchedDisk) -> Archive:
    archive = Archive(data, disk)
    archive.prepare()
    return archive


@pytest.fixture
def writer(archive: Archive) -> Iterator[BodyWriter]:
    """ODD, written and synced."""
    with archive.writer() as writer:
        writer.write(ODD)
        writer.finish()
        yield writer


def described(writer: BodyWriter, **fields: Any) -> Delivery:
    known: dict[str, Any] = {
        "bytes": writer.size,
        "sha256": writer.sha256,
        "packed_sha256": writer.packed_sha256,
    }
    return delivery(**known, **fields)


def files(archive: Archive) -> list[str]:
    return sorted(path.name for path in archive.root.rglob("*") if path.is_file())


@pytest.mark.scenario("archive", "Body reads back byte for byte")
def test_the_body_reads_back_byte_for_byte(archive: Archive, writer: BodyWriter) -> None:
    one = described(writer)
    archive.place(writer, one)
    assert gzip.decompress(archive.body_path(one.delivery_id).read_bytes()) == ODD
    assert archive.read(one.delivery_id, one.sha256, len(ODD)) == ODD


def test_both_files_lie_in_the_folder_of_the_day(archive: Archive, writer: BodyWriter) -> None:
    one = described(writer)
    archive.place(writer, one)
    day = archive.root / "2026" / "08" / "02"
    names = [one.delivery_id + ".json.gz", one.delivery_id + ".meta.json"]
    assert sorted(path.name for path in day.iterdir()) == names
    assert files(archive) == names


@pytest.mark.scenario("archive", "Meta describes its body")
def test_the_meta_says_what_is_known(archive: Archive, writer: BodyWriter) -> None:
    one = described(writer, **FULL)
    archive.place(writer, one)
    assert json.loads(archive.meta_path(one.delivery_id).read_bytes()) == {
        "delivery_id": one.delivery_id,
        "received_at": "2026-08-02T08:01:42.123456Z",
        "clock_at": "2026-08-02T08:01:42.123456Z",
        "said_at": "2026-08-02T08:01:42.123456Z",
        "bytes": len(ODD),
        "sha256": writer.sha256,
        "packed_sha256": hashlib.sha256(
            archive.body_path(one.delivery_id).read_bytes()
        ).hexdigest(),
        **FULL,
    }
    assert archive.meta(one.delivery_id) == one


def test_files_belong_to_the_owner_alone(archive: Archive, writer: BodyWriter) -> None:
    archive.place(writer, described(writer))
    for path in archive.root.rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path


def test_a_delivery_is_made_durable_in_order(
    archive: Archive, writer: BodyWriter, disk: WatchedDisk
) -> None:
    archive.place(writer, described(writer))
    steps = [event for event in disk.events if not event.startswith(("create", "write"))]
    assert steps == [
        "make incoming",
        "sync part 1",
        "make 2026/08/02",
        "sync 2026/08",
        "sync 2026",
        "sync archive",
        "sync part 2",
        "rename part 2 to meta",
        "rename part 1 to body",
        "sync 2026/08/02",
    ]


def test_parents_are_synced_once_a_day(archive: Archive, disk: WatchedDisk) -> None:
    for number in range(3):
        with archive.writer() as writer:
            writer.finish()
            archive.place(writer, delivery(number))
    assert disk.events.count("sync 2026/08") == 1
    assert disk.events.count("sync 2026/08/02") == 3


@pytest.mark.parametrize(
    "event",
    [
        "make 2026/08/02",
        "sync 2026",
        "create part 2",
        "write part 2",
        "sync part 2",
        "rename part 2 to meta",
        "rename part 1 to body",
        "sync 2026/08/02",
    ],
)
def test_a_failed_step_leaves_nothing(
    archive: Archive, writer: BodyWriter, disk: WatchedDisk, event: str
) -> None:
    disk.fail(event, IOFault("the device failed"))
    with pytest.raises(IOFault):
        archive.place(writer, described(writer))
    assert files(archive) == []
    assert disk.events.count(event) == 1


def test_a_body_that_cannot_be_taken_back_keeps_its_meta(
    archive: Archive, writer: BodyWriter, disk: WatchedDisk
) -> None:
    one = described(writer)
    disk.fail("sync 2026/08/02", IOFault("the device failed"))
    disk.fail("remove body", IOFault("the device failed"))
    with pytest.raises(IOFault):
        archive.place(writer, one)
    assert archive.holds(one.delivery_id)
    assert archive.meta(one.delivery_id) == one


def test_a_body_whose_name_is_taken_takes_its_meta_back(
    archive: Archive, writer: BodyWriter
) -> None:
    one = described(writer)
    archive.body_path(one.delivery_id).mkdir(parents=True)
    with pytest.raises(Inaccessible, match="irectory"):
        archive.place(writer, one)
    assert not archive.holds(one.delivery_id)
    assert files(archive) == []


def test_a_file_where_the_month_should_be_is_an_error(archive: Archive, writer: BodyWriter) -> None:
    (archive.root / "2026").mkdir()
    (archive.root / "2026" / "08").write_bytes(b"")
    with pytest.raises(OSError, match="08"):
        archive.place(writer, described(writer))
    assert files(archive) == ["08"]


def test_an_unfinished_body_is_not_placed(archive: Archive) -> None:
    with archive.writer() as writer:
        with pytest.raises(ValueError, match="synced"):
            archive.place(writer, delivery())
        assert files(archive) == []


def test_sweeping_removes_the_parts(archive: Archive, data: Path) -> None:
    Part.create(archive.incoming).write(b"half")
    assert [path.suffix for path in Archive(data).sweep()] == [".part"]
    assert files(archive) == []


@pytest.mark.parametrize("text", ["", "..", "20260802T080142.123456Z-5f3a9c1e/../x"])
def test_what_is_no_id_never_becomes_a_path(archive: Archive, text: str) -> None:
    with pytest.raises(ValueError, match="not an id"):
        archive.body_path(text)
    with pytest.raises(ValueError, match="not an id"):
        archive.meta_path(text)
    with pytest.raises(Unreadable):
        archive.read(text, "", 1000)
