"""The synthetic export, and what importing it costs."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from healthlog.planning import hear
from tests.bench.apple import write
from tests.bench.import_apple import measured
from tests.support.apple import chunks, scanned
from tests.support.folding import delivery, no_check

MIB = 1024 * 1024


def made(size: int, seed: int = 1) -> bytes:
    target = io.BytesIO()
    write(target, size, seed)
    return target.getvalue()


def test_the_same_seed_makes_the_same_export() -> None:
    assert made(MIB) == made(MIB)
    assert made(MIB) != made(MIB, seed=2)


@pytest.mark.parametrize("size", [MIB, 4 * MIB])
def test_an_export_has_about_the_size_asked_for(size: int) -> None:
    assert size * 0.9 < len(made(size)) < size * 1.1 + MIB


def test_nothing_in_it_is_damaged_or_rejected() -> None:
    document = made(MIB)
    _, scanner = scanned(document)
    assert (scanner.damaged, scanner.mended, scanner.cut) == (0, 0, False)
    for chunk in chunks(document):
        heard = hear(delivery(1, chunk.body, None), chunk.body, no_check)
        assert heard.parsed.metrics.rejections.listed == []
        assert heard.uncovered() == ()
        assert heard.parsed.metrics.received == chunk.elements


@pytest.mark.slow
@pytest.mark.scenario("import", "Import stays below 200 MB")
def test_an_import_stays_below_200_mb(tmp_path: Path) -> None:
    found = measured(tmp_path, mib=64, rounds=1, fold=True)
    peaks = json.loads(json.dumps(found))
    assert peaks["peak_mib"] < 100
    assert peaks["fold_peak_mib"] < 200
