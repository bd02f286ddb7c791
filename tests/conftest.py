"""The fixtures that tests of every module share."""

from __future__ import annotations

import os
import signal
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.clock import FakeClock
from tests.support.engine import Engine, open_engine
from tests.support.folding import Bench, open_bench
from tests.support.reading import Desk, open_desk
from tests.support.studio import Studio, open_studio
from tests.support.telling import Tell, telling, told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def pytest_configure() -> None:
    # A shell lets what it begins in the background ignore ^C, and so would the programs under test.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    # An option and not an environment variable: HEALTHLOG_* reaches the services that tests start,
    # and an unknown setting stops them.
    parser.addoption(
        "--rounds",
        type=int,
        default=5,
        help="how often the tests under tests/abuse kill, cut and fill",
    )
    parser.addoption(
        "--programs",
        default=None,
        help="interpreter that has the packages of the group `programs`, for tests/programs",
    )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for report in (*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")):
        for line in told(report.user_properties):
            terminalreporter.write_line(line)


@pytest.fixture
def tell(record_property: Callable[[str, object], None]) -> Tell:
    """Takes in lines that are shown when all tests have run."""
    return telling(record_property)


@pytest.fixture
def rounds(pytestconfig: pytest.Config) -> int:
    """How often a test of tests/abuse repeats its accident."""
    value = pytestconfig.getoption("--rounds")
    assert isinstance(value, int)
    return value


@pytest.fixture
def memory_path() -> Iterator[Path]:
    """An empty folder, in memory where the system has a file system there: for tests that make
    whole logs durable again and again, and have no crash to survive."""
    place = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=place if os.access(place, os.W_OK) else None) as name:
        yield Path(name)


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
def studio(data: Path, clock: FakeClock) -> Iterator[Studio]:
    """An empty studio whose steps only go on."""
    with open_studio(data, clock) as made:
        yield made


@pytest.fixture
def new(data: Path) -> Path:
    """Where a replay builds its mart."""
    return data / "mart.db.new"
