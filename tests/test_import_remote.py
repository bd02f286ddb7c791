"""Bodies handed to a running service, as its client sees it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from healthlog.accept import Facts
from healthlog.base.web import Request, Response, Route, json_response, problem
from healthlog.imports.door import JOURNAL, SAID_AT, journal_mark
from healthlog.imports.remote import NotTakenIn, RemoteSink
from healthlog.setting_places import Address
from tests.support.accepting import House, delivery, insert, open_house
from tests.support.clock import MORNING_US, FakeClock
from tests.support.loopback import running

FACTS = Facts(imported=True, said_at_us=MORNING_US, automation_name="f\u00fcr\n1.json")


class Service:
    """Answers of a service, one after the other, and what it was asked."""

    def __init__(self, *answers: Response) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[dict[str, str], bytes]] = []

    def __call__(self, request: Request) -> Response:
        content = b""
        while piece := request.body.read():
            content += piece
        fields = {name.lower(): value for name, value in request.headers.items()}
        self.asked.append((fields, content))
        return self.answers.pop(0)

    def routes(self) -> list[Route]:
        return [Route("POST", "/api/v1/import", self, None, body_limit=1 << 20)]


@pytest.fixture
def house(data: Path, clock: FakeClock) -> Iterator[House]:
    with open_house(data, clock) as opened:
        yield opened


def sink(house: House, port: int, pauses: list[float] | None = None) -> RemoteSink:
    kept = [] if pauses is None else pauses
    path = house.data / "journal.db"
    return RemoteSink(Address("0.0.0.0", port), "secret", house.journal, path, pause=kept.append)


def test_a_body_is_handed_over_with_what_is_known_of_it(house: House) -> None:
    service = Service(json_response({"known": False}), json_response({"known": True}))
    with running(service.routes()) as server:
        remote = sink(house, server.server.port)
        assert remote.take(b"{}", FACTS) is True
        assert remote.take(b'{"a":1}', Facts(imported=True, aggregation="Days")) is False
        remote.close()
    (first, body), (second, _) = service.asked
    assert body == b"{}"
    assert first["authorization"] == "Bearer secret"
    assert first[JOURNAL.lower()] == journal_mark(house.data / "journal.db")
    assert first[SAID_AT.lower()] == "2026-08-02T08:01:42.123456Z"
    assert first["automation-name"] == "f\u00fcr 1.json"
    assert (second["automation-aggregation"], SAID_AT.lower() in second) == ("Days", False)


def test_a_body_is_offered_again_while_the_service_folds(house: House) -> None:
    later = problem(503, "Later.", (("Retry-After", "3"),))
    service = Service(later, later, json_response({"known": False}))
    pauses: list[float] = []
    with running(service.routes()) as server:
        remote = sink(house, server.server.port, pauses)
        assert remote.take(b"{}", FACTS)
        remote.close()
    assert pauses == [3.0, 3.0]


def test_what_the_service_says_is_said(house: House) -> None:
    service = Service(problem(409, "This service keeps another data directory."))
    with running(service.routes()) as server:
        remote = sink(house, server.server.port)
        with pytest.raises(NotTakenIn, match="another data directory"):
            remote.take(b"{}", FACTS)
        remote.close()


def test_a_service_that_is_gone_is_named(house: House) -> None:
    service = Service(json_response({"known": False}))
    with running(service.routes()) as server:
        remote = sink(house, server.server.port)
        assert remote.take(b"{}", FACTS)
    with pytest.raises(NotTakenIn, match="--listen"):
        remote.take(b"{}", FACTS)


def test_a_body_that_the_journal_has_is_not_even_offered(house: House) -> None:
    one = delivery(1)
    insert(house.journal, one)
    remote = sink(house, 1)
    assert remote.holds(one.sha256, None)
    assert not remote.holds("0" * 64, None)
