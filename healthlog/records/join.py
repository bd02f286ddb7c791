"""Records that tell of one thing twice, shown as one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from healthlog.moment import Moments
from healthlog.records.derive import derived
from healthlog.records.record import MEDICATION, WORKOUT, Record, key_text
from healthlog.records.span import SCHEDULED, START, instant, span
from healthlog.values import words

_DOSE_NAMES = ("displayText", "name")


def mate(kind: str, data: Mapping[str, Any]) -> str | None:
    """What a record shares with others that tell of the same: a workout its start with its end,
    a dose its name with its start. None where it shares nothing."""
    moments = Moments()
    if kind == WORKOUT:
        start, end = span(kind, data, moments)
        return None if start is None or end is None else key_text(start.at_ms, end.at_ms)
    if kind == MEDICATION:
        taken = instant(data, START, moments)
        name = next((found for one in _DOSE_NAMES if (found := words(data.get(one)))), None)
        return None if taken is None or name is None else key_text(name, taken.at_ms)
    return None


def is_loose(kind: str, data: Mapping[str, Any]) -> bool:
    """Whether a record only fills the gaps of another that tells of the same: a workout without
    id (version 1), a dose without scheduled date."""
    if kind == WORKOUT:
        return data.get("id") is None
    return kind == MEDICATION and instant(data, SCHEDULED, Moments()) is None


def joined(record: Record, loose: Sequence[Record]) -> Record:
    """A record whose gaps were filled from others that tell of the same, the first by key that
    has a field."""
    if not loose:
        return record
    data: dict[str, Any] = {}
    for one in (record, *sorted(loose, key=_key)):
        data = {**one.data, **data}
    found = derived(record.kind, data)
    speakers = {speaker for one in (record, *loose) for speaker in one.delivery_ids}
    return Record(
        kind=record.kind,
        key=record.key,
        start_ms=found.start_ms,
        end_ms=found.end_ms,
        data=data,
        derived=found.values,
        flags=found.flags,
        delivery_ids=tuple(sorted(speakers)),
    )


def shown(records: Iterable[Record]) -> list[Record]:
    """Records as they are listed, in their order: those that are loose are joined to the one with
    the least key that tells of the same, where there is one."""
    whole = list(records)
    together: defaultdict[tuple[str, str], list[Record]] = defaultdict(list)
    for one in whole:
        if (shared := mate(one.kind, one.data)) is not None:
            together[one.kind, shared].append(one)
    instead: dict[tuple[str, str], Record | None] = {}
    for same in together.values():
        hosts = [one for one in same if not is_loose(one.kind, one.data)]
        if hosts:
            loose = [one for one in same if is_loose(one.kind, one.data)]
            instead |= {(one.kind, one.key): None for one in loose}
            host = min(hosts, key=_key)
            instead[host.kind, host.key] = joined(host, loose)
    listed = (instead.get((one.kind, one.key), one) for one in whole)
    return [one for one in listed if one is not None]


def _key(record: Record) -> str:
    return record.key
