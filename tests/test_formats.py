"""Lists as JSON, as lines of JSON, as CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from healthlog.base.web import Response
from healthlog.formats import Listing, answer, columns, one_unit, pieces

ITEM: dict[str, object] = {"name": "a", "qty": 40.25, "unit": "kcal", "sources": ["Watch, left"]}
COLUMNS = columns("name", "qty", "unit", "sources", measured=["qty"], joined=["sources"])


def listing(
    *items: Mapping[str, object], after: str | None = None, unit: str | None = None
) -> Listing:
    return Listing(items, after, COLUMNS, unit)


def written(response: Response) -> bytes:
    return response.body if isinstance(response.body, bytes) else b"".join(response.body)


def cells(*items: Mapping[str, object], **more: Any) -> list[list[str]]:
    text = written(answer(listing(*items, **more), "csv", None)).decode()
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


@pytest.mark.parametrize("count", [0, 1, 3])
def test_json_has_items_with_the_next_cursor(count: int) -> None:
    response = answer(listing(*[ITEM] * count, after="c"), "json", "/x?cursor=c")
    assert json.loads(written(response)) == {"items": [ITEM] * count, "next": "c"}
    assert (response.content_type, response.headers) == ("application/json", ())


def test_json_has_null_at_the_end() -> None:
    assert json.loads(written(answer(listing(), "json", None)))["next"] is None


def test_lines_of_json_are_the_items() -> None:
    other = {"name": "line\nfeed\u2028"}
    response = answer(listing(ITEM, other), "ndjson", None)
    text = written(response).decode()
    assert text.endswith("\n")
    assert [json.loads(line) for line in text.split("\n")[:-1]] == [ITEM, other]
    assert response.content_type == "application/x-ndjson"


@pytest.mark.parametrize("form", ["csv", "ndjson"])
def test_what_has_no_place_for_the_cursor_links_to_the_next_page(form: str) -> None:
    response = answer(listing(ITEM, after="c"), form, "/x?limit=1&cursor=c")
    assert response.headers == (("Link", '</x?limit=1&cursor=c>; rel="next"'),)
    assert answer(listing(ITEM), form, None).headers == ()


def test_a_csv_begins_with_its_columns() -> None:
    assert cells() == [["name", "qty", "unit", "sources"]]


def test_the_header_names_the_unit_that_rules() -> None:
    assert cells(ITEM, unit="kcal")[0] == ["name", "qty [kcal]", "unit", "sources"]


def test_a_row_has_numbers_with_a_point_next_to_texts_as_they_are() -> None:
    assert cells(ITEM)[1] == ["a", "40.25", "kcal", "Watch, left"]


def test_every_line_of_a_csv_ends_in_crlf() -> None:
    text = written(answer(listing(ITEM, ITEM), "csv", None))
    assert text.count(b"\r\n") == text.count(b"\n") == 3
    assert text.endswith(b"\r\n")


@pytest.mark.parametrize("name", ["a,b", 'say "x"', "two\r\nlines", "line\nfeed", "", "naïve"])
def test_any_text_survives_a_csv(name: str) -> None:
    assert cells({"name": name})[1] == [name, "", "", ""]


def test_a_field_with_a_comma_is_quoted() -> None:
    assert b'"Watch, left"' in written(answer(listing(ITEM), "csv", None))


def test_several_sources_are_joined() -> None:
    assert cells({"sources": ["Watch", "iPhone"]})[1][3] == "Watch|iPhone"
    assert cells({"sources": []})[1][3] == ""


def test_nested_values_are_json_in_a_csv() -> None:
    response = answer(Listing([{"extra": {"b": [1, True]}}], None, columns("extra")), "csv", None)
    assert written(response) == b'extra\r\n"{""b"":[1,true]}"\r\n'


def test_a_column_may_lie_inside_a_member() -> None:
    items: list[dict[str, object]] = [{"counts": {"new": 5}}, {"counts": None}, {}]
    response = answer(Listing(items, None, columns("x", "counts.new")), "csv", None)
    assert written(response).split(b"\r\n")[:-1] == [b"x,counts.new", b",5", b",", b","]


@pytest.mark.parametrize("form", ["json", "csv", "ndjson"])
def test_items_are_taken_one_by_one(form: str) -> None:
    taken = []

    def items() -> Iterator[dict[str, object]]:
        for number in range(1_000):
            taken.append(number)
            yield {"name": number}

    assert next(pieces(Listing(items(), None, COLUMNS), form))
    assert len(taken) == 1


@pytest.mark.parametrize("form", ["json", "csv", "ndjson"])
def test_a_long_list_is_whole(form: str) -> None:
    many = listing(*({"name": f"item {number}"} for number in range(20_000)))
    response = answer(many, form, None)
    assert not isinstance(response.body, bytes)
    assert written(response) == b"".join(pieces(many, form))


@pytest.mark.parametrize("form", ["json", "csv", "ndjson"])
def test_a_lone_surrogate_breaks_no_list(form: str) -> None:
    assert b"\\ud800" in written(answer(listing({"name": "\ud800"}), form, None))


def test_one_unit_rules_if_every_item_has_it() -> None:
    assert one_unit([{"unit": "kcal"}, {"unit": "kcal"}]) == "kcal"
    assert one_unit([{"unit": "kcal"}, {"unit": "kJ"}]) is None
    assert one_unit([{"unit": "kcal"}, {}]) is None
    assert one_unit([{}]) is None
    assert one_unit([]) is None


def test_json_may_say_more_before_its_items() -> None:
    head = {"metric": "step_count", "unit": None}
    found = json.loads(written(answer(Listing([ITEM], "c", COLUMNS, None, head), "json", None)))
    assert found == {"metric": "step_count", "unit": None, "items": [ITEM], "next": "c"}
    assert list(found) == ["metric", "unit", "items", "next"]
