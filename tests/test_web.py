"""From a head to a handler to an answer."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from healthlog.base.coding import decoded
from healthlog.base.errors import (
    Busy,
    Circumstance,
    Damaged,
    DiskFull,
    Inaccessible,
    IOFault,
    NoDescriptors,
    Stopped,
)
from healthlog.base.http1 import Body, Reader
from healthlog.base.web import (
    Answer,
    App,
    Budget,
    Problem,
    Request,
    Response,
    Route,
    answer_to,
    json_response,
    tokens_only,
)
from tests.support.http import (
    MIB,
    UPLOAD_BUDGET,
    Pieces,
    bearer,
    head_of,
    post,
    routes,
)


def nobody(event: object) -> None:
    """Observes nothing."""


def app_of(*own: Route) -> App:
    return App(own or routes(), tokens_only(bearer), nobody)


def asked(app: App, data: bytes, budgets: list[Budget] | None = None) -> Answer:
    """The answer to a request given as bytes, with the body behind the head."""
    head = head_of(data)
    body_data = data.partition(b"\r\n\r\n")[2]
    body = Body(Reader(Pieces(body_data)), head.announced, chunked=head.chunked)
    set_budget = (budgets if budgets is not None else []).append
    return app.respond(app.match(head.method, head.path), head, body, "192.0.2.1", set_budget)


def get(path: str, *fields: str) -> bytes:
    return "\r\n".join([f"GET {path} HTTP/1.1", "Host: x", *fields]).encode() + b"\r\n\r\n"


def raising(error: Exception) -> Callable[[Request], Response]:
    def handler(request: Request) -> Response:
        raise error

    return handler


def detail(response: Response) -> str:
    assert isinstance(response.body, bytes)
    assert response.content_type == "application/problem+json"
    said = json.loads(response.body)
    assert said["status"] == response.status
    assert isinstance(said["detail"], str)
    return said["detail"]


def test_a_request_reaches_its_handler_whole() -> None:
    seen: list[Request] = []

    def handler(request: Request) -> Response:
        seen.append(request)
        return json_response(1)

    app = app_of(Route("POST", "/a/{kind}/b/{key}", handler, None, body_limit=MIB))
    answer = asked(app, post("/a/x%20y/b/z%2Fz?limit=5", b"hello", "X-Name: value"))
    assert answer.response.status == 200
    request = seen[0]
    assert (request.method, request.path) == ("POST", "/a/x%20y/b/z%2Fz")
    assert request.params == {"kind": "x y", "key": "z/z"}
    assert request.query.get("limit") == "5"
    assert request.headers.get("x-name") == "value"
    assert request.remote == "192.0.2.1"
    assert request.body.read() == b"hello"


@pytest.mark.parametrize("fields", [[], ["Authorization: Bearer ingest"], ["Authorization: read"]])
def test_without_the_right_token_it_is_a_401(fields: list[str]) -> None:
    answer = asked(app_of(), get("/secret", *fields))
    assert answer.response.status == 401
    assert dict(answer.response.headers)["WWW-Authenticate"].startswith("Bearer")
    assert detail(answer.response)


def test_the_right_token_opens_its_scope() -> None:
    answer = asked(app_of(), get("/secret", "Authorization: Bearer read"))
    assert answer.response.status == 200


def test_an_unknown_address_is_a_404_without_a_token() -> None:
    assert asked(app_of(), get("/other")).response.status == 404


def test_a_body_announced_over_the_limit_is_a_413_unread() -> None:
    head = head_of(post("/echo", b"", "A: b").replace(b"Length: 0", b"Length: 1048577"))
    source = Pieces()
    app = app_of()
    match = app.match("POST", "/echo")
    answer = app.respond(match, head, Body(Reader(source), head.announced), "", nobody)
    assert answer.response.status == 413
    assert "1 MiB" in detail(answer.response)
    assert source.calls == 0


def test_a_chunked_body_over_the_limit_is_a_413() -> None:
    data = b"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunk = b"40000\r\n" + bytes(0x40000) + b"\r\n"
    assert asked(app_of(), data + chunk * 4 + b"0\r\n\r\n").response.status == 200
    answer = asked(app_of(), data + chunk * 5 + b"0\r\n\r\n")
    assert answer.response.status == 413
    assert "1 MiB" in detail(answer.response)


def test_a_token_is_asked_for_before_the_length() -> None:
    data = post("/secret", b"").replace(b"Length: 0", b"Length: 9999999")
    assert asked(app_of(), data).response.status == 401


def test_a_route_without_body_does_not_look_at_one() -> None:
    assert asked(app_of(), post("/hello", b"body")).response.status == 200


def test_a_cut_body_is_a_400() -> None:
    answer = asked(app_of(), post("/echo", b"hello").replace(b"Length: 5", b"Length: 6"))
    assert answer.response.status == 400
    assert detail(answer.response)


def test_a_late_body_is_a_408() -> None:
    head = head_of(post("/echo", b"hello"))
    body = Body(Reader(Pieces(b"hell", late=True)), 5)
    app = app_of()
    answer = app.respond(app.match("POST", "/echo"), head, body, "", nobody)
    assert answer.response.status == 408


def test_malformed_chunks_are_a_400() -> None:
    data = b"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloX"
    assert asked(app_of(), data + b"\r\n0\r\n\r\n").response.status == 400


def test_an_unknown_content_coding_is_a_415_that_names_the_known() -> None:
    def handler(request: Request) -> Response:
        coding = request.headers.get("Content-Encoding")
        return Response(200, b"".join(decoded(request.body, coding, MIB)), "text/plain")

    app = app_of(Route("POST", "/zip", handler, None, body_limit=MIB))
    answer = asked(app, post("/zip", b"hello", "Content-Encoding: br"))
    assert answer.response.status == 415
    assert answer.response.headers == (("Accept-Encoding", "gzip"),)
    assert asked(app, post("/zip", b"hello", "Content-Encoding: gzip")).response.status == 400


@pytest.mark.parametrize(
    ("error", "status", "retry"),
    [
        (Busy("x"), 503, True),
        (Stopped("x"), 503, True),
        (IOFault("x"), 503, True),
        (NoDescriptors("x"), 503, True),
        (Circumstance("x"), 503, True),
        (DiskFull("x"), 507, False),
        (Inaccessible("x"), 503, True),
        (Damaged("x"), 503, True),
        (ValueError("x"), 500, False),
        (RecursionError("x"), 500, False),
        (MemoryError("x"), 500, False),
    ],
)
def test_errors_become_answers(error: Exception, status: int, retry: bool) -> None:
    answer = asked(app_of(Route("GET", "/a", raising(error), None)), get("/a"))
    assert answer.response.status == status
    assert ("Retry-After" in dict(answer.response.headers)) is retry
    assert (answer.failure is error) is (status == 500)


def test_an_error_of_ours_says_nothing_of_itself() -> None:
    answer = answer_to(ValueError("canary"))
    assert "canary" not in detail(answer.response)


def test_a_problem_of_a_handler_is_its_answer() -> None:
    raised = Problem(409, "It is there already.", (("Location", "/a/1"),))
    answer = asked(app_of(Route("GET", "/a", raising(raised), None)), get("/a"))
    assert answer.response.status == 409
    assert detail(answer.response) == "It is there already."
    assert answer.response.headers == (("Location", "/a/1"),)
    assert answer.failure is None


def test_a_header_with_a_line_end_becomes_a_500() -> None:
    def handler(request: Request) -> Response:
        return Response(200, b"", "text/plain", (("A", request.query.get("a") or ""),))

    answer = asked(app_of(Route("GET", "/a", handler, None)), get("/a?a=b%0d%0aSet-Cookie:c"))
    assert answer.response.status == 500
    assert isinstance(answer.failure, ValueError)


def test_a_budget_is_set_before_the_body_is_read() -> None:
    order: list[object] = []

    def handler(request: Request) -> Response:
        order.append("read")
        return json_response(1)

    route = Route("POST", "/a", handler, None, body_limit=MIB, budget=UPLOAD_BUDGET)
    head = head_of(post("/a", b"hello"))
    app = app_of(route)
    app.respond(app.match("POST", "/a"), head, Body.of(b"hello"), "", order.append)
    assert order == [UPLOAD_BUDGET, "read"]


@pytest.mark.parametrize("path", ["/echo", "/unread", "/hello", "/other", "/secret"])
def test_no_other_route_sets_a_budget(path: str) -> None:
    budgets: list[Budget] = []
    asked(app_of(), post(path, b"hello"), budgets)
    assert budgets == []


def test_only_a_route_with_body_budget_is_an_upload() -> None:
    uploads = {route.pattern for route in routes() if route.upload}
    assert uploads == {"/upload"}
    assert app_of().match("POST", "/upload").upload
    assert not app_of().match("GET", "/upload").upload
