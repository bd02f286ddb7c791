"""The order of sources: whose word counts where several speak of one time."""

from __future__ import annotations

from healthlog.series.source_order import SourceOrder

WATCH, PHONE, OTHER = ("Owner’s Apple Watch",), ("Owner’s iPhone",), ("Garmin",)
MERGED, MORE = ("A", "B"), ("A", "B", "C")


def ordered(order: SourceOrder, *sources: tuple[str, ...]) -> list[tuple[str, ...]]:
    return sorted(sources, key=order.place)


def test_the_watch_comes_before_others_before_the_phone() -> None:
    assert ordered(SourceOrder(), PHONE, OTHER, WATCH) == [WATCH, OTHER, PHONE]


def test_what_the_phone_merged_itself_comes_first() -> None:
    assert ordered(SourceOrder(), WATCH, MERGED, MORE) == [MORE, MERGED, WATCH]


def test_no_source_is_another() -> None:
    assert ordered(SourceOrder(), PHONE, (), WATCH) == [WATCH, (), PHONE]


def test_the_order_can_be_set() -> None:
    order = SourceOrder(("garmin", "iphone"))
    # Whoever isn't named comes last, where the order says nothing about others.
    assert ordered(order, WATCH, PHONE, OTHER) == [OTHER, PHONE, WATCH]


def test_sources_of_one_place_still_have_an_order() -> None:
    assert ordered(SourceOrder(), ("Polar",), ("Garmin",)) == [("Garmin",), ("Polar",)]
