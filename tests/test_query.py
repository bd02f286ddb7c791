"""Parameters of an address."""

from __future__ import annotations

import pytest

from healthlog.base.answers import Problem
from healthlog.base.query import Query


def test_parameters_are_decoded() -> None:
    query = Query("metric=heart%20rate&layer=day+total&empty=&bare")
    assert query.get("metric") == "heart rate"
    assert query.get("layer") == "day total"
    assert query.get("empty") == ""
    assert query.get("bare") == ""
    assert query.get("other") is None


def test_letters_of_any_script_are_decoded() -> None:
    assert Query("name=Z%C3%BCrich").get("name") == "Zürich"


@pytest.mark.parametrize("raw", ["", "&", "&&&"])
def test_no_parameters_are_none(raw: str) -> None:
    assert Query(raw).names() == set()
    assert Query().get("a") is None


def test_a_semicolon_separates_nothing() -> None:
    assert Query("a=1;b=2").get("a") == "1;b=2"


def test_a_repeated_parameter_is_a_400_that_names_it() -> None:
    query = Query("metric=a&limit=1&metric=b")
    with pytest.raises(Problem) as refused:
        query.get("metric")
    assert refused.value.status == 400
    assert "metric" in refused.value.detail
    assert query.get("limit") == "1"


def test_names_are_all_that_were_given() -> None:
    assert Query("a=1&b&a=2&%63=3").names() == {"a", "b", "c"}


@pytest.mark.parametrize("raw", ["a=%ff", "%ff=a", "a=%ed%a0%80", "&".join(["a=b"] * 101)])
def test_bad_parameters_are_a_400_for_who_asks(raw: str) -> None:
    query = Query(raw)
    for ask in (query.names, lambda: query.get("a")):
        with pytest.raises(Problem) as refused:
            ask()
        assert refused.value.status == 400
