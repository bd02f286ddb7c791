"""All tools there are, in the order in which they are told."""

from __future__ import annotations

from healthlog.mcp import of_days, of_gaps, of_metrics, of_now, of_records
from healthlog.mcp.tool import Tool

TOOLS: tuple[Tool, ...] = (
    *of_metrics.TOOLS,
    *of_now.TOOLS,
    *of_days.TOOLS,
    *of_records.TOOLS,
    *of_gaps.TOOLS,
)
