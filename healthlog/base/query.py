"""The part of an address behind the question mark."""

from __future__ import annotations

import re
from collections.abc import Collection
from urllib.parse import parse_qsl

from healthlog.base.answers import Problem

_PARAMETERS_MAX = 100
# An unknown name is said back only if it is shorter than any token may be.
_HARMLESS = re.compile(r"[a-z][a-z_]{0,14}")


class Query:
    """The parameters of one request, taken apart when a handler first asks for them.

    So a handler that has none answers whatever stands there: a delivery must not be lost because
    of a stray `&`.
    """

    __slots__ = ("_raw", "_values")

    def __init__(self, raw: str = "") -> None:
        self._raw = raw
        self._values: dict[str, list[str]] | None = None

    def get(self, name: str) -> str | None:
        """The value, "" for a bare name, None when absent; a repeated one is a 400 naming it."""
        values = self._parsed().get(name, [])
        if len(values) > 1:
            raise Problem(400, f"The parameter {name} is given more than once.")
        return values[0] if values else None

    def names(self) -> set[str]:
        """The names that were given."""
        return set(self._parsed())

    def only(self, known: Collection[str]) -> None:
        """A 400 that names the parameter for one that is not among the known ones."""
        for name in sorted(self.names() - set(known)):
            if _HARMLESS.fullmatch(name):
                raise Problem(400, f"The parameter {name} is not known here.")
            raise Problem(400, "A parameter is not known here.")

    def _parsed(self) -> dict[str, list[str]]:
        if self._values is None:
            self._values = _parse(self._raw)
        return self._values


def _parse(raw: str) -> dict[str, list[str]]:
    try:
        pairs = parse_qsl(
            raw, keep_blank_values=True, errors="strict", max_num_fields=_PARAMETERS_MAX
        )
    except ValueError:
        raise Problem(400, "The parameters of the address are malformed.") from None
    values: dict[str, list[str]] = {}
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    return values
