"""The soak itself: short, and with losses that it must see."""

from __future__ import annotations

import gzip
import hashlib
import re
from pathlib import Path

import pytest

from tests.soak import found, soak
from tests.support.bodies import NO_JSON, PARTIAL, TWO_DAYS, minutes
from tests.support.clock import FakeClock
from tests.support.engine import open_engine
from tests.support.soaking import Ledger

pytestmark = pytest.mark.slow


@pytest.mark.scenario("faults", "Soak ends with nothing lost")
def test_a_short_soak_loses_nothing_and_says_so_in_one_line(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert soak(data, seconds=2, kills=1, seed=7)
    said = capsys.readouterr()
    assert said.err == ""
    [line] = said.out.splitlines()
    assert re.search(
        r"sent \d+, .*acknowledged \d+, archived \d+, folded \d+, lost 0,"
        r" .*kills 1, .*digest equal to a rebuild",
        line,
    )


@pytest.mark.scenario("faults", "Soak ends with nothing lost")
def test_what_is_missing_changed_or_not_folded_is_lost(data: Path) -> None:
    ledger = Ledger(answered={"20260802T080142.123456Z-00000000": "never there"})
    with open_engine(data, FakeClock()) as engine:
        for body in (TWO_DAYS, PARTIAL, NO_JSON, minutes(3)):
            one = engine.post(body)
            ledger.answered[one.delivery_id] = hashlib.sha256(body).hexdigest()
        engine.fold_all()
    assert len(found(data, ledger).lost) == 2  # what can't be read was not folded either
    paths = sorted(data.glob("archive/*/*/*/*.gz"))
    paths[0].unlink()
    paths[1].write_bytes(gzip.compress(minutes(4)))
    end = found(data, ledger)
    assert sorted(end.lost) == sorted(ledger.answered)[:4]
    assert (end.archived, end.folded) == (3, 3)
    assert [one.partition(":")[0] for one in end.differing] == ["check", "digest"]
