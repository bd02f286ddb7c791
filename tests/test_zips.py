"""Zips that somebody else made."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path

import pytest

from healthlog.imports.zips import BadZip, open_zip, unpacked, whole
from tests.support.apple import zipped


def write(folder: Path, content: bytes) -> Path:
    path = folder / "some.zip"
    path.write_bytes(content)
    return path


def test_members_are_read_in_pieces(tmp_path: Path) -> None:
    content = bytes(range(256)) * 1_000
    with open_zip(write(tmp_path, zipped({"a/b.xml": content}))) as archive:
        [member] = archive.infolist()
        pieces = list(unpacked(archive, member))
        assert (b"".join(pieces), len(pieces)) == (content, 4)
        assert whole(archive, member, len(content)) == content
        assert whole(archive, member, len(content) - 1) is None


@pytest.mark.parametrize("content", [b"PK", b"PK\x03\x04" + b"x" * 100, b""])
def test_what_is_no_zip_is_said(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(BadZip, match="no zip"), open_zip(write(tmp_path, content)):
        pass


@pytest.mark.scenario("import", "Hostile zip does no harm")
def test_damage_inside_is_said_with_the_member(tmp_path: Path) -> None:
    packed = bytearray(zipped({"folder/a.xml": b"<HealthData/>" * 1_000}))
    packed[60] ^= 0xFF
    with open_zip(write(tmp_path, bytes(packed))) as archive:
        [member] = archive.infolist()
        with pytest.raises(BadZip, match=r"a\.xml in it is damaged"):
            list(unpacked(archive, member))


def test_an_encrypted_member_is_locked(tmp_path: Path) -> None:
    packed = bytearray(zipped({"a.xml": b"<HealthData/>"}))
    packed[packed.index(b"PK\x01\x02") + 8] |= 1
    packed[6] |= 1
    with open_zip(write(tmp_path, bytes(packed))) as archive:
        [member] = archive.infolist()
        with pytest.raises(BadZip, match="locked"):
            list(unpacked(archive, member))


@pytest.mark.scenario("import", "Hostile zip does no harm")
def test_an_endless_directory_is_not_read(tmp_path: Path) -> None:
    packed = bytearray(zipped({"a": b""}))
    struct.pack_into("<I", packed, packed.rindex(b"PK\x05\x06") + 12, 200 * 1024 * 1024)
    with pytest.raises(BadZip, match="directory"), open_zip(write(tmp_path, bytes(packed))):
        pass


def test_an_endless_directory_of_a_large_zip_is_not_read(tmp_path: Path) -> None:
    end = b"PK\x06\x06" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, 1, 1, 2**40, 0)
    locator = b"PK\x06\x07" + struct.pack("<IQI", 0, 4, 1)
    plain = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    with (
        pytest.raises(BadZip, match="directory"),
        open_zip(write(tmp_path, b"PK\x03\x04" + end + locator + plain)),
    ):
        pass


def test_a_bomb_is_given_up_at_its_limit(tmp_path: Path) -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb.gpx", b"\0" * 50_000_000)
    with open_zip(write(tmp_path, target.getvalue())) as archive:
        [member] = archive.infolist()
        assert whole(archive, member, 1_000_000) is None
