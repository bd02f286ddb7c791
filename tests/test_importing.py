"""Files brought into a log: what is taken, what is skipped, what is said."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from healthlog.accept import Facts
from healthlog.apple.load import ELEMENTS
from healthlog.base.errors import DiskFull
from healthlog.imports.run import Importer
from healthlog.model import Delivery
from tests.support.apple import (
    CATEGORY,
    EXPORTED,
    ecg,
    export,
    gpx,
    quantity,
    route,
    tag,
    workout,
    zipped,
)
from tests.support.clock import FakeClock
from tests.support.engine import Engine, open_engine

ME = tag("Me", {})
JSON = (
    b'{"data":{"metrics":[{"name":"step_count","data":'
    b'[{"date":"2026-05-03 08:00:00 +0200","qty":1}]}]}}'
)


@dataclass(slots=True)
class Memory:
    """A sink that keeps what it is given; `full` after so many bodies."""

    full: int = 1_000
    taken: list[tuple[bytes, Facts]] = field(default_factory=list)

    def holds(self, sha256: str, aggregation: str | None) -> bool:
        return any(hashlib.sha256(content).hexdigest() == sha256 for content, _ in self.taken)

    def take(self, content: bytes, facts: Facts) -> bool:
        if len(self.taken) == self.full:
            raise DiskFull("full")
        self.taken.append((content, facts))
        return True


@dataclass(slots=True)
class Room:
    """An importer over a folder, with what it gave to its sink."""

    folder: Path
    sink: Memory = field(default_factory=Memory)
    said: list[tuple[str, int, int]] = field(default_factory=list)

    def take(self, name: str, content: bytes, **options: str) -> Importer:
        path = self.folder / name
        path.write_bytes(content)
        importer = Importer(self.sink, FakeClock(), self._watch, most=100_000, **options)
        importer.take(path)
        return importer

    def _watch(self, name: str) -> Callable[[int, int], None]:
        return lambda done, total: self.said.append((name, done, total))


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


def minutes(count: int) -> list[str]:
    return [quantity("StepCount", n, source=f"S{n}") for n in range(count)]


def test_an_export_becomes_deliveries(room: Room) -> None:
    report = room.take("export.xml", export(*minutes(ELEMENTS + 1))).report
    assert (report.files, report.deliveries, report.skipped) == (1, 2, 0)
    assert (report.elements, report.problems) == (ELEMENTS + 1, [])
    for _, facts in room.sink.taken:
        assert facts == Facts(
            content_type="application/json",
            automation_name="export.xml",
            imported=True,
            said_at_us=1_780_297_200_000_000,
        )


@pytest.mark.scenario("import", "Second import changes nothing")
def test_a_second_import_skips_everything(room: Room) -> None:
    document = export(*minutes(ELEMENTS + 1))
    room.take("export.xml", document)
    report = room.take("export.zip", zipped({"apple_health_export/export.xml": document})).report
    assert (report.deliveries, report.skipped) == (0, 2)


@pytest.mark.scenario("import", "Import goes on where it was cut short")
def test_an_import_goes_on_where_it_was_cut_short(room: Room) -> None:
    document = export(*minutes(2 * ELEMENTS + 1))
    room.sink.full = 2
    with pytest.raises(DiskFull):
        room.take("export.xml", document)
    room.sink.full = 1_000
    report = room.take("export.xml", document).report
    assert (report.deliveries, report.skipped) == (1, 2)


def test_a_zip_brings_routes_and_recordings(room: Room) -> None:
    members = {
        "x/export.xml": export(workout("Running", route("/workout-routes/a.gpx"))),
        "x/workout-routes/a.gpx": gpx((1, 2)),
        "x/electrocardiograms/ecg_1.csv": ecg("1").encode(),
        "x/export_cda.xml": b"<a/>",
    }
    report = room.take("export.zip", zipped(members)).report
    assert (report.routes, report.recordings, report.left) == (1, 1, {"export_cda.xml": 1})
    assert (report.deliveries, report.problems) == (1, [])


@pytest.mark.scenario("import", "What is not read is said")
def test_what_is_damaged_is_said(room: Room) -> None:
    document = export(
        *minutes(2),
        ' <Record type="x" a=1/>\n',
        ' <Record type="a\x0b"/>\n',
        workout("Running", route("/gone.gpx")),
    )
    report = room.take("export.xml", document[: document.index(b"</HealthData>")]).report
    assert (report.elements, report.damaged, report.mended, report.replaced) == (4, 1, 1, 1)
    assert report.problems == [
        "export.xml: it ends before its end",
        "export.xml: 1 elements are damaged and left out",
        "export.xml: 1 routes are missing or no GPX",
    ]


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.json", JSON), ("a.json.gz", gzip.compress(JSON)), ("a.zip", zipped({"f/a.json": JSON})),
     ("noname", b"\xef\xbb\xbf\n" + JSON)],
    ids=["plain", "gzip", "zip", "no-suffix"],
)  # fmt: skip
@pytest.mark.scenario("import", "File of the app is taken byte for byte")
def test_files_of_the_app_are_told_by_what_stands_in_them(
    room: Room, name: str, content: bytes
) -> None:
    report = room.take(name, content).report
    assert (report.deliveries, report.problems) == (1, [])
    [(body, facts)] = room.sink.taken
    assert body.endswith(JSON)
    assert (facts.imported, facts.said_at_us) == (True, 1_777_788_000_000_000)


def test_a_time_grouping_may_be_declared(room: Room) -> None:
    room.take("a.json", JSON, aggregation="Days")
    assert room.sink.taken[0][1].aggregation == "Days"


@pytest.mark.scenario("import", "What is not read is said")
@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.txt", b"hello", "neither an export"),
        ("a.zip", zipped({"a.txt": b"x"}), "neither an export"),
        ("a.zip", b"PK\x03\x04junk", "no zip"),
        ("a.json", b'{"data":', "no whole JSON object"),
        ("a.json", b"{" + b" " * 100_000 + b"}", "max_body"),
        ("a.gz", b"\x1f\x8bjunk", "unpacked"),
        ("a.xml", b"<?xml version='1.0'?><ClinicalDocument/>", "neither an export"),
        ("a.xml", b"<!DOCTYPE HealthData [<!ENTITY a 'b'>]><HealthData/>", "entities"),
        ("empty", b"", "neither an export"),
    ],
)
def test_a_file_that_is_none_is_named(room: Room, name: str, content: bytes, words: str) -> None:
    report = room.take(name, content).report
    [problem] = report.problems
    assert problem.startswith(f"{name}: ")
    assert words in problem
    assert report.deliveries == 0


def test_a_zip_s_bad_member_is_named_alone(room: Room) -> None:
    report = room.take("a.zip", zipped({"a.json": JSON, "b.json": b"[]"})).report
    assert (report.deliveries, report.problems) == (
        1,
        ["a.zip: b.json: it is no whole JSON object"],
    )


def test_an_empty_export_is_said(room: Room) -> None:
    [problem] = room.take("export.xml", export()).report.problems
    assert problem.startswith("export.xml: there is nothing in it")


def test_progress_goes_up_to_the_end(room: Room) -> None:
    room.take("export.xml", export(*minutes(2 * ELEMENTS)))
    assert {name for name, _, _ in room.said} == {"export.xml"}
    done = [done for _, done, _ in room.said]
    assert done == sorted(done)
    assert room.said[-1][1] == room.said[-1][2]


# ---- into a log


@pytest.fixture
def engine(data: Path, clock: FakeClock) -> Iterator[Engine]:
    with open_engine(data, clock) as opened:
        yield opened


class EngineSink:
    """Into the archive and the journal of an engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.taken: list[Delivery] = []

    def holds(self, sha256: str, aggregation: str | None) -> bool:
        return any(one.sha256 == sha256 for one in self.taken)

    def take(self, content: bytes, facts: Facts) -> bool:
        fields = {name: getattr(facts, name) for name in Facts.__dataclass_fields__}
        self.taken.append(self._engine.post(content, **fields))
        return True


