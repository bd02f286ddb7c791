"""Two services on one data directory, however each of them spells it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.aftermath import restarted
from tests.support.bodies import PARTIAL, TWO_DAYS
from tests.support.mounts import bound
from tests.support.process import TOKENS, command, serving
from tests.support.sources import ROOT

pytestmark = pytest.mark.slow

Spelling = Callable[[Path], "Path | str"]


def linked(data: Path) -> Path:
    link = data.with_name("link")
    link.symlink_to(data)
    return link


SPELLINGS: dict[str, Spelling] = {
    "the same": lambda data: data,
    "a detour": lambda data: f"{data}/../{data.name}/",
    "a relative path": lambda data: os.path.relpath(data, ROOT),
    "a link": linked,
}


@contextmanager
def refused(data: Path) -> Iterator[Callable[[Path | str], None]]:
    """A service that goes on while each second one is refused."""
    with serving(data) as first:
        assert first.post(TWO_DAYS)[0] == 200

        def refuse(spelled: Path | str) -> None:
            flags = ("--data", spelled, "--listen", "127.0.0.1:0")
            ran = command("serve", *flags, env=TOKENS)
            lock = Path(spelled) / "lock"
            assert (ran.returncode, ran.stdout) == (1, "")
            assert ran.stderr == f"healthlog: the lock {lock} is held by another process\n"

        yield refuse
        assert first.post(PARTIAL)[0] == 200
        first.settled()
        assert first.stop() == 0
    assert restarted(data).points == 4


@pytest.mark.scenario("faults", "One writer whatever the path")
def test_a_second_service_is_refused_by_any_spelling(data: Path) -> None:
    with refused(data) as refuse:
        for spelling in SPELLINGS.values():
            refuse(spelling(data))


@pytest.mark.scenario("faults", "One writer whatever the path")
def test_a_second_service_is_refused_over_a_bind_mount(data: Path, tmp_path: Path) -> None:
    with refused(data) as refuse, bound(data, tmp_path / "elsewhere") as elsewhere:
        refuse(elsewhere)
