"""The check against damage of any kind: each flipped, lost or added byte of an archive is named."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from healthlog.check import check_archive, check_database, check_journal
from healthlog.model import Delivery
from tests.support.bodies import ONE_DAY
from tests.support.engine import Engine

Files = list[Path]

COLUMNS = (
    "received_at_us", "clock_at_us", "said_at_us", "bytes", "sha256", "packed_sha256",
    "clock_doubtful", "imported", "content_type", "remote", "automation_id", "automation_name",
    "aggregation", "period", "session_id",
)  # fmt: skip


@pytest.fixture
def tmp_path(memory_path: Path) -> Path:
    return memory_path


def told(engine: Engine) -> set[str]:
    """What `check` names, by the ids in front."""
    archive = engine.house.archive
    findings = [
        *check_archive(archive, lambda _done, _total: None),
        *check_journal(archive, engine.journal),
    ]
    return {finding.what for finding in findings}


def filled(engine: Engine) -> Delivery:
    """A delivery with all that a meta can say, between two others."""
    engine.post(ONE_DAY)
    one = engine.post(
        b'{"data":{"a":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}}',
        content_type="application/json",
        remote="192.0.2.7",
        automation_id="A-1",
        automation_name="T\u00e4glich \U0001f3c3",
        aggregation="Days",
        period="Default",
        session_id="S",
    )
    engine.post(ONE_DAY)
    return one


def files_of(engine: Engine, one: Delivery) -> Files:
    archive = engine.house.archive
    return [archive.body_path(one.delivery_id), archive.meta_path(one.delivery_id)]


def flips(whole: bytes, masks: Callable[[int], tuple[int, ...]]) -> Iterator[tuple[str, bytes]]:
    """The bytes with one of them changed, at each place in turn."""
    for at, byte in enumerate(whole):
        for mask in masks(at):
            yield f"{at} ^ {mask:#x}", whole[:at] + bytes([byte ^ mask]) + whole[at + 1 :]


def cuts(whole: bytes, places: range) -> Iterator[tuple[str, bytes]]:
    """The bytes up to each of these places."""
    for at in places:
        yield f"cut at {at}", whole[:at]


def spared(engine: Engine, path: Path, changed: Iterator[tuple[str, bytes]]) -> list[str]:
    """The changes of a file after which `check` doesn't name it, or names another delivery."""
    delivery_id, _, _ = path.name.rpartition(".json")
    delivery_id = delivery_id.removesuffix(".meta").removesuffix(".json")
    whole, missed = path.read_bytes(), []
    for name, data in changed:
        assert data != whole
        path.write_bytes(data)
        found = told(engine)
        if not found or not all(what.startswith(delivery_id) for what in found):
            missed.append(f"{path.name}: {name}: {found}")
    path.write_bytes(whole)
    assert told(engine) == set()
    return missed


@pytest.mark.scenario("operations", "Any flipped byte of the archive is named")
def test_any_flipped_byte_is_named(engine: Engine) -> None:
    body, meta = files_of(engine, filled(engine))
    missed = spared(engine, body, flips(body.read_bytes(), lambda at: (0xFF, 1 << at % 8)))
    missed += spared(engine, meta, flips(meta.read_bytes(), lambda at: (1 << at % 8,)))
    assert missed == []


@pytest.mark.slow
def test_any_flipped_bit_or_cut_is_named(engine: Engine) -> None:
    bits = tuple(1 << bit for bit in range(8))
    missed: list[str] = []
    for path in files_of(engine, filled(engine)):
        whole = path.read_bytes()
        missed += spared(engine, path, flips(whole, lambda _at: bits))
        missed += spared(engine, path, cuts(whole, range(len(whole))))
    assert missed == []


@pytest.mark.scenario("operations", "Any flipped byte of the archive is named")
def test_any_cut_is_named(engine: Engine) -> None:
    for path in files_of(engine, filled(engine)):
        whole = path.read_bytes()
        assert spared(engine, path, cuts(whole, range(0, len(whole), 3))) == []


@pytest.mark.scenario("operations", "Any flipped byte of the archive is named")
def test_what_is_added_to_a_file_is_named(engine: Engine) -> None:
    body, meta = files_of(engine, filled(engine))
    packed, text = body.read_bytes(), meta.read_bytes()
    other = gzip.compress(gzip.decompress(packed))
    added = {
        "a zero": packed + b"\0",
        "an empty member": packed + gzip.compress(b""),
        "garbage": packed + b"x",
        "the same body packed by another program": other,
    }
    assert spared(engine, body, iter(added.items())) == []
    spelled = {
        "a blank": text + b" ",
        "a line": text + b"\n",
        "a member": text.replace(b"{", b'{"remote": "192.0.2.8",', 1),
    }
    assert spared(engine, meta, iter(spelled.items())) == []


def test_a_file_that_is_gone_is_named(engine: Engine) -> None:
    one = filled(engine)
    for path in files_of(engine, one):
        whole = path.read_bytes()
        path.unlink()
        assert {what[: len(one.delivery_id)] for what in told(engine)} == {one.delivery_id}
        path.write_bytes(whole)
    for path in files_of(engine, one):
        path.unlink()
    assert told(engine) == {one.delivery_id}


@pytest.mark.parametrize("column", COLUMNS)
def test_a_changed_column_of_a_row_is_named(engine: Engine, column: str) -> None:
    one = filled(engine)
    value = {"clock_doubtful": 1, "imported": 1}.get(column, 7 if "_us" in column else "x")
    value = 7 if column == "bytes" else value
    sql = f"UPDATE delivery SET {column} = ? WHERE delivery_id = ?"
    engine.journal.write(lambda c: c.execute(sql, (value, one.delivery_id)).close())
    assert told(engine) == {one.delivery_id}


@pytest.mark.parametrize("change", ["body", "file", "row"])
def test_without_a_meta_the_row_tells_what_the_body_was(engine: Engine, change: str) -> None:
    one = filled(engine)
    body, meta = files_of(engine, one)
    meta.unlink()
    assert told(engine) == {meta.name}
    whole = gzip.decompress(body.read_bytes())
    if change == "body":
        body.write_bytes(gzip.compress(whole + b" "))
    elif change == "file":
        body.write_bytes(gzip.compress(whole))
    else:
        sql = "UPDATE delivery SET sha256 = 'x' WHERE delivery_id = ?"
        engine.journal.write(lambda c: c.execute(sql, (one.delivery_id,)).close())
    assert told(engine) == {meta.name, one.delivery_id}


@pytest.mark.scenario("operations", "Damaged index is named")
def test_an_index_that_lacks_a_row_is_named(engine: Engine) -> None:
    # What the WAL-reset fault of SQLite leaves behind: no page is damaged, all reads go well.
    one = filled(engine)
    assert list(check_database(engine.journal, "journal.db")) == []
    path = engine.house.data / "journal.db"
    engine.journal.checkpoint()
    pages = path.read_bytes()
    at = pages.rindex(b"A-1")  # behind the table stand its indexes
    path.write_bytes(pages[:at] + b"B" + pages[at + 1 :])
    engine.restart()
    found = [finding.problem for finding in check_database(engine.journal, "journal.db")]
    assert [problem for problem in found if "missing from index" in problem] != []
    assert {finding.what for finding in check_database(engine.journal, "journal.db")} == {
        "journal.db"
    }
    assert one.delivery_id not in "".join(found)
