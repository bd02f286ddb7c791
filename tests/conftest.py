"""The fixtures that tests of every module share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.clock import FakeClock

if TYPE_CHECKING:
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
