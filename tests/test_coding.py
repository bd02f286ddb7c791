"""Content codings taken off a body."""

from __future__ import annotations

import gzip
import random
import tracemalloc
import zlib

import pytest

from healthlog.base.coding import CodingUnknown, decoded
from healthlog.base.http1 import Body, Cut, Malformed, Reader, TooLarge
from tests.support.http import MIB, Pieces, single

TEXT = b'{"data":{"metrics":[]}}' * 1000
ZIPPED = gzip.compress(TEXT, mtime=0)
NOISE = random.Random(1).randbytes(300_000)


def body_of(*pieces: bytes) -> Body:
    return Body(Reader(Pieces(*pieces)), sum(map(len, pieces)))


def whole(data: bytes, encoding: str | None = "gzip", limit: int = MIB) -> bytes:
    return b"".join(decoded(body_of(data), encoding, limit))


@pytest.mark.parametrize("encoding", [None, "", "identity", " Identity\t"])
def test_without_a_coding_bytes_pass_as_they_are(encoding: str | None) -> None:
    assert whole(ZIPPED, encoding) == ZIPPED


@pytest.mark.parametrize("encoding", ["gzip", "GZIP", " x-gzip "])
def test_gzip_is_taken_off(encoding: str) -> None:
    assert whole(ZIPPED, encoding) == TEXT


@pytest.mark.parametrize(
    "encoding", ["br", "zstd", "deflate", "compress", "gzip, gzip", "gzip, identity", "utf-8"]
)
def test_an_unknown_coding_is_refused_before_anything_is_read(encoding: str) -> None:
    source = Pieces(ZIPPED)
    with pytest.raises(CodingUnknown):
        decoded(Body(Reader(source), len(ZIPPED)), encoding, MIB)
    assert source.calls == 0


def test_gzip_may_come_byte_by_byte() -> None:
    body = Body(Reader(single(ZIPPED)), len(ZIPPED))
    assert b"".join(decoded(body, "gzip", MIB)) == TEXT


def test_gzip_may_come_in_chunks() -> None:
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(one), one) for one in (ZIPPED[:9], ZIPPED[9:]))
    body = Body(Reader(Pieces(chunks + b"0\r\n\r\n")), None, chunked=True)
    assert b"".join(decoded(body, "gzip", MIB)) == TEXT


def test_gzip_that_does_not_shrink_is_taken_off() -> None:
    assert whole(gzip.compress(NOISE)) == NOISE


def test_the_body_is_finished_when_all_is_decoded() -> None:
    body = body_of(ZIPPED)
    list(decoded(body, "gzip", MIB))
    assert body.finished


def test_members_behind_one_another_are_one_text() -> None:
    data = gzip.compress(b"a" * 100_000) + gzip.compress(b"") + gzip.compress(NOISE)
    assert whole(data) == b"a" * 100_000 + NOISE


def test_a_body_of_countless_empty_members_is_refused() -> None:
    with pytest.raises(Malformed):
        whole(gzip.compress(b"") * 2000)


BAD: dict[str, bytes] = {
    "no gzip": TEXT,
    "nothing": b"",
    "zlib": zlib.compress(TEXT),
    "raw deflate": zlib.compress(TEXT)[2:-4],
    "half a header": ZIPPED[:5],
    "header alone": ZIPPED[:10],
    "cut in the middle": ZIPPED[: len(ZIPPED) // 2],
    "cut before the checksum": ZIPPED[:-8],
    "cut in the checksum": ZIPPED[:-1],
    "wrong checksum": ZIPPED[:-8] + b"\0\0\0\0" + ZIPPED[-4:],
    "wrong size": ZIPPED[:-4] + b"\0\0\0\0",
    "flipped bit": ZIPPED[:30] + bytes([ZIPPED[30] ^ 1]) + ZIPPED[31:],
    "text behind": ZIPPED + b"text",
    "zeros behind": ZIPPED + bytes(8),
    "half a member behind": ZIPPED + ZIPPED[:20],
}


@pytest.mark.parametrize("name", BAD)
def test_bad_gzip_is_malformed(name: str) -> None:
    with pytest.raises(Malformed) as bad:
        whole(BAD[name])
    assert not isinstance(bad.value, CodingUnknown)
    assert str(bad.value).endswith(".")


@pytest.mark.parametrize("encoding", [None, "gzip"])
def test_the_limit_is_on_the_decoded_size(encoding: str | None) -> None:
    data = ZIPPED if encoding else TEXT
    assert whole(data, encoding, limit=len(TEXT)) == TEXT
    with pytest.raises(TooLarge) as large:
        whole(data, encoding, limit=len(TEXT) - 1)
    assert large.value.limit_bytes == len(TEXT) - 1


def test_no_more_than_the_limit_is_given_before_the_refusal() -> None:
    given = bytearray()
    pieces = decoded(body_of(gzip.compress(bytes(8 * MIB))), "gzip", MIB)
    with pytest.raises(TooLarge):
        given.extend(byte for piece in pieces for byte in piece)
    assert len(given) <= MIB


def test_a_bomb_never_stands_in_memory() -> None:
    bomb = gzip.compress(bytes(32 * MIB))
    tracemalloc.start()
    try:
        with pytest.raises(TooLarge):
            for _ in decoded(body_of(bomb), "gzip", 16 * MIB):
                pass
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2 * MIB


def test_pieces_are_of_256_kib_at_most() -> None:
    pieces = list(decoded(body_of(gzip.compress(bytes(MIB))), "gzip", MIB))
    assert max(map(len, pieces)) <= 262144
    assert all(pieces)


@pytest.mark.parametrize("encoding", [None, "gzip"])
def test_a_cut_body_is_cut_whatever_its_coding(encoding: str | None) -> None:
    body = Body(Reader(Pieces(ZIPPED[:-1])), len(ZIPPED))
    with pytest.raises(Cut):
        list(decoded(body, encoding, MIB))
