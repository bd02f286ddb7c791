"""Manifests: read back as written, or refused."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from healthlog.backup.manifest import (
    Entry,
    Head,
    MadeByNewer,
    Manifest,
    NoManifest,
    Spoiled,
    Writer,
    opened,
)
from healthlog.backup.recorded import Recorded
from healthlog.base.files import Part
from tests.support.clock import MORNING_US

HEAD = Head(MORNING_US, "0.1.0", "state-20260802T080142.123456Z", {"journal": 3, "mart": 2})
SHA256 = "0123456789abcdef" * 4
ENTRIES = [
    Entry("archive/2026/08/02/a.json.gz", 7, SHA256),
    Entry("audio/\u00fc/b.ogg", 0, SHA256),
    Entry("state-20260802T080142.123456Z/journal.db", 2**40, SHA256),
]


@pytest.fixture
def tmp_path(memory_path: Path) -> Path:
    return memory_path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "manifest.ndjson"


def write(path: Path, *entries: Entry, head: Head = HEAD) -> Path:
    part = Part.create(path.parent)
    writer = Writer(part, head)
    for entry in entries:
        writer.add(entry)
    writer.finish(path)
    return path


def test_a_manifest_reads_back_as_it_was(path: Path) -> None:
    found = opened(write(path, *ENTRIES))
    assert (found.head, found.files) == (HEAD, 3)
    assert list(found.entries()) == list(found.entries()) == ENTRIES
    assert opened(write(path)).files == 0


def test_two_manifests_have_two_identities(path: Path) -> None:
    assert opened(write(path, *ENTRIES)).identity != opened(write(path, *ENTRIES[:2])).identity


def test_where_there_is_none_it_is_named(path: Path) -> None:
    with pytest.raises(NoManifest, match=str(path)):
        opened(path)


@pytest.mark.scenario("backup", "Damaged manifest is no manifest")
def test_any_flipped_byte_or_cut_spoils_it(path: Path) -> None:
    whole = write(path, *ENTRIES).read_bytes()
    for at in range(len(whole)):
        for data in (whole[:at], whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :]):
            path.write_bytes(data)
            with pytest.raises((Spoiled, MadeByNewer), match=str(path)):
                opened(path)
    path.write_bytes(whole + b"\n")
    with pytest.raises(Spoiled):
        opened(path)


def forged(path: Path, change: Callable[[list[Any]], object]) -> Path:
    """A manifest with other contents, right in itself."""
    lines = [json.loads(line) for line in write(path, *ENTRIES).read_bytes().splitlines()[:-1]]
    change(lines)
    data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    last = {"files": len(lines) - 1, "sha256": hashlib.sha256(data).hexdigest()}
    path.write_bytes(data + json.dumps(last).encode() + b"\n")
    return path


OUTSIDE = [
    "../x", "archive/../../x", "/etc/passwd", "archive//x", "archive/./x", "archive/", "x",
    "state-20250101T000000.000000Z/journal.db", f"{HEAD.state}/lock", f"{HEAD.state}/a/b",
    f"{HEAD.state}/restore.unfinished", f"{HEAD.state}/", "archive",
    "archive/x\0", "", 7, None, ["archive/x"],
]  # fmt: skip


@pytest.mark.scenario("backup", "Manifest leads nowhere else")
@pytest.mark.parametrize("named", OUTSIDE, ids=map(repr, OUTSIDE))
def test_no_path_leads_out_of_the_folder(path: Path, named: object) -> None:
    with pytest.raises(Spoiled, match="can't be one of a backup"):
        opened(forged(path, lambda lines: lines[1].update(path=named)))


@pytest.mark.parametrize(
    "change",
    [
        {"bytes": "7"}, {"bytes": True}, {"sha256": "x"}, {"sha256": None},
    ],
)  # fmt: skip
def test_what_is_no_entry_is_refused(path: Path, change: dict[str, object]) -> None:
    with pytest.raises(Spoiled):
        opened(forged(path, lambda lines: lines[1].update(change)))


@pytest.mark.parametrize("state", ["..", "archive", "state-../x", "state-", "state-x/y"])
def test_a_state_leads_nowhere_else(path: Path, state: str) -> None:
    with pytest.raises(Spoiled):
        opened(forged(path, lambda lines: lines[0].update(state=state)))


@pytest.mark.parametrize("line", [[], None, {}, {"healthlog_backup": "x"}, {"path": "x"}])
def test_a_first_line_that_is_no_head_is_refused(path: Path, line: object) -> None:
    with pytest.raises(Spoiled):
        opened(forged(path, lambda lines: lines.__setitem__(0, line)))


def test_a_form_of_later_is_left_to_later_programs(path: Path) -> None:
    with pytest.raises(MadeByNewer, match="newer"):
        opened(forged(path, lambda lines: lines[0].update(healthlog_backup=2)))


def test_a_manifest_that_is_a_folder_is_refused(path: Path) -> None:
    path.mkdir()
    with pytest.raises(Spoiled, match="can't be read"):
        opened(path)


# Asked in order


def test_entries_are_found_in_their_order() -> None:
    recorded = Recorded(Entry(name, 1, SHA256) for name in "bdfh")
    assert [recorded.find(name) is not None for name in "abceh"] == [
        False, True, False, False, True,
    ]  # fmt: skip
    assert recorded.rest() == ["d", "f"]
    assert Recorded(iter(())).find("a") is None


def test_manifests_are_asked_without_being_kept(path: Path) -> None:
    found: Manifest = opened(write(path, *ENTRIES))
    recorded = Recorded(found.entries())
    assert recorded.find(ENTRIES[1].path) == ENTRIES[1]
    assert recorded.rest() == [ENTRIES[0].path, ENTRIES[2].path]
