"""The MCP server under the kit of the protocol's own makers."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from healthlog.mcp.tools import TOOLS
from tests.programs.conftest import ran
from tests.support.clock import FakeClock
from tests.support.reading import DAYS, open_desk, steps
from tests.support.sources import ROOT

CLIENT = ROOT / "tests" / "programs" / "mcp_client.py"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "version"),
    [("auto", "2026-07-28"), ("legacy", "2025-11-25"), ("2026-07-28", "2026-07-28")],
)
def test_the_kit_of_the_protocol_is_served(
    data: Path, programs: Path, mode: str, version: str
) -> None:
    with open_desk(data, FakeClock()) as desk:
        desk.send(steps(("2026-07-01 00:00:00 +0200", 8001)), DAYS)
    told = json.loads(ran(programs, CLIENT, mode, sys.executable, data))
    # Whoever pins a version asks for nothing before, not even for a name.
    assert (told["version"], told["server"]) == (version, None if mode == version else "healthlog")
    assert told["tools"] == [tool.name for tool in TOOLS]
    assert told["errors"] == [False] * 8 + [True]
    assert told["texts"][1].startswith("step_count by day: 1 value;")
    assert told["structured"][1]["items"][0]["value"] == 8001
    assert all(isinstance(one, dict) for one in told["structured"][:8])
