"""Where an `export.xml` begins."""

from __future__ import annotations

import pytest

from healthlog.apple.stream import NotAppleHealth, from_root, is_export
from tests.support.apple import BROKEN, SOUND, cut, export


@pytest.mark.parametrize("size", [1, 7, 100_000])
@pytest.mark.parametrize("dtd", [SOUND, BROKEN, ""])
def test_what_stands_before_the_root_is_left_out(dtd: str, size: int) -> None:
    document = export(dtd=dtd)
    found = b"".join(from_root(cut(document, size)))
    assert found == document[document.index(b"<HealthData ") :]


def test_a_file_without_the_root_is_none() -> None:
    with pytest.raises(NotAppleHealth, match="no HealthData"):
        list(from_root([b"<?xml version='1.0'?><ClinicalDocument/>"]))
    with pytest.raises(NotAppleHealth, match="no HealthData"):
        list(from_root(b" " * 65_536 for _ in range(1_000_000)))


@pytest.mark.scenario("import", "Entities are refused")
def test_declared_entities_are_refused() -> None:
    dtd = '<!DOCTYPE HealthData [<!ENTITY a "x"><!ENTITY b "&a;&a;">]>\n'
    with pytest.raises(NotAppleHealth, match="entities"):
        list(from_root([export(dtd=dtd)]))


def test_an_export_is_told_by_its_beginning() -> None:
    assert is_export(export())
    assert is_export(export(dtd=BROKEN)[:60])
    assert is_export(export(dtd=""))
    assert not is_export(b"<?xml version='1.0'?><ClinicalDocument xmlns='urn:hl7-org:v3'>")
    assert not is_export(b'{"data":{}}')
