"""Elements cut into the bodies of deliveries."""

from __future__ import annotations

import pytest

from healthlog.apple.load import BYTES, ELEMENTS, Loader
from healthlog.apple.scan import Scanner
from tests.support.apple import (
    EXPORTED,
    START,
    body,
    chunks,
    cut,
    export,
    note,
    quantity,
    section,
    tag,
)

ME = tag("Me", {"HKCharacteristicTypeIdentifierBloodType": "HKBloodTypeNotSet"})


def minute(number: int) -> str:
    return f"2026-05-03 {number // 60:02}:{number % 60:02}:00 +0200"


def records(count: int, **more: object) -> list[str]:
    return [quantity("StepCount", n, start=minute(n % 1440), **more) for n in range(count)]


@pytest.mark.scenario("import", "Every attribute is kept")
def test_a_body_holds_the_elements_as_they_stand() -> None:
    found = section(body(ME, quantity("StepCount", "1.50", note("k", "v"), device='a\u2019"<b')))
    assert found["exportDate"] == EXPORTED
    assert found["locale"] == "en_US"
    assert found["me"] == {"HKCharacteristicTypeIdentifierBloodType": "HKBloodTypeNotSet"}
    assert found["elements"] == [
        [
            "Record",
            {
                "type": "HKQuantityTypeIdentifierStepCount",
                "sourceName": "Apple\u00a0Watch",
                "unit": "count",
                "creationDate": "2026-05-03 08:10:00 +0200",
                "startDate": START,
                "endDate": "2026-05-03 08:10:00 +0200",
                "value": "1.50",
                "device": 'a\u2019"<b',
            },
            [["MetadataEntry", {"key": "k", "value": "v"}]],
        ]
    ]


def test_bodies_are_full_with_so_many_elements() -> None:
    found = chunks(export(ME, *records(2 * ELEMENTS + 1)))
    assert [chunk.elements for chunk in found] == [ELEMENTS, ELEMENTS, 1]
    assert ["me" in section(chunk.body) for chunk in found] == [True, False, False]
    assert {section(chunk.body)["exportDate"] for chunk in found} == {EXPORTED}


def test_bodies_are_full_with_so_many_bytes() -> None:
    found = chunks(export(*records(9, device="x" * (BYTES // 4))))
    assert [chunk.elements for chunk in found] == [4, 4, 1]


def test_readings_of_one_time_and_source_stay_together() -> None:
    same = [quantity("StepCount", n) for n in range(3)]
    found = chunks(export(*records(ELEMENTS - 1), *same, *records(2)))
    assert [chunk.elements for chunk in found] == [ELEMENTS + 2, 2]


def test_a_file_that_says_one_thing_for_ever_is_cut_all_the_same() -> None:
    found = chunks(export(*(quantity("StepCount", n) for n in range(2 * ELEMENTS + 5))))
    assert [chunk.elements for chunk in found] == [2 * ELEMENTS, 5]


@pytest.mark.scenario("import", "Second import changes nothing")
def test_the_same_document_gives_the_same_bodies() -> None:
    document = export(ME, *records(ELEMENTS + 10))
    scanner = Scanner()
    loader = Loader(lambda: scanner.root.get("locale"), lambda _: 0)
    again = [chunk.body for chunk in loader.chunks(scanner.elements(cut(document, 999)))]
    assert again == [chunk.body for chunk in chunks(document)]


def test_an_empty_document_gives_no_body() -> None:
    assert chunks(export()) == []


@pytest.mark.scenario("import", "Word of an export is as old as the export")
@pytest.mark.parametrize(
    ("exported", "said_at_us"),
    [
        (EXPORTED, 1_780_297_200_000_000),
        ("2026-06-01 7:00:00\u202fAM +0000", 1_780_297_200_000_000),
        ("yesterday", None),
        (None, None),
    ],
)
def test_the_word_is_as_old_as_the_export(exported: str | None, said_at_us: int | None) -> None:
    scanner = Scanner()
    loader = Loader(lambda: None, lambda _: 0)
    list(loader.chunks(scanner.elements([export(*records(1), exported=exported)])))
    assert loader.said_at_us == said_at_us


def test_half_a_surrogate_becomes_no_body_that_nobody_can_read() -> None:
    found = body(' <Record type="a&#xD83D;b"/>\n')
    assert section(found)["elements"] == [["Record", {"type": "a\ufffdb"}]]
