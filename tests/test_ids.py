"""Ids: the instant in them, the order of their names, everything that is no id."""

from __future__ import annotations

import pytest

from healthlog.base.ids import folder_of, make_id, parse_id
from tests.support.clock import MORNING_US

ID = "20260802T080142.123456Z-5f3a9c1e"


@pytest.mark.scenario("archive", "Id and folder come from the stamp")
def test_an_id_is_its_instant_with_a_tail() -> None:
    assert make_id(MORNING_US, "5f3a9c1e") == ID
    assert folder_of(ID) == "2026/08/02"


def test_the_instant_is_read_back_from_the_id() -> None:
    assert parse_id(ID) == MORNING_US


@pytest.mark.parametrize("us", [0, 1, 999_999, MORNING_US, 253_402_300_799_999_999])
def test_every_instant_survives_its_id(us: int) -> None:
    assert parse_id(make_id(us, "00000000")) == us


def test_ids_sort_like_their_instants() -> None:
    instants = [0, 1, 10, 86_400_000_000, MORNING_US - 1, MORNING_US, MORNING_US + 1]
    ids = [make_id(us, tail * 8) for us, tail in zip(instants, "fedcba9", strict=True)]
    assert ids == sorted(ids)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "../../../etc/passwd",
        "20260802T080142.123456Z-5f3a9c1e/..",
        "20260802T080142.123456Z-5f3a9c1e\n",
        "20260802T080142.123456Z-5f3a9c1e\0",
        " 20260802T080142.123456Z-5f3a9c1e",
        "20260802T080142.123456Z-5F3A9C1E",
        "20260802T080142.123456Z-5f3a9c1",
        "20260802T080142.123456Z-5f3a9c1e0",
        "20260802T080142.123456-5f3a9c1e",
        "20260802T080142.1234Z-5f3a9c1e",
        "20260802t080142.123456z-5f3a9c1e",
        "20261302T080142.123456Z-5f3a9c1e",
        "20260230T080142.123456Z-5f3a9c1e",
        "20260802T240142.123456Z-5f3a9c1e",
        "20260802T080160.123456Z-5f3a9c1e",
        "00000802T080142.123456Z-5f3a9c1e",
        "19691231T235959.999999Z-5f3a9c1e",
        "2026\u0660802T080142.123456Z-5f3a9c1e",
        "\u06620260802T080142.123456Z-5f3a9c1e",
    ],
)
def test_everything_else_is_no_id(text: str) -> None:
    assert parse_id(text) is None


@pytest.mark.parametrize("tail", ["", "5F3A9C1E", "5f3a9c1", "5f3a9c1e0", "5f3a/c1e"])
def test_no_id_is_made_with_another_tail(tail: str) -> None:
    with pytest.raises(ValueError, match="makes no id"):
        make_id(MORNING_US, tail)


@pytest.mark.parametrize("us", [-1, 253_402_300_800_000_000])
def test_no_id_is_made_outside_the_calendar(us: int) -> None:
    with pytest.raises(ValueError, match=r"no id|years 1 to 9999"):
        make_id(us, "5f3a9c1e")
