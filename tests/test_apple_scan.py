"""Elements out of bytes, whole or damaged."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Iterator

import pytest

from healthlog.apple.scan import ELEMENT_MAX, Scanner
from healthlog.apple.stream import NotAppleHealth
from tests.support.apple import (
    BROKEN,
    END,
    START,
    category,
    cut,
    export,
    note,
    quantity,
    scanned,
    statistic,
    tag,
    workout,
)

DOUBLED = (
    f'  <WorkoutStatistics type="HKQuantityTypeIdentifierHeartRate" startDate="{START}"'
    f' startDate="{END}" average="140" unit="count/min"/>\n'
)


def names(document: bytes) -> list[str]:
    return [element[1].get("id", element[0]) for element in scanned(document)[0]]


@pytest.mark.scenario("import", "Every attribute is kept")
def test_attributes_are_kept_as_they_stand() -> None:
    device = "<<HKDevice: 0x1>, name:Apple Watch, \"left\" & 'right'>"
    [element] = scanned(export(quantity("StepCount", "12.50", device=device, new="\u00e9\u2019")))[
        0
    ][1:]
    assert element[0] == "Record"
    assert list(element[1]) == [
        *("type", "sourceName", "unit", "creationDate", "startDate", "endDate", "value"),
        *("device", "new"),
    ]
    assert (element[1]["device"], element[1]["value"]) == (device, "12.50")
    assert (element[1]["sourceName"], element[1]["new"]) == ("Apple\u00a0Watch", "\u00e9\u2019")


def test_elements_inside_stand_in_the_one_they_belong_to() -> None:
    document = export(
        workout("Running", note("a", 1), statistic("HeartRate", "count/min", average=1)),
        tag("Correlation", {"type": "c"}, tag("Record", {"type": "r"}, note("b", 2, 3), indent=2)),
    )
    _, ran, pair = scanned(document)[0]
    assert [inner[0] for inner in ran[2]] == ["MetadataEntry", "WorkoutStatistics"]
    assert pair == [
        "Correlation",
        {"type": "c"},
        [["Record", {"type": "r"}, [["MetadataEntry", {"key": "b", "value": "2"}]]]],
    ]


def test_the_root_tells_its_attributes_and_the_end() -> None:
    elements, scanner = scanned(export(exported=None))
    assert (elements, scanner.root, scanner.cut) == ([], {"locale": "en_US"}, False)


@pytest.mark.scenario("import", "Broken DTD is tolerated")
def test_a_broken_dtd_changes_nothing() -> None:
    inside = (quantity("StepCount"), workout("Running"))
    assert scanned(export(*inside, dtd=BROKEN))[0] == scanned(export(*inside))[0]


@pytest.mark.scenario("import", "Doubled date of a statistic is put right")
def test_a_start_told_twice_is_start_and_end() -> None:
    elements, scanner = scanned(export(workout("Running", DOUBLED), quantity("StepCount")))
    [statistics] = elements[1][2]
    assert (statistics[1]["startDate"], statistics[1]["endDate"]) == (START, END)
    assert (len(elements), scanner.mended, scanner.damaged, scanner.cut) == (3, 1, 0, False)


def test_another_attribute_told_twice_counts_once() -> None:
    elements, scanner = scanned(export(' <Record type="a" type="b" value="1"/>\n'))
    assert elements[1:] == [["Record", {"type": "a", "value": "1"}]]
    assert scanner.mended == 1


@pytest.mark.scenario("import", "Characters that are none are replaced")
@pytest.mark.parametrize("bad", ["\x0b", "\x00", "&#x0b;", "&#11;", "&#xFFFE;"])
def test_a_character_that_xml_has_no_place_for_is_replaced(bad: str) -> None:
    document = export(f' <Record type="a{bad}b"/>\n', quantity("StepCount"))
    elements, scanner = scanned(document)
    assert elements[1] == ["Record", {"type": "a\ufffdb"}]
    assert (len(elements), scanner.replaced, scanner.damaged) == (3, 1, 0)


def test_bytes_that_are_no_text_are_replaced() -> None:
    document = export(' <Record type="a\u00e9b"/>\n').replace(b"\xc3\xa9", b"\xc3")
    elements, scanner = scanned(document)
    assert elements[1] == ["Record", {"type": "a\ufffdb"}]
    assert scanner.replaced == 1


@pytest.mark.scenario("import", "Damaged element is left out alone")
@pytest.mark.parametrize(
    "damage",
    [
        ' <Record id="x" value=1/>\n',
        ' <Record id="x" value="&lol;"/>\n',
        ' <Record id="x">\n  <MetadataEntry key="a"/>\n </Correlation>\n',
        ' <Record id="x" HKWas UserEntered="0"/>\n',
        " <Record id=<<>\n",
    ],
)
def test_neighbours_of_what_is_damaged_are_read(damage: str) -> None:
    document = export(' <Record id="a"/>\n', damage, ' <Record id="b"/>\n', ' <Record id="c"/>\n')
    elements, scanner = scanned(document)
    assert [element[1].get("id") for element in elements[1:]] == ["a", "b", "c"]
    assert (scanner.damaged, scanner.cut) == (1, False)


def test_text_that_belongs_nowhere_costs_no_element() -> None:
    elements, scanner = scanned(export(" & more\n", ' <Record id="a"/>\n'))
    assert (elements[1:], scanner.damaged) == ([["Record", {"id": "a"}]], 0)


def test_a_record_inside_is_no_place_to_go_on_at() -> None:
    damaged = tag("Workout", {"id": "x"}, tag("Record", {"id": "inner"}, indent=2), "  <a b=1/>\n")
    assert names(export(damaged, ' <Record id="b"/>\n')) == ["ExportDate", "b"]


def test_a_document_without_line_ends_is_read_around_damage_too() -> None:
    document = b'<HealthData><Record id="a"/><Record id="x" y=1/><Record id="b"/></HealthData>'
    assert names(document) == ["a", "b"]


@pytest.mark.scenario("import", "Cut file is read up to the cut")
def test_a_cut_document_is_read_up_to_the_cut() -> None:
    document = export(' <Record id="a"/>\n', ' <Record id="b">\n', note("k", "v"), " </Record>\n")
    elements, scanner = scanned(document[: document.index(b"</Record>")])
    assert [element[1].get("id") for element in elements[1:]] == ["a"]
    assert (scanner.cut, scanner.damaged) == (True, 1)


def test_what_follows_the_end_means_nothing() -> None:
    elements, scanner = scanned(export(' <Record id="a"/>\n') + b"<Record junk & <")
    assert (len(elements), scanner.damaged, scanner.cut) == (2, 0, False)


def test_places_are_those_of_the_document() -> None:
    document = export(' <Record id="a"/>\n', ' <Record id="x" id="y"/>\n', ' <Record id="b"/>\n')
    root = document.index(b"<HealthData ")
    ends = [found.ends_at for found in Scanner().elements([document])]
    assert ends == sorted(ends)
    assert document[root + ends[1] :].lstrip().startswith(b'<Record id="x"')
    assert document[root + ends[3] :].lstrip().startswith(b"</HealthData>")


def test_an_endless_element_is_refused() -> None:
    def pieces() -> Iterator[bytes]:
        yield b'<HealthData>\n <Record type="'
        while True:
            yield b"x" * 65_536

    with pytest.raises(NotAppleHealth, match="longer than 8 MiB"):
        list(Scanner().elements(pieces()))


@pytest.mark.parametrize("damage", ["", ' <Record a="1" a="2"/>\n'])
def test_elements_that_nest_without_end_are_refused(damage: str) -> None:
    deep = ' <Record id="x">' + "<a>" * 5_000 + "</a>" * 5_000 + "</Record>\n"
    with pytest.raises(NotAppleHealth, match="deeper than 16"):
        scanned(export(damage, deep))


def test_a_long_attribute_is_kept() -> None:
    long = "x" * (ELEMENT_MAX // 4)
    elements, _ = scanned(export(quantity("StepCount", device=long), quantity("StepCount")))
    assert (elements[1][1]["device"], len(elements)) == (long, 3)


def test_damage_everywhere_is_refused() -> None:
    document = export(*(' <Record id="x" y=1/>\n' for _ in range(10_001)))
    with pytest.raises(NotAppleHealth, match="10000 of its elements"):
        scanned(document)


@pytest.mark.scenario("import", "Memory does not grow with the file")
def test_memory_does_not_grow_with_the_document() -> None:
    def pieces(count: int) -> Iterator[bytes]:
        yield b"<HealthData>\n"
        for _ in range(count):
            yield b' <Record type="a" value="1"/>\n' * 1_000
        yield b"</HealthData>"

    def peak(count: int) -> int:
        tracemalloc.start()
        try:
            assert sum(1 for _ in Scanner().elements(pieces(count))) == count * 1_000
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak(60) < peak(3) * 1.5


def test_pieces_never_matter() -> None:
    chance = random.Random(11)
    for _ in range(150):
        document = bytearray(_any_document(chance))
        if chance.random() < 0.5:
            document[chance.randrange(60, len(document))] = chance.randrange(256)
        whole = _told(bytes(document), len(document))
        for size in (1, 5, 64):
            assert _told(bytes(document), size) == whole, bytes(document)


def _any_document(chance: random.Random) -> bytes:
    kinds = (
        ' <Record type="a"/>\n',
        category("SleepAnalysis", "HKCategoryValueSleepAnalysisInBed", note("k", "v")),
        ' <Record type="a" type="b"/>\n',
        ' <Record type="&x;"/>\n',
        workout("Running", DOUBLED),
        ' <Record type="\x0b"/>\n',
    )
    document = export(*chance.choices(kinds, k=chance.randint(1, 6)))
    return document if chance.random() < 0.7 else document.replace(b"\n", b"")


def _told(document: bytes, size: int) -> object:
    scanner = Scanner()
    try:
        found = list(scanner.elements(cut(document, size)))
    except NotAppleHealth as refusal:
        return str(refusal)
    return found, scanner.mended, scanner.damaged, scanner.replaced, scanner.cut
