"""A body on its way: what it says about itself, what its file holds."""

from __future__ import annotations

import gzip
import hashlib
import tracemalloc
from itertools import product
from pathlib import Path

import pytest

from healthlog.archive.body import BodyWriter
from healthlog.base.errors import IOFault
from tests.support.disk import WatchedDisk

BOM = b"\xef\xbb\xbf"
ODD = '{"a":"x\u202fy\\/", "b" : 0.16799999999999998}\r\n'.encode()


@pytest.fixture
def disk() -> WatchedDisk:
    return WatchedDisk()


@pytest.fixture
def writer(disk: WatchedDisk, tmp_path: Path) -> BodyWriter:
    folder = tmp_path / "archive" / "incoming"
    folder.mkdir(parents=True)
    return BodyWriter(disk.part(folder))


def only_file(tmp_path: Path) -> Path:
    [path] = [path for path in tmp_path.rglob("*") if path.is_file()]
    return path


def test_the_file_unpacks_to_the_bytes_written(writer: BodyWriter, tmp_path: Path) -> None:
    writer.write(ODD[:7])
    writer.write(ODD[7:])
    writer.finish()
    assert gzip.decompress(only_file(tmp_path).read_bytes()) == ODD


def test_size_with_checksum_are_of_the_uncompressed_body(writer: BodyWriter) -> None:
    writer.write(ODD[:7])
    writer.write(ODD[7:])
    assert (writer.size, writer.sha256) == (len(ODD), hashlib.sha256(ODD).hexdigest())


def test_the_gzip_container_has_no_time_in_it(writer: BodyWriter, tmp_path: Path) -> None:
    writer.write(ODD)
    writer.finish()
    assert only_file(tmp_path).read_bytes()[4:8] == bytes(4)


def test_finishing_syncs_the_file(writer: BodyWriter, disk: WatchedDisk) -> None:
    writer.write(ODD)
    writer.finish()
    assert disk.events[-2:] == ["write part 1", "sync part 1"]


def test_a_failed_sync_is_not_repeated(writer: BodyWriter, disk: WatchedDisk) -> None:
    disk.fail("sync part 1", IOFault("the device failed"))
    with pytest.raises(IOFault), writer:
        writer.finish()
    assert disk.events.count("sync part 1") == 1


def test_leaving_the_context_removes_the_part(writer: BodyWriter, tmp_path: Path) -> None:
    with writer:
        writer.write(ODD)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_renamed_body_survives_its_context(writer: BodyWriter, tmp_path: Path) -> None:
    with writer:
        writer.finish()
        writer.rename(tmp_path / "kept")
    assert only_file(tmp_path) == tmp_path / "kept"


def test_memory_does_not_grow_with_the_body(writer: BodyWriter) -> None:
    piece = bytes(range(256)) * 256
    tracemalloc.start()
    try:
        for _ in range(256):
            writer.write(piece)
        writer.finish()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert writer.size == 16 * 1024 * 1024
    assert peak < 1024 * 1024


def in_two(body: bytes) -> list[tuple[bytes, ...]]:
    """The body whole, in bytes, in two pieces at every place."""
    cuts = [(body[:n], body[n:]) for n in range(len(body) + 1)]
    return [(body,), tuple(bytes([one]) for one in body), *cuts]


@pytest.mark.parametrize(
    ("before", "between", "after"),
    list(
        product([b"", BOM, b" \r\n", BOM + b"\t "], [b"", b" ", b'"a":1'], [b"", b"\n", b" \t\r\n"])
    ),
)
def test_braces_are_seen_through_blanks(
    before: bytes, between: bytes, after: bytes, tmp_path: Path
) -> None:
    body = before + b"{" + between + b"}" + after
    for pieces in in_two(body):
        writer = BodyWriter(WatchedDisk().part(tmp_path))
        for piece in pieces:
            writer.write(piece)
        assert (writer.braced, writer.empty) == (True, False), pieces


@pytest.mark.parametrize(
    "body",
    [
        b"[1]",
        b'"x"',
        b"{",
        b"}",
        b'{"data":',
        b"{}]",
        b"x{}",
        b" {}" + BOM,
        b" " + BOM + b"{}",
        b"\0{}",
    ],
)
def test_other_ends_are_seen_through_blanks(body: bytes, tmp_path: Path) -> None:
    for pieces in in_two(body):
        writer = BodyWriter(WatchedDisk().part(tmp_path))
        for piece in pieces:
            writer.write(piece)
        assert (writer.braced, writer.empty) == (False, False), pieces


@pytest.mark.parametrize("body", [b"", b" ", b"\r\n\t ", BOM, BOM + b"  ", BOM[:1], BOM[:2]])
def test_blanks_alone_are_empty(body: bytes, tmp_path: Path) -> None:
    for pieces in in_two(body):
        writer = BodyWriter(WatchedDisk().part(tmp_path))
        for piece in pieces:
            writer.write(piece)
        assert (writer.braced, writer.empty) == (False, True), pieces
