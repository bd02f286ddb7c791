"""The last hope: what can be had of a backup that is damaged, incomplete, or only an archive."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.backups import (
    Backed,
    backed,
    backup,
    digest,
    findings,
    manifest,
    report,
    restore,
    state,
    tree,
)
from tests.support.bodies import ONE_DAY, PARTIAL, TWO_DAYS, minutes
from tests.support.damage import flip_pages, garble_head
from tests.support.shell import run

BODIES = (TWO_DAYS, PARTIAL, minutes(60), ONE_DAY)


@pytest.fixture
def tmp_path(memory_path: Path) -> Path:
    return memory_path


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Backed:
    return backed(tmp_path_factory.mktemp("model"), *BODIES)


@pytest.fixture
def both(tmp_path: Path, model: Backed) -> Backed:
    return model.copy(tmp_path)


@pytest.fixture
def log(both: Backed) -> Path:
    return both.log


@pytest.fixture
def dest(both: Backed) -> Path:
    return both.dest


@pytest.fixture
def new(tmp_path: Path) -> Path:
    return tmp_path / "new"


def salvaged(source: Path, new: Path) -> list[str]:
    """What a salvage names, having succeeded; the log is then at one with itself."""
    ran = restore(source, new, "--salvage")
    assert ran.status == 0, ran.err
    assert run("check", "--rebuild", "--data", new).out.count("differs from a replay") == 0
    return findings(ran)


def sound(data: Path) -> bool:
    return run("check", "--rebuild", "--data", data).status == 0


def statuses(data: Path) -> list[tuple[str, str | None]]:
    with closing(sqlite3.connect(data / "journal.db")) as journal:
        query = "SELECT parse_status, failure_kind FROM delivery ORDER BY delivery_id"
        return journal.execute(query).fetchall()


def test_a_whole_backup_is_salvaged_like_any_other(log: Path, dest: Path, new: Path) -> None:
    assert salvaged(dest, new) == []
    assert digest(new) == digest(log)
    assert sound(new)


@pytest.mark.scenario("backup", "Lost mart costs nothing")
@pytest.mark.parametrize("damage", ["gone", "flipped"])
def test_a_lost_mart_costs_nothing(log: Path, dest: Path, new: Path, damage: str) -> None:
    mart = state(dest) / "mart.db"
    mart.unlink() if damage == "gone" else flip_pages(mart, first=4)
    refused = restore(dest, new)
    assert refused.status == 1
    assert "mart.db is made again, nothing in it is lost" in refused.err
    assert len(salvaged(dest, new)) == 1
    assert digest(new) == digest(log)
    assert sound(new)


@pytest.mark.scenario("backup", "Lost journal is written again from the archive")
@pytest.mark.parametrize("damage", ["gone", "head", "pages"])
def test_a_lost_journal_is_written_again(log: Path, dest: Path, new: Path, damage: str) -> None:
    journal = state(dest) / "journal.db"
    if damage == "gone":
        journal.unlink()
    elif damage == "head":
        garble_head(journal)
    else:
        flip_pages(journal, first=2)
    refused = restore(dest, new)
    assert refused.status == 1
    assert "journal.db is written again from the archive" in refused.err
    named = salvaged(dest, new)
    assert "journal.db: was written again from the archive" in named
    assert digest(new) == digest(log)
    assert statuses(new) == statuses(log)
    assert sound(new)


def test_a_journal_that_sqlite_can_read_is_used(log: Path, dest: Path, new: Path) -> None:
    # What only the journal knows is worth more than its checksum.
    with closing(sqlite3.connect(state(dest) / "journal.db")) as opened:
        opened.execute("UPDATE automation SET name = 'of the journal'")
        opened.commit()
    [line] = salvaged(dest, new)
    assert line.endswith("journal.db: differs from its checksum")
    with closing(sqlite3.connect(new / "journal.db")) as opened:
        names = opened.execute("SELECT name FROM automation").fetchall()
    assert names == [("of the journal",)]
    assert digest(new) == digest(log)


@pytest.mark.scenario("backup", "Lost meta is written again from the journal")
@pytest.mark.parametrize("damage", ["gone", "flipped", "wrong"])
def test_a_lost_meta_is_written_again(log: Path, dest: Path, new: Path, damage: str) -> None:
    [one, *_] = sorted(path.name for path in log.glob("archive/*/*/*/*.meta.json"))
    [meta] = dest.glob(f"archive/*/*/*/{one}")
    whole = meta.read_bytes()
    if damage == "gone":
        meta.unlink()
    elif damage == "flipped":
        meta.write_bytes(whole[:40] + bytes([whole[40] ^ 0x80]) + whole[41:])
    else:
        meta.write_bytes(whole.replace(b'"A"', b'"B"'))
    named = salvaged(dest, new)
    assert named[-1] == f"{one}: was written again from the journal"
    assert next(new.glob(f"archive/*/*/*/{one}")).read_bytes() == whole
    assert digest(new) == digest(log)
    assert sound(new)


@pytest.mark.scenario("backup", "Lost bodies are the only loss")
def test_lost_bodies_are_the_only_loss(log: Path, dest: Path, new: Path) -> None:
    names = sorted(path.name for path in log.glob("archive/*/*/*/*.json.gz"))
    gone, damaged = (next(dest.glob(f"archive/*/*/*/{name}")) for name in names[1:3])
    gone.unlink()
    damaged.write_bytes(damaged.read_bytes()[:-3])
    named = [line.partition(":")[0].rpartition("/")[2] for line in salvaged(dest, new)]
    assert named == [*names[1:3], "mart.db.of-backup"]
    assert [kind for _, kind in statuses(new)] == [None, "unreadable", "unreadable", None]
    # What is damaged is kept: somebody may make more of it.
    [kept] = new.glob(f"archive/*/*/*/{names[2]}")
    assert kept.read_bytes() == damaged.read_bytes()
    # And the numbers that no body tells any more are not thrown away.
    assert digest(new) != digest(log)
    assert run("digest", "--mart", new / "mart.db.of-backup").out == digest(log)


@pytest.mark.scenario("backup", "Bare archive is enough")
def test_a_bare_archive_is_enough(log: Path, tmp_path: Path, new: Path) -> None:
    bare = tmp_path / "bare"
    shutil.copytree(log / "archive", bare / "archive")
    (bare / "archive" / "incoming").mkdir(exist_ok=True)
    (bare / "archive" / "incoming" / "0123.part").write_bytes(b"rest")
    before = tree(bare)
    assert restore(bare, new).refused(1, "no whole backup", "--salvage")
    named = salvaged(bare, new)
    assert [line.partition(":")[0] for line in named] == ["manifest.ndjson", "journal.db"]
    assert digest(new) == digest(log)
    assert statuses(new) == statuses(log)
    assert sound(new)
    assert tree(bare) == before
    assert report(restore(dest_of(new, tmp_path), tmp_path / "third"))["deliveries"] == 4


def dest_of(data: Path, tmp_path: Path) -> Path:
    """A backup of what was salvaged: it is a log like any other."""
    assert backup(data, tmp_path / "again").status == 0
    return tmp_path / "again"


@pytest.mark.parametrize("damage", ["gone", "cut", "flipped"])
def test_without_a_manifest_the_newest_state_is_taken(
    log: Path, dest: Path, new: Path, damage: str
) -> None:
    older = dest / "state-20200101T000000.000000Z"
    older.mkdir()
    (older / "journal.db").write_bytes(b"of an interrupted backup")
    (older / "tokens.json").write_bytes(b"{}")
    path = dest / "manifest.ndjson"
    whole = path.read_bytes()
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(whole[:-4] if damage == "cut" else b"[" + whole[1:])
    assert [line.partition(":")[0] for line in salvaged(dest, new)] == ["manifest.ndjson"]
    assert (new / "tokens.json").read_bytes() == (log / "tokens.json").read_bytes()
    assert digest(new) == digest(log)
    assert sound(new)


def test_an_interrupted_salvage_goes_on(log: Path, dest: Path, new: Path) -> None:
    (state(dest) / "mart.db").unlink()
    salvaged(dest, new)
    identity = manifest(dest).identity
    (new / "restore.unfinished").write_text(f'{{"of": "{identity}"}}')
    (new / "mart.db").write_bytes(b"half")
    assert run("digest", "--data", new).refused(1, "unfinished restore")
    salvaged(dest, new)
    assert digest(new) == digest(log)
    assert sound(new)


def test_nothing_to_salvage_is_an_empty_log(tmp_path: Path, new: Path) -> None:
    (tmp_path / "empty").mkdir()
    ran = restore(tmp_path / "empty", new, "--salvage")
    assert ran.refused(1, str(tmp_path / "empty"), "nothing to restore")
    assert not new.exists()
