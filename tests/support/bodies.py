"""Small bodies as the phone sends them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

NO_JSON = b'{"data":' + b"}"
"""Passes the door, for it begins and ends as it should, and can't be read."""


def body(*metrics: Mapping[str, Any], **sections: Any) -> bytes:
    """A body with these metrics and other sections."""
    return json.dumps({"data": {"metrics": list(metrics), **sections}}).encode()


def metric(name: str, points: Mapping[str, float], unit: str = "count") -> dict[str, Any]:
    """A metric with a reading for each date text."""
    data = [{"date": date, "qty": qty, "source": "Watch"} for date, qty in points.items()]
    return {"name": name, "units": unit, "data": data}


def days(points: Mapping[str, float], name: str = "step_count", **sections: Any) -> bytes:
    """Totals of days (`2026-05-03`), whose layer the dates themselves show if they are two."""
    timed = {f"{date} 00:00:00 +0200": qty for date, qty in points.items()}
    return body(metric(name, timed), **sections)


def minutes(count: int, begin_hour: int = 0, name: str = "step_count") -> bytes:
    """So many minutes of one day, each with its own number."""
    return body(
        metric(
            name,
            {
                f"2026-05-03 {begin_hour + at // 60:02}:{at % 60:02}:00 +0200": at + 1
                for at in range(count)
            },
        )
    )


TWO_DAYS = days({"2026-05-03": 8123, "2026-05-04": 6044})
ONE_DAY = days({"2026-05-05": 71})
"""Tells no layer by itself."""
PARTIAL = days({"2026-05-06": 5, "2026-05-07": 6}, mystery=[{"a": 1}])
"""Two good points beside a section that nobody knows."""
