"""Lists on their way out: as JSON, as lines of JSON, as CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from healthlog.base.answers import json_bytes
from healthlog.base.held import held
from healthlog.base.web import Response

Item = Mapping[str, object]

CSV_TYPE = "text/csv; charset=utf-8; header=present"
NDJSON_TYPE = "application/x-ndjson"


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a CSV. `path` leads to its value in an item, member by member.

    `measured` columns name the unit in their header, where one rules. Texts of a `joined` one
    are joined by `|`, which none of them holds; other lists and objects are written as JSON.
    """

    name: str
    path: tuple[str, ...]
    measured: bool = False
    joined: bool = False


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of a list: its items, the cursor of the page that follows, its columns in a CSV, the
    unit that all its items share, if they share one, and what JSON says before the items."""

    items: Iterable[Item]
    next: str | None
    columns: Sequence[Column]
    unit: str | None = None
    head: Mapping[str, object] = field(default_factory=dict)


def columns(*names: str, measured: Sequence[str] = (), joined: Sequence[str] = ()) -> list[Column]:
    """Columns from the names of members, `counts.new` being a member of a member."""
    return [
        Column(name, tuple(name.split(".")), name in measured, name in joined) for name in names
    ]


def one_unit(items: Iterable[Item]) -> str | None:
    """The unit that all items have; None where there is more than one, or an item without."""
    units = {item.get("unit") for item in items}
    unit = units.pop() if len(units) == 1 else None
    return unit if isinstance(unit, str) else None


def answer(listing: Listing, form: str, following: str | None) -> Response:
    """The page as an answer in `form` (json, csv, ndjson). `following` is the address of the next
    page; what has no place for the cursor in its body names it in a header (RFC 8288)."""
    body = held(pieces(listing, form))
    if form == "json":
        return Response(200, body, "application/json")
    link = (("Link", f'<{following}>; rel="next"'),) if following is not None else ()
    return Response(200, body, CSV_TYPE if form == "csv" else NDJSON_TYPE, link)


def pieces(listing: Listing, form: str) -> Iterator[bytes]:
    """The page as bytes in `form`, item by item; the cursor of the next one has no place in csv
    or ndjson."""
    if form == "json":
        return _json(listing)
    return _csv(listing) if form == "csv" else _lines(listing.items)


def _json(listing: Listing) -> Iterator[bytes]:
    lead = b"".join((json_bytes(listing.head)[:-1], b"," if listing.head else b"", b'"items":['))
    for item in listing.items:
        yield lead + json_bytes(item)
        lead = b","
    if lead != b",":
        yield lead
    yield b'],"next":' + json_bytes(listing.next) + b"}"


def _lines(items: Iterable[Item]) -> Iterator[bytes]:
    for item in items:
        yield json_bytes(item) + b"\n"


def _csv(listing: Listing) -> Iterator[bytes]:
    """RFC 4180: CRLF after each line, quotes where a field needs them."""
    line = io.StringIO(newline="")
    writer = csv.writer(line, lineterminator="\r\n")
    writer.writerow(_header(column, listing.unit) for column in listing.columns)
    for item in listing.items:
        writer.writerow(_field(column, item) for column in listing.columns)
        yield _taken(line)
    yield _taken(line)


def _taken(line: io.StringIO) -> bytes:
    text = line.getvalue()
    line.seek(0)
    line.truncate()
    return text.encode("utf-8", "backslashreplace")


def _header(column: Column, unit: str | None) -> str:
    return f"{column.name} [{unit}]" if column.measured and unit is not None else column.name


def _field(column: Column, item: Item) -> str:
    value: object = item
    for name in column.path:
        value = value.get(name) if isinstance(value, Mapping) else None
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if column.joined and isinstance(value, Sequence):
        return "|".join(map(str, value))
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
