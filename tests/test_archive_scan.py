"""What lies in the archive: bodies, metas, strays."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from healthlog.archive.store import Archive
from healthlog.base.ids import make_id
from tests.support.accepting import delivery
from tests.support.clock import MORNING_US

DAY_US = 86_400_000_000


@pytest.fixture
def archive(data: Path) -> Archive:
    archive = Archive(data)
    archive.prepare()
    return archive


def touch(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"")


def test_an_empty_archive_has_nothing(archive: Archive) -> None:
    assert archive.scan() == []


def test_bodies_are_found_in_the_order_of_the_journal(archive: Archive) -> None:
    ids = [make_id(MORNING_US + n * 11 * DAY_US, f"{n:08x}") for n in range(60)]
    for delivery_id in random.Random(7).sample(ids, len(ids)):
        touch(archive.body_path(delivery_id))
        touch(archive.meta_path(delivery_id))
    assert archive.scan() == ids


def test_metas_without_a_body_are_told_apart(archive: Archive) -> None:
    first, second, third = (delivery(number).delivery_id for number in range(3))
    touch(archive.body_path(first))
    touch(archive.body_path(second))
    touch(archive.meta_path(second))
    touch(archive.meta_path(third))
    found = archive.inventory()
    assert found.bare_bodies == (first,)
    assert found.lonely_metas == (third,)


def test_everything_else_in_a_day_is_a_stray(archive: Archive) -> None:
    one, other = delivery(), delivery(200_000)
    folder = archive.body_path(one.delivery_id).parent
    touch(folder / "note.txt")
    touch(folder / "X.json.gz")
    touch(folder / f"{other.delivery_id}.json.gz")
    touch(folder / f"{one.delivery_id}.json")
    (folder / f"{one.delivery_id}.json.gz").mkdir()
    found = archive.inventory()
    assert (found.bodies, found.metas) == ((), ())
    assert found.strays == tuple(
        sorted(
            f"2026/08/02/{name}"
            for name in (
                "note.txt",
                "X.json.gz",
                f"{other.delivery_id}.json.gz",
                f"{one.delivery_id}.json",
                f"{one.delivery_id}.json.gz",
            )
        )
    )


def test_folders_that_are_no_days_are_not_walked(archive: Archive) -> None:
    name = delivery().delivery_id + ".json.gz"
    for folder in ("incoming", "2026", "2026/08", "2026/08/2", "lost+found", "2026/08/02/03"):
        touch(archive.root / folder / name)
    assert archive.scan() == []
