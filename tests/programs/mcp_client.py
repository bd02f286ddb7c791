"""A client made of the protocol's own kit: `python mcp_client.py MODE PYTHON DATA`.

Run by an interpreter that has the package `mcp`. Prints one JSON line: what it was told.
"""

from __future__ import annotations

import asyncio
import json
import sys
from importlib import import_module
from typing import Any

mcp: Any = import_module("mcp")

CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("list_metrics", {}),
    ("get_series", {"metric": "step_count", "bucket": "day", "from": "2026-07-01"}),
    ("get_latest", {}),
    ("get_day", {"day": "2026-07-01"}),
    ("get_nights", {"from": "2026-07-01"}),
    ("list_workouts", {"from": "2026-07-01"}),
    ("list_records", {"kind": "symptom", "from": "2026-07-01"}),
    ("find_gaps", {"metric": "step_count", "from": "2026-07-01"}),
    ("get_day", {"day": "soon"}),
)


async def main(mode: str, python: str, data: str) -> None:
    arguments = ["-m", "healthlog", "mcp", "--data", data]
    server = mcp.StdioServerParameters(command=python, args=arguments)
    async with mcp.Client(mcp.stdio_client(server), mode=mode) as client:
        tools = (await client.list_tools()).tools
        results = [await client.call_tool(name, given) for name, given in CALLS]
        told = {
            "version": client.protocol_version,
            "server": getattr(client.server_info, "name", None),
            "tools": [tool.name for tool in tools],
            "errors": [bool(one.is_error) for one in results],
            "texts": [one.content[0].text for one in results],
            "structured": [one.structured_content for one in results],
        }
    print(json.dumps(told))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
