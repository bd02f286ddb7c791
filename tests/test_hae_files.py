"""Files of the app Health Auto Export."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from healthlog.base.clock import parse_us, text_us
from healthlog.imports.hae_files import Body, NoBody, is_json, plain, said_at_us, zipped
from healthlog.imports.zips import BadZip
from tests.support.apple import zipped as zip_of

CLOCK_US = parse_us("2026-06-01T00:00:00Z")
MOST = 1_000
BODY = b'\xef\xbb\xbf {"data":{}} \n'


def said(data: object) -> str | None:
    found = said_at_us(json.dumps({"data": data}).encode(), CLOCK_US)
    return None if found is None else text_us(found)


def steps(*dates: object, **more: object) -> dict[str, Any]:
    points = [{"date": date, "qty": 1, **more} for date in dates]
    return {"metrics": [{"name": "step_count", "data": points}]}


@pytest.mark.scenario("import", "File of the app is taken byte for byte")
def test_a_file_is_a_body_byte_for_byte(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(BODY)
    (tmp_path / "a.json.gz").write_bytes(gzip.compress(BODY))
    assert plain(tmp_path / "a.json", MOST) == Body("a.json", BODY)
    assert plain(tmp_path / "a.json.gz", MOST) == Body("a.json.gz", BODY)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"\xef\xbb\xbf \n", "empty"),
        (b"[1]", "no whole JSON object"),
        (b'{"data":', "no whole JSON object"),
        (b"{" + b" " * MOST + b"}", "max_body"),
    ],
)
def test_what_can_t_be_a_body_is_refused(tmp_path: Path, content: bytes, words: str) -> None:
    for name, packed in (("a.json", content), ("a.json.gz", gzip.compress(content))):
        (tmp_path / name).write_bytes(packed)
        with pytest.raises(NoBody, match=words):
            plain(tmp_path / name, MOST)


@pytest.mark.scenario("import", "Hostile zip does no harm")
def test_a_packed_file_is_read_no_further_than_it_may_be(tmp_path: Path) -> None:
    (tmp_path / "a.json.gz").write_bytes(gzip.compress(b" " * 100_000_000))
    with pytest.raises(NoBody, match="max_body"):
        plain(tmp_path / "a.json.gz", MOST)


def test_a_damaged_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.json.gz").write_bytes(gzip.compress(BODY)[:-6])
    with pytest.raises(BadZip):
        plain(tmp_path / "a.json.gz", MOST)


def test_every_json_of_a_zip_is_a_body(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(
        zip_of(
            {
                "Export/b.json": b'{"b":1}',
                "Export/a.json": b'{"a":1}',
                "Export/c.json.gz": gzip.compress(b'{"c":1}'),
                "Export/d.json": b"[]",
                "Export/e.csv": b"1,2",
                "__MACOSX/Export/._a.json": b"junk",
            }
        )
    )
    found = list(zipped(path, MOST))
    assert found[:3] == [
        Body("a.json", b'{"a":1}'),
        Body("b.json", b'{"b":1}'),
        Body("c.json.gz", b'{"c":1}'),
    ]
    [(name, refusal)] = found[3:]
    assert (name, str(refusal)) == ("d.json", "it is no whole JSON object")


@pytest.mark.parametrize("name", ["a.json", "x/A.JSON", "b.json.gz"])
def test_json_is_told_by_its_name(name: str) -> None:
    assert is_json(name)
    assert not is_json(name + ".txt")


# ---- how old the word of a file is


@pytest.mark.scenario("import", "Word of a file is as old as what it tells last")
@pytest.mark.parametrize(
    ("data", "at"),
    [
        (steps("2026-05-03 08:00:00 +0200", "2026-05-02 08:00:00 +0200"), "2026-05-03T06:00:00"),
        (steps("2026-05-03 08:00:00 +0200", end="2026-05-03T09:00:00Z"), "2026-05-03T09:00:00"),
        (steps("2026-05-03 08:00:00 +0200", "2099-01-01 00:00:00 +0000"), "2026-05-03T06:00:00"),
        (steps("2026-05-03"), "2026-05-03T00:00:00"),
        ({"workouts": [{"start": "2026-05-03 08:00:00 +0200", "end": "2026-05-03 08:30:00 +0200",
                        "heartRateData": [{"date": "2026-05-03 09:00:00 +0200"}]}]},
         "2026-05-03T06:30:00"),
        ({"metrics": [{"name": "sleep_analysis", "data": [
            {"date": "2026-05-03", "sleepStart": "2026-05-02 23:00:00 +0200",
             "sleepEnd": "2026-05-03 06:00:00 +0200", "inBedEnd": "2026-05-03 06:15:00 +0200"}]}]},
         "2026-05-03T04:15:00"),
        ({"appleHealth": {"exportDate": "2026-05-05 09:00:00 +0200", "elements": []}},
         "2026-05-05T07:00:00"),
        ({"stateOfMind": [{"start": "2026-05-05T02:35:56Z"}]}, "2026-05-05T02:35:56"),
    ],
)  # fmt: skip
def test_the_word_of_a_file_is_as_old_as_what_it_tells_last(data: object, at: str) -> None:
    assert said(data) == f"{at}.000000Z"


@pytest.mark.parametrize(
    "data",
    [{}, {"metrics": [5, {}, {"name": "x", "data": [None, {"date": 5}, {"date": "soon"}]}]},
     {"workouts": "x"}, steps("2099-01-01 00:00:00 +0000")],
)  # fmt: skip
def test_a_file_that_names_no_time_says_nothing_of_its_age(data: object) -> None:
    assert said(data) is None


def test_what_is_no_json_says_nothing_of_its_age() -> None:
    assert said_at_us(b"{nonsense}", CLOCK_US) is None
