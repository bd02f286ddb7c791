"""The settings in words."""

from __future__ import annotations

from dataclasses import dataclass, fields

from healthlog import recording_settings, telegram_settings
from healthlog.config import TABLE, Settings
from healthlog.notices.settings import values_of as notices_of


@dataclass(frozen=True, slots=True)
class Row:
    """A setting in words, for documents and for showing what is in force."""

    name: str
    value: str
    default: str
    allowed: str
    environment: str
    flag: str
    help: str


def rows(values: Settings | None = None) -> list[Row]:
    """The table in words, with the values in force (else the defaults); secrets masked."""
    shown = _shown(values)
    return [
        Row(s.name, shown[s.name], s.default, s.kind.allowed, s.environment, s.flag, s.help)
        for s in TABLE
    ]


def _shown(values: Settings | None) -> dict[str, str]:
    if values is None:
        return {s.name: s.default or "not set" for s in TABLE}
    given = {f.name: getattr(values, f.name) for f in fields(values)}
    given |= recording_settings.values_of(values.recordings)
    given |= telegram_settings.values_of(values.telegram)
    given |= notices_of(values.notify)
    return {
        s.name: "not set" if (v := given[s.name]) is None else "set" if s.secret else s.kind.show(v)
        for s in TABLE
    }
