"""Names in addresses that try to leave the folder they belong to."""

from __future__ import annotations

from pathlib import Path

import pytest

from healthlog.base.ids import parse_id
from tests.support.reading import Desk, steps

SECRET = b"nobody may read this"

STEPS = (
    "../",
    "..%2f",
    "..%2F",
    "%2e%2e/",
    "%2e%2e%2f",
    "%2E%2E%5C",
    "..%5c",
    "....//",
    "..;/",
    "..%00/",
    "..%c0%af",
    "..%ef%bc%8f",
    "..%252f",
    "%252e%252e%252f",
    ".%2e/",
    "/",
    "%2f",
    "file:%2f%2f",
    "~%2f",
    "%20../",
)
TARGETS = (
    "tokens.json",
    "20260802T080142.123456Z-5f3a9c1e",
)
PLACES = (
    "/api/v1/deliveries/{}",
    "/api/v1/deliveries/{}/body",
    "/api/v1/records/sleep/{}",
    "/api/v1/records/{}/x",
    "/api/v1/days/{}",
    "/{}",
    "/style.css/{}",
    "/static/{}",
)


@pytest.fixture
def trapped(desk: Desk) -> Desk:
    """A log with a delivery, and with files beside and above it that are no business of anybody."""
    desk.send(steps(("2026-05-03 00:00:00 +0200", 8123)))
    for folder in (desk.house.data, desk.house.data.parent, desk.house.data / "archive"):
        for name in TARGETS:
            path = folder / name
            if not path.exists() and "/" not in name:
                path.write_bytes(SECRET)
    return desk


@pytest.mark.scenario("security", "Names in addresses stay where they belong")
@pytest.mark.parametrize("place", PLACES)
def test_no_name_in_an_address_leads_out_of_its_folder(trapped: Desk, place: str) -> None:
    paths = [
        place.format(step * times + target)
        for step in STEPS
        for times in (1, 3)
        for target in TARGETS
    ]
    for path in paths:
        reply = trapped.get(path)
        assert reply.status in {400, 404}, path
        assert SECRET not in reply.body


def test_the_body_of_a_delivery_is_what_its_name_leads_to(trapped: Desk, data: Path) -> None:
    [one] = trapped.items("/api/v1/deliveries")
    name = one["delivery_id"]
    assert trapped.get(f"/api/v1/deliveries/{name}/body").body.startswith(b'{"data"')
    for bad in (name.lower(), f"{name}.", f" {name}", name + "%00", f"{name}.meta", f"x/{name}"):
        assert trapped.get(f"/api/v1/deliveries/{bad}/body").status in {400, 404}


@pytest.mark.scenario("security", "Names in addresses stay where they belong")
@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "../20260802T080142.123456Z-5f3a9c1e",
        "20260802T080142.123456Z-5f3a9c1e/..",
        "20260802T080142.123456Z-../../x",
        "20260802T080142.123456Z-5f3a9c1\0",
        "20260802T080142.123456Z-5f3a9c1e\n",
        "２0260802T080142.123456Z-5f3a9c1e",
    ],
)
def test_what_is_no_id_is_no_path(name: str) -> None:
    assert parse_id(name) is None
