"""The fixtures that tests of every module share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.clock import FakeClock
from tests.support.engine import Engine, open_engine
from tests.support.folding import Bench, open_bench
from tests.support.reading import Desk, open_desk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def pytest_addoption(parser: pytest.Parser) -> None:
    # An option and not an environment variable: HEALTHLOG_* reaches the services that tests start,
    # and an unknown setting stops them.
    parser.addoption(
        "--rounds",
        type=int,
        default=5,
        help="how often the tests under tests/abuse kill, cut and fill",
    )


@pytest.fixture
def rounds(pytestconfig: pytest.Config) -> int:
    """How often a test of tests/abuse repeats its accident."""
    value = pytestconfig.getoption("--rounds")
    assert isinstance(value, int)
    return value


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """An empty data directory."""
    folder = tmp_path / "data"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def clock() -> FakeClock:
    """A clock of this test alone."""
    return FakeClock()


@pytest.fixture
def bench() -> Iterator[Bench]:
    """An empty mart to fold into."""
    with open_bench() as made:
        yield made


@pytest.fixture
def desk(data: Path, clock: FakeClock) -> Iterator[Desk]:
    """An empty log that can be asked."""
    with open_desk(data, clock) as made:
        yield made


@pytest.fixture
def engine(data: Path, clock: FakeClock) -> Iterator[Engine]:
    """An empty log without a door."""
    with open_engine(data, clock) as made:
        yield made


@pytest.fixture
def new(data: Path) -> Path:
    """Where a replay builds its mart."""
    return data / "mart.db.new"
