"""QR codes as they are shown."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from healthlog.qr.blocks import blocks
from healthlog.qr.svg import svg
from healthlog.qr.symbol import QUIET, Symbol, encode
from tests.support.qr import read, read_lines

DATA = b"com.HealthExport://automation?url=https%3A%2F%2Fhealth.example.org%2Fingest"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def symbol() -> Symbol:
    return encode(DATA)


@pytest.mark.scenario("pairing", "Code is drawn as SVG or as text")
def test_svg_draws_every_module(symbol: Symbol) -> None:
    root = ET.fromstring(svg(symbol, "Code for <the> phone"))
    side = symbol.size + 2 * QUIET
    assert root.get("viewBox") == f"0 0 {side} {side}"
    assert root.findtext(f"{SVG}title") == "Code for <the> phone"
    [ground, drawn] = root.findall(f"{SVG}path")
    assert ground.get("fill") == "#fff"
    runs = re.findall(r"M(\d+) (\d+)h(\d+)v1h-(\d+)z", drawn.get("d") or "")
    assert "".join(f"M{x} {y}h{n}v1h-{m}z" for x, y, n, m in runs) == drawn.get("d")
    dark = {(int(x) + n, int(y)) for x, y, run, _ in runs for n in range(int(run))}
    found = read(lambda x, y: (x, y) in dark, side, side)
    assert found is not None
    assert found.bytes == DATA


@pytest.mark.scenario("pairing", "Code is drawn as SVG or as text")
@pytest.mark.parametrize("quiet", [2, QUIET])
def test_text_draws_every_module(symbol: Symbol, quiet: int) -> None:
    lines = blocks(symbol, quiet=quiet, coloured=False)
    assert {len(line) for line in lines} == {symbol.size + 2 * quiet}
    assert read_lines(lines) == DATA


def test_coloured_text_sets_black_on_white_and_takes_it_back(symbol: Symbol) -> None:
    lines = blocks(symbol, quiet=QUIET, coloured=True)
    inked = []
    for line in lines:
        match = re.fullmatch("\x1b\\[30;107m([█▀▄ ]+)\x1b\\[0m", line)
        assert match is not None
        inked.append(match[1])
    # What is ink there is light in the plain text.
    turned = str.maketrans("█▀▄ ", " ▄▀█")
    assert read_lines([line.translate(turned) for line in inked]) == DATA
