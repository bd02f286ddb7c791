"""Bodies read back: whole, in pieces, or refused as unreadable."""

from __future__ import annotations

import gzip
import random
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from healthlog.archive.read import PIECE, TooLong, Unreadable
from healthlog.archive.store import Archive
from healthlog.base.errors import NoDescriptors
from healthlog.model import Delivery
from tests.support.accepting import delivery

ODD = '{"a":"x\u202fy\\/", "b" : 0.16799999999999998}\r\n'.encode()


@pytest.fixture
def archive(data: Path) -> Archive:
    archive = Archive(data)
    archive.prepare()
    return archive


@pytest.fixture
def placed(archive: Archive) -> Delivery:
    """ODD as a delivery of the archive."""
    with archive.writer() as writer:
        writer.write(ODD)
        writer.finish()
        one = delivery(bytes=writer.size, sha256=writer.sha256)
        archive.place(writer, one)
    return one


@contextmanager
def no_descriptors() -> Iterator[None]:
    """Nothing can be opened inside the block."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.scenario("archive", "Changed body is reported unreadable")
def test_another_body_is_unreadable(archive: Archive, placed: Delivery) -> None:
    archive.body_path(placed.delivery_id).write_bytes(gzip.compress(ODD + b" "))
    with pytest.raises(Unreadable, match="checksum"):
        archive.read(placed.delivery_id, placed.sha256, 1000)


def test_a_missing_body_is_unreadable(archive: Archive, placed: Delivery) -> None:
    archive.body_path(placed.delivery_id).unlink()
    with pytest.raises(Unreadable, match="missing"):
        archive.read(placed.delivery_id, placed.sha256, 1000)
    with pytest.raises(Unreadable, match="missing"):
        archive.stream(placed.delivery_id)


def damaged(packed: bytes) -> list[bytes]:
    """Cut at every place, garbage, a flipped byte in the middle, garbage behind the end."""
    middle = len(packed) // 2
    flipped = packed[:middle] + bytes([packed[middle] ^ 0xFF]) + packed[middle + 1 :]
    return [*(packed[:n] for n in range(len(packed))), b"garbage" * 9, flipped, packed + b"x"]


def test_a_damaged_file_is_unreadable(archive: Archive, placed: Delivery) -> None:
    path = archive.body_path(placed.delivery_id)
    for packed in damaged(path.read_bytes()):
        path.write_bytes(packed)
        with pytest.raises(Unreadable):
            archive.read(placed.delivery_id, "", 1000)


def test_a_folder_in_place_of_a_body_is_unreadable(archive: Archive, placed: Delivery) -> None:
    archive.body_path(placed.delivery_id).unlink()
    archive.body_path(placed.delivery_id).mkdir()
    with pytest.raises(Unreadable):
        archive.read(placed.delivery_id, placed.sha256, 1000)


def test_a_body_above_the_limit_is_too_long(archive: Archive, placed: Delivery) -> None:
    with pytest.raises(TooLong):
        archive.read(placed.delivery_id, placed.sha256, len(ODD) - 1)


def test_a_body_of_several_gzip_members_is_joined(archive: Archive, placed: Delivery) -> None:
    packed = gzip.compress(ODD[:9]) + gzip.compress(ODD[9:])
    archive.body_path(placed.delivery_id).write_bytes(packed)
    assert archive.read(placed.delivery_id, placed.sha256, 1000) == ODD


def test_a_body_streams_in_bounded_pieces(archive: Archive, placed: Delivery) -> None:
    body = b"{" + b" " * 3_000_000 + b"}"
    archive.body_path(placed.delivery_id).write_bytes(gzip.compress(body))
    pieces = list(archive.stream(placed.delivery_id))
    assert b"".join(pieces) == body
    assert max(len(piece) for piece in pieces) <= 256 * 1024


@pytest.mark.parametrize("size", [PIECE - 1, PIECE, PIECE + 1, 3 * PIECE])
@pytest.mark.parametrize("kind", ["even", "odd"])
def test_a_body_of_any_size_is_whole(
    archive: Archive, placed: Delivery, size: int, kind: str
) -> None:
    body = b"0" * size if kind == "even" else random.Random(size).randbytes(size)
    archive.body_path(placed.delivery_id).write_bytes(gzip.compress(body, 1))
    assert b"".join(archive.stream(placed.delivery_id)) == body


def test_a_body_that_is_cut_anywhere_is_unreadable(archive: Archive, placed: Delivery) -> None:
    path = archive.body_path(placed.delivery_id)
    packed = path.read_bytes()
    for length in range(len(packed)):
        path.write_bytes(packed[:length])
        with pytest.raises(Unreadable):
            list(archive.stream(placed.delivery_id))
    for behind in (b"\0\0", packed, b"\0" + packed, b"\0" * PIECE):
        path.write_bytes(packed + behind)
        assert b"".join(archive.stream(placed.delivery_id)) == gzip.decompress(packed + behind)
    for behind in (b"x", b"\0x", packed[:-1]):
        path.write_bytes(packed + behind)
        with pytest.raises(Unreadable):
            list(archive.stream(placed.delivery_id))


def test_the_size_is_measured_by_reading(archive: Archive, placed: Delivery) -> None:
    assert archive.measure(placed.delivery_id) == (placed.bytes, placed.sha256)


def test_used_up_descriptors_stay_a_circumstance(archive: Archive, placed: Delivery) -> None:
    with no_descriptors(), pytest.raises(NoDescriptors):
        archive.read(placed.delivery_id, placed.sha256, 1000)
    with no_descriptors(), pytest.raises(NoDescriptors):
        archive.delivery(placed.delivery_id)
