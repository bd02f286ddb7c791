"""Meta files: written whole, read with patience."""

from __future__ import annotations

import gzip
import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from healthlog.archive.meta import is_as_written, meta_bytes, parse_meta
from healthlog.archive.store import Archive
from healthlog.model import Delivery
from tests.support.accepting import HOUR_US, delivery

BODY = b'{"data":{}}'
FULL = delivery(
    clock_at_us=delivery().received_at_us - HOUR_US,
    said_at_us=delivery().received_at_us - 9 * HOUR_US,
    clock_doubtful=True,
    imported=True,
    content_type="text/plain",
    remote="192.0.2.7",
    automation_id="A",
    automation_name="Täglich \u2013 \U0001f3c3 \u202f",
    aggregation="Days",
    period="Default",
    session_id="S",
    packed_sha256="f" * 64,
)


@pytest.fixture
def archive(data: Path) -> Archive:
    archive = Archive(data)
    archive.prepare()
    return archive


def put(archive: Archive, one: Delivery, meta: bytes | None, body: bytes | None = BODY) -> None:
    """Files put there by hand."""
    archive.body_path(one.delivery_id).parent.mkdir(parents=True, exist_ok=True)
    if body is not None:
        archive.body_path(one.delivery_id).write_bytes(gzip.compress(body))
    if meta is not None:
        archive.meta_path(one.delivery_id).write_bytes(meta)


@pytest.mark.parametrize("one", [delivery(), FULL], ids=["plain", "full"])
def test_a_meta_reads_back_as_it_was(one: Delivery) -> None:
    assert parse_meta(meta_bytes(one)) == one


def test_what_is_absent_or_false_is_left_out() -> None:
    names = ["bytes", "clock_at", "delivery_id", "received_at", "said_at", "sha256"]
    assert sorted(json.loads(meta_bytes(delivery()))) == names


def test_a_meta_in_other_bytes_is_not_as_written() -> None:
    written = meta_bytes(FULL)
    assert is_as_written(written)
    told = json.loads(written)
    spellings = (
        json.dumps(told).encode(),
        written + b"\n",
        written[:-1],
        b"",
        b"[" * 100_000,
        written.replace(b'Z"', b'z"', 1),
    )
    assert not any(map(is_as_written, spellings))
    assert is_as_written(written.replace(b'"remote"', b'"weather"'))  # of a later program


def test_a_doubtful_clock_is_noted() -> None:
    assert json.loads(meta_bytes(FULL))["clock_doubtful"] is True


def test_members_nobody_knows_are_passed_over() -> None:
    told = json.loads(meta_bytes(FULL)) | {"weather": {"rain": True}}
    assert parse_meta(json.dumps(told).encode()) == FULL


BROKEN = [
    b"",
    b"{",
    b"[]",
    b"null",
    b"{}",
    b"\xff\xfe",
    b"[" * 100_000,
    *(
        json.dumps(json.loads(meta_bytes(delivery())) | change).encode()
        for change in (
            {"packed_sha256": None},
            {"packed_sha256": "0" * 63},
            {"bytes": "10"},
            {"bytes": True},
            {"bytes": -1},
            {"bytes": 2**63},
            {"sha256": "5"},
            {"received_at": "yesterday"},
            {"received_at": None},
            {"clock_at": 7},
            {"automation_name": 7},
            {"automation_name": "\ud800"},
        )
    ),
]


@pytest.mark.parametrize("data", BROKEN, ids=range(len(BROKEN)))
def test_what_is_no_meta_is_a_value_error(data: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - which one is nobody's business
        parse_meta(data)


# Known from the archive


def test_a_delivery_is_known_from_its_meta(archive: Archive) -> None:
    put(archive, FULL, meta_bytes(FULL))
    assert archive.delivery(FULL.delivery_id) == FULL


@pytest.mark.parametrize("meta", [None, b"", b"{}"], ids=["missing", "empty", "broken"])
def test_without_meta_it_is_known_from_its_name(archive: Archive, meta: bytes | None) -> None:
    put(archive, FULL, meta)
    us = FULL.received_at_us
    sha256 = hashlib.sha256(BODY).hexdigest()
    assert archive.meta(FULL.delivery_id) is None
    packed = archive.body_path(FULL.delivery_id).read_bytes()
    assert archive.delivery(FULL.delivery_id) == Delivery(
        *(FULL.delivery_id, us, us, us, len(BODY), sha256),
        packed_sha256=hashlib.sha256(packed).hexdigest(),
    )


@pytest.mark.parametrize(
    "other",
    [replace(FULL, delivery_id=delivery(5).delivery_id), replace(FULL, received_at_us=5)],
    ids=["id", "instant"],
)
def test_a_meta_of_another_delivery_is_not_believed(archive: Archive, other: Delivery) -> None:
    put(archive, FULL, meta_bytes(other))
    assert archive.meta(FULL.delivery_id) is None
    assert archive.delivery(FULL.delivery_id).automation_id is None


def test_an_unreadable_body_without_meta_has_no_checksum(archive: Archive) -> None:
    put(archive, FULL, None)
    archive.body_path(FULL.delivery_id).write_bytes(b"garbage")
    known = archive.delivery(FULL.delivery_id)
    assert (known.bytes, known.sha256) == (0, "")
    assert known.position == FULL.position


def test_what_is_no_id_is_no_delivery(archive: Archive) -> None:
    with pytest.raises(ValueError, match="not an id"):
        archive.delivery("../x")