def brought(engine: Engine, folder: Path, document: bytes) -> list[Delivery]:
    path = folder / "export.xml"
    path.write_bytes(document)
    sink = EngineSink(engine)
    Importer(sink, engine.clock, lambda _: lambda *_: None, most=1).take(path)
    return sink.taken


@pytest.mark.scenario("import", "Word of an export is as old as the export")
def test_an_old_export_never_overrules_what_was_said_later(engine: Engine, tmp_path: Path) -> None:
    late = export(quantity("StepCount", "2"), exported="2026-06-01 09:00:00 +0200")
    early = export(quantity("StepCount", "1"), exported="2026-05-04 09:00:00 +0200")
    engine.clock.advance(86_400 * 365)
    digests = []
    for document in (late, early):
        brought(engine, tmp_path, document)
        engine.fold_all()
        digests.append(engine.digest())
    assert digests[0] == digests[1]


def test_a_date_of_export_in_the_future_counts_nothing(engine: Engine, tmp_path: Path) -> None:
    [delivery] = brought(
        engine, tmp_path, export(quantity("StepCount"), exported="2199" + EXPORTED[4:])
    )
    assert delivery.said_at_us == delivery.clock_at_us


@pytest.mark.scenario("import", "Import is no word of an automation")
def test_an_import_is_no_word_of_an_automation(engine: Engine, tmp_path: Path) -> None:
    brought(
        engine, tmp_path, export(quantity("StepCount"), tag("Record", {"type": CATEGORY + "New"}))
    )
    assert engine.journal.read(
        lambda c: c.execute("SELECT count(*) FROM automation").fetchone()
    ) == (0,)
