"""Exports as they lie on a disk."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from healthlog.apple.export import Export
from healthlog.apple.package import FilePackage, ZipPackage, export_in
from healthlog.apple.stream import NotAppleHealth
from healthlog.imports.zips import open_zip
from tests.support.apple import ecg, export, gpx, quantity, route, workout, zipped

ROUTE = "/workout-routes/route_2026-05-03_8.10am.gpx"
DOCUMENT = export(quantity("StepCount"), workout("Running", route(ROUTE)))
ELSE = {
    "apple_health_export/export_cda.xml": b"<?xml version='1.0'?><ClinicalDocument/>"
    + b" " * 9_999,
    "apple_health_export/clinical-records/Lab-1.json": b"{}",
    "apple_health_export/clinical-records/Lab-2.json": b"{}",
}


def zip_of(folder: Path, members: dict[str, bytes]) -> Path:
    path = folder / "export.zip"
    path.write_bytes(zipped(members))
    return path


def read(path: Path) -> tuple[list[list[Any]], Export]:
    """All elements of a zip's bodies, with the account of reading them."""
    with open_zip(path) as archive:
        member = export_in(archive)
        assert member is not None
        made = Export(ZipPackage(archive, member))
        bodies = [json.loads(chunk.body) for chunk in made.chunks()]
    return [one for body in bodies for one in body["data"]["appleHealth"]["elements"]], made


@pytest.mark.scenario("import", "Export is found in any language")
@pytest.mark.parametrize("name", ["export.xml", "exportar.xml", "\u5bfc\u51fa.xml", "Eksport.XML"])
@pytest.mark.parametrize("folder", ["apple_health_export/", "", "a/b/"])
def test_the_export_is_told_by_what_stands_in_it(tmp_path: Path, folder: str, name: str) -> None:
    elements, made = read(zip_of(tmp_path, {**ELSE, folder + name: DOCUMENT}))
    assert [element[0] for element in elements] == ["Record", "Workout"]
    assert made.package.size == len(DOCUMENT)
    assert made.package.left["clinical-records"] == 2
    assert made.package.left.total() == 3


def test_what_is_not_taken_is_counted_by_folder_or_name(tmp_path: Path) -> None:
    _, made = read(zip_of(tmp_path, {**ELSE, "apple_health_export/export.xml": DOCUMENT}))
    assert made.package.left == Counter({"clinical-records": 2, "export_cda.xml": 1})


def test_a_zip_without_an_export_has_none(tmp_path: Path) -> None:
    with open_zip(zip_of(tmp_path, ELSE)) as archive:
        assert export_in(archive) is None


@pytest.mark.scenario("import", "Workout has its route")
@pytest.mark.parametrize("folder", ["apple_health_export/workout-routes", "routes", "a/../.."])
def test_a_route_is_found_by_its_name(tmp_path: Path, folder: str) -> None:
    members = {"export.xml": DOCUMENT, f"{folder}/{Path(ROUTE).name}": gpx((1, 2), (3, 4))}
    elements, made = read(zip_of(tmp_path, members))
    [file] = elements[1][2][0][2]
    assert file[2] == [["gpx", {"text": gpx((1, 2), (3, 4)).decode()}]]
    assert (made.routes, made.routes_missing) == (1, 0)


@pytest.mark.parametrize("content", [None, b"no gpx", gpx(), b"<gpx>" + b" " * 9_000_000])
def test_a_route_that_can_t_be_read_is_missing(tmp_path: Path, content: bytes | None) -> None:
    members = {"export.xml": DOCUMENT}
    if content is not None:
        members[ROUTE.strip("/")] = content
    elements, made = read(zip_of(tmp_path, members))
    assert elements[1][2][0][2] == [["FileReference", {"path": ROUTE}]]
    assert (made.routes, made.routes_missing) == (0, 1)


def test_recordings_come_last_in_the_order_of_their_names(tmp_path: Path) -> None:
    names = ("ecg_2026-05-02.csv", "ecg_2026-05-01.csv")
    members = {f"x/electrocardiograms/{name}": ecg(name[-5]).encode() for name in names}
    elements, made = read(zip_of(tmp_path, {**members, "export.xml": DOCUMENT}))
    assert [one[1]["name"] for one in elements[2:]] == ["ecg_2026-05-01.csv", "ecg_2026-05-02.csv"]
    assert elements[3][1]["csv"] == ecg("2")
    assert (made.recordings, made.package.left) == (2, Counter())


def test_a_recording_too_long_is_left(tmp_path: Path) -> None:
    members = {"export.xml": DOCUMENT, "electrocardiograms/ecg_1.csv": b"1\n" * 3_000_000}
    _, made = read(zip_of(tmp_path, members))
    assert (made.recordings, made.package.left) == (0, Counter({"unreadable": 1}))


@pytest.mark.scenario("import", "Hostile zip does no harm")
def test_names_in_a_zip_lead_nowhere(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    members = {
        "../export.xml": DOCUMENT,
        "/etc/electrocardiograms/ecg_1.csv": ecg("1").encode(),
        "../../outside.gpx": gpx((1, 2)),
        "C:\\windows\\x.json": b"{}",
        "../evil.txt": b"x",
    }
    read(zip_of(inside, members))
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["export.zip", "inside"]


@pytest.mark.scenario("import", "Hostile zip does no harm")
def test_an_export_packed_a_thousand_times_is_refused(tmp_path: Path) -> None:
    bomb = DOCUMENT.replace(b"</HealthData>", b" " * 50_000_000 + b"</HealthData>")
    with (
        open_zip(zip_of(tmp_path, {"export.xml": bomb})) as archive,
        pytest.raises(NotAppleHealth, match="packed"),
    ):
        export_in(archive)


# ---- unpacked


def test_an_unpacked_export_has_its_folders_beside_it(tmp_path: Path) -> None:
    (tmp_path / "export.xml").write_bytes(DOCUMENT)
    for folder, name, content in (
        ("workout-routes", Path(ROUTE).name, gpx((1, 2))),
        ("electrocardiograms", "ecg_1.csv", ecg("1").encode()),
    ):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_bytes(content)
    made = Export(FilePackage(tmp_path / "export.xml"))
    assert sum(chunk.elements for chunk in made.chunks()) == 3
    assert (made.routes, made.routes_missing, made.recordings) == (1, 0, 1)


@pytest.mark.scenario("import", "Hostile zip does no harm")
@pytest.mark.parametrize(
    "path", ["/../secret.gpx", "../secret.gpx", "/workout-routes/../secret.gpx"]
)
def test_a_path_in_the_xml_leads_nowhere(tmp_path: Path, path: str) -> None:
    (tmp_path / "secret.gpx").write_bytes(gpx((1, 2)))
    folder = tmp_path / "export"
    folder.mkdir()
    (folder / "export.xml").write_bytes(export(workout("Running", route(path))))
    made = Export(FilePackage(folder / "export.xml"))
    list(made.chunks())
    assert (made.routes, made.routes_missing) == (0, 1)


def test_zip_and_file_give_the_same_bodies(tmp_path: Path) -> None:
    (tmp_path / "export.xml").write_bytes(DOCUMENT)
    with open_zip(zip_of(tmp_path, {"export.xml": DOCUMENT})) as archive:
        member = export_in(archive)
        assert member is not None
        packed = [chunk.body for chunk in Export(ZipPackage(archive, member)).chunks()]
    plain = Export(FilePackage(tmp_path / "export.xml"))
    assert [chunk.body for chunk in plain.chunks()] == packed
