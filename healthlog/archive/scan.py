"""What lies in the archive, found by walking its folders."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from healthlog.base import errors
from healthlog.base.ids import folder_of, parse_id

BODY = ".json.gz"
META = ".meta.json"

_LEVELS = (re.compile(r"\d{4}", re.ASCII), re.compile(r"\d\d", re.ASCII))


@dataclass(frozen=True, slots=True)
class Inventory:
    """The ids of all bodies and all metas, each sorted, with the paths (relative to the archive)
    of what lies in a day's folder and is neither."""

    bodies: tuple[str, ...]
    metas: tuple[str, ...]
    strays: tuple[str, ...]

    @property
    def lonely_metas(self) -> tuple[str, ...]:
        """Ids of metas without a body."""
        return tuple(sorted(set(self.metas) - set(self.bodies)))

    @property
    def bare_bodies(self) -> tuple[str, ...]:
        """Ids of bodies without a meta."""
        return tuple(sorted(set(self.bodies) - set(self.metas)))


def inventory(root: Path) -> Inventory:
    """Walks the day folders of the archive at `root`; raises the names of `base.errors`."""
    bodies: list[str] = []
    metas: list[str] = []
    strays: list[str] = []
    with errors.naming():
        for folder in _days(root):
            for name, is_file in _names(root / folder):
                body, meta = _id_before(name, BODY, folder), _id_before(name, META, folder)
                if body is not None and is_file:
                    bodies.append(body)
                elif meta is not None and is_file:
                    metas.append(meta)
                else:
                    strays.append(f"{folder}/{name}")
    return Inventory(tuple(sorted(bodies)), tuple(sorted(metas)), tuple(sorted(strays)))


def _days(root: Path) -> Iterator[str]:
    years, twos = _LEVELS
    for year in _folders(root, years):
        for month in _folders(root / year, twos):
            for day in _folders(root / year / month, twos):
                yield f"{year}/{month}/{day}"


def _folders(parent: Path, form: re.Pattern[str]) -> list[str]:
    with os.scandir(parent) as entries:
        return sorted(one.name for one in entries if form.fullmatch(one.name) and one.is_dir())


def _names(folder: Path) -> list[tuple[str, bool]]:
    with os.scandir(folder) as entries:
        return [(one.name, one.is_file()) for one in entries]


def _id_before(name: str, suffix: str, folder: str) -> str | None:
    """The id in a file's name, if it belongs into this folder: no other place is ever looked at."""
    delivery_id = name.removesuffix(suffix)
    if delivery_id == name or parse_id(delivery_id) is None:
        return None
    return delivery_id if folder_of(delivery_id) == folder else None
