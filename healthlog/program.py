"""This program, run again in a process of its own."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from healthlog.setting import ENVIRONMENT_PREFIX

_PACKAGES = Path(__file__).resolve().parents[1]


def environment(own: Mapping[str, str]) -> dict[str, str]:
    """That of this process without settings, in which this program is found again."""
    kept = {name: text for name, text in own.items() if not name.startswith(ENVIRONMENT_PREFIX)}
    places = (str(_PACKAGES), own.get("PYTHONPATH", ""))
    return {**kept, "PYTHONPATH": os.pathsep.join(filter(None, places))}
