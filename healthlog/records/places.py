"""Records without the places that they tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_ROUTES = frozenset(("route", "routes"))
_LATITUDES = frozenset(("lat", "latitude"))
_LONGITUDES = frozenset(("lon", "lng", "long", "longitude"))


def without_places(data: Mapping[str, Any]) -> dict[str, Any]:
    """Fields without routes, and without whatever else says where on earth its owner was: objects
    with latitude and longitude, lists of such, at any depth."""
    names = {name.casefold() for name in data}
    coordinates = _LATITUDES | _LONGITUDES if _is_place(names) else frozenset[str]()
    kept = {
        name: _without(value)
        for name, value in data.items()
        if name.casefold() not in _ROUTES | coordinates
    }
    return {name: value for name, value in kept.items() if value is not _PLACE}


class _Place:
    """Stands for a value of which nothing is left."""


_PLACE = _Place()


def _without(value: Any) -> Any:
    if isinstance(value, dict):
        return _PLACE if _is_place({name.casefold() for name in value}) else without_places(value)
    if isinstance(value, list):
        kept = [_without(one) for one in value]
        left = [one for one in kept if one is not _PLACE]
        return _PLACE if kept and not left else left
    return value


def _is_place(names: set[str]) -> bool:
    return not names.isdisjoint(_LATITUDES) and not names.isdisjoint(_LONGITUDES)
