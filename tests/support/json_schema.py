"""As much of JSON Schema as the description of the calls uses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from typing import Any

from healthlog.base.clock import parse_us

Schema = Mapping[str, Any]

_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list,),
    "object": (dict,),
}
_FORMATS: Mapping[str, Callable[[str], object]] = {
    "date": date.fromisoformat,
    "date-time": parse_us,
}
_SILENT = {"default", "properties", "required", "additionalProperties"}


def faults(value: Any, schema: Schema, document: Schema, where: str = "$") -> Iterator[str]:
    """What is wrong with a value, each with its place. KeyError for a word that isn't known here,
    so that none is passed over."""
    if "$ref" in schema:
        assert schema.keys() == {"$ref"}
        yield from faults(value, resolved(schema["$ref"], document), document, where)
        return
    if isinstance(value, dict) and schema.get("type") == "object":
        yield from _of_object(value, schema, document, where)
    for word in schema.keys() - _SILENT:
        yield from _WORDS[word](value, schema[word], document, where)


def resolved(reference: str, document: Schema) -> Schema:
    """What a reference within the document leads to."""
    found: Any = document
    for part in reference.removeprefix("#/").split("/"):
        found = found[part]
    assert isinstance(found, dict)
    return found


def _of_object(
    value: dict[str, Any], schema: Schema, document: Schema, where: str
) -> Iterator[str]:
    members = schema.get("properties", {})
    others = schema.get("additionalProperties", True)
    for name in schema.get("required", []):
        if name not in value:
            yield f"{where}: {name} is missing"
    for name, member in value.items():
        if name in members:
            yield from faults(member, members[name], document, f"{where}.{name}")
        elif others is False:
            yield f"{where}: {name} is not described"
        elif others is not True:
            yield from faults(member, others, document, f"{where}.{name}")


def _type(value: Any, said: str, _: Schema, where: str) -> Iterator[str]:
    wrong = isinstance(value, bool) and said != "boolean"
    if wrong or not isinstance(value, _TYPES[said]):
        yield f"{where}: {value!r:.80} is no {said}"


def _items(value: Any, said: Schema, document: Schema, where: str) -> Iterator[str]:
    for number, item in enumerate(value if isinstance(value, list) else ()):
        yield from faults(item, said, document, f"{where}[{number}]")


def _branches(value: Any, said: list[Schema], document: Schema, where: str) -> list[list[str]]:
    return [list(faults(value, one, document, where)) for one in said]


def _any_of(value: Any, said: list[Schema], document: Schema, where: str) -> Iterator[str]:
    branches = _branches(value, said, document, where)
    if all(branches):
        yield f"{where}: none of {min(branches, key=len)}"


def _one_of(value: Any, said: list[Schema], document: Schema, where: str) -> Iterator[str]:
    branches = _branches(value, said, document, where)
    fitting = sum(not one for one in branches)
    if fitting != 1:
        yield f"{where}: {fitting} branches fit: {branches}"


def _enum(value: Any, said: list[Any], _: Schema, where: str) -> Iterator[str]:
    if value not in said:
        yield f"{where}: {value!r:.80} is none of {said}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _minimum(value: Any, said: float, _: Schema, where: str) -> Iterator[str]:
    if _is_number(value) and value < said:
        yield f"{where}: {value} is under {said}"


def _maximum(value: Any, said: float, _: Schema, where: str) -> Iterator[str]:
    if _is_number(value) and value > said:
        yield f"{where}: {value} is over {said}"


def _min_length(value: Any, said: int, _: Schema, where: str) -> Iterator[str]:
    if isinstance(value, str) and len(value) < said:
        yield f"{where}: shorter than {said}"


def _max_length(value: Any, said: int, _: Schema, where: str) -> Iterator[str]:
    if isinstance(value, str) and len(value) > said:
        yield f"{where}: longer than {said}"


def _pattern(value: Any, said: str, _: Schema, where: str) -> Iterator[str]:
    if isinstance(value, str) and re.search(said, value) is None:
        yield f"{where}: {value!r:.80} doesn't fit {said}"


def _format(value: Any, said: str, _: Schema, where: str) -> Iterator[str]:
    if isinstance(value, str):
        try:
            _FORMATS[said](value)
        except ValueError:
            yield f"{where}: {value!r:.80} is no {said}"


_WORDS: Mapping[str, Callable[[Any, Any, Schema, str], Iterator[str]]] = {
    "type": _type,
    "items": _items,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "enum": _enum,
    "minimum": _minimum,
    "maximum": _maximum,
    "minLength": _min_length,
    "maxLength": _max_length,
    "pattern": _pattern,
    "format": _format,
}
