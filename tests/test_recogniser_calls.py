"""One call to a recogniser far away: what is certain afterwards, however it failed."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from email.utils import formatdate

import pytest

from healthlog.transcriber.cancel import Cancel
from healthlog.transcriber.failures import Cancelled
from healthlog.transcriber.providers.calls import (
    Answer,
    Call,
    Unanswered,
    Unsent,
    Untrusted,
    ask,
)
from tests.support.clock import MORNING_US
from tests.support.far import Asked, Far, Said, far
from tests.support.openai_server import CERTIFICATE
from tests.support.patience import PATIENCE_S

LARGE = b"x" * (8 * 1024 * 1024)


@pytest.fixture
def server() -> Iterator[Far]:
    with far(lambda _: Said(200, b"heard", {"X-Kind": "plain"})) as made:
        yield made


def posted(server: Far, body: bytes = b"audio", **more: float) -> Call:
    times = {"whole_s": 20.0, "answer_s": 20.0, **more}
    headers = {"Authorization": "Bearer x"}
    return Call("POST", f"{server.url}/a?b=c", headers, **times, body=of(body), length=len(body))


def of(body: bytes) -> Callable[[], Iterator[bytes]]:
    return lambda: iter([body[: len(body) // 2], body[len(body) // 2 :]])


def test_a_call_is_sent_and_answered(server: Far) -> None:
    answer = ask(posted(server))
    assert (answer.status, answer.content) == (200, b"heard")
    assert answer.headers["x-kind"] == "plain"
    [asked] = server.asked
    assert (asked.method, asked.path, asked.query) == ("POST", "/a", {"b": ["c"]})
    assert asked.body == b"audio"
    assert asked.headers["content-length"] == "5"
    assert asked.headers["authorization"] == "Bearer x"


def test_a_question_has_no_body(server: Far) -> None:
    assert ask(Call("GET", f"{server.url}/a", {}, 20.0, 20.0)).content == b"heard"
    assert "content-length" not in server.asked[0].headers


def test_an_answer_in_chunks_is_put_together(server: Far) -> None:
    server.faults = [Said(200, b"abcdefghij", pieces=(1, 3))]
    assert ask(posted(server)).content == b"abcdefghij"


@pytest.mark.parametrize("status", [302, 429, 500])
def test_every_status_is_an_answer(server: Far, status: int) -> None:
    server.faults = [Said(status, b"no", {"Location": "http://127.0.0.1:9/", "Retry-After": "7"})]
    answer = ask(posted(server))
    assert (answer.status, answer.retry_after_s(0)) == (status, 7.0)
    assert len(server.asked) == 1


# What is certain


@pytest.mark.parametrize(
    "fault",
    [
        Said(drop=True),
        Said(200, b"0123456789", cut=4),
        Said(200, b"0123456789", cut=4, pieces=(2,)),
    ],
)
def test_a_request_that_was_out_may_have_been_taken(server: Far, fault: Said) -> None:
    server.faults = [fault]
    with pytest.raises(Unanswered):
        ask(posted(server))
    assert len(server.asked) == 1


def test_nobody_there_has_taken_nothing() -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        call = Call("GET", f"http://127.0.0.1:{bound.getsockname()[1]}/", {}, 5.0, 5.0)
        with pytest.raises(Unsent, match="Connection refused"):
            ask(call)


def test_a_request_that_breaks_off_has_not_been_taken(server: Far) -> None:
    """The other side answers before it has read all, and closes: nothing was begun there."""
    server.faults = [Said(413, b"too large", early=True)]
    answer = ask(posted(server, LARGE))
    assert answer.status == 413
    server.faults = [Said(drop=True, early=True)]
    with pytest.raises(Unsent, match="while sending"):
        ask(posted(server, LARGE))
    assert server.asked == []


def test_a_certificate_is_looked_at() -> None:
    with far(lambda _: Said(), certificate=CERTIFICATE) as server, pytest.raises(Untrusted):
        ask(posted(server))
    assert server.asked == []


# Time


def test_the_whole_call_has_its_time(server: Far) -> None:
    server.faults = [Said(held=threading.Event())]
    with pytest.raises(Unanswered):
        ask(posted(server, whole_s=0.2))


def test_an_answer_has_its_time_to_begin(server: Far) -> None:
    server.faults = [Said(held=threading.Event())]
    with pytest.raises(Unanswered):
        ask(posted(server, answer_s=0.1))


# Our own stop


@pytest.mark.parametrize("patient", [False, True])
def test_our_own_stop_ends_a_call(server: Far, patient: bool) -> None:
    server.faults = [Said(held=threading.Event())]
    cancel = Cancel()
    ended: list[str] = []

    def call() -> None:
        try:
            ask(posted(server), cancel, patient=patient)
        except Cancelled:
            ended.append("cancelled")

    thread = threading.Thread(target=call)
    thread.start()
    assert server.arrived.wait(PATIENCE_S)
    cancel.ask()
    if patient:
        thread.join(0.05)
        assert thread.is_alive(), "what costs money is waited for"
        cancel.cut()
    thread.join(PATIENCE_S)
    assert ended == ["cancelled"]


def test_nothing_is_asked_after_our_own_stop(server: Far) -> None:
    cancel = Cancel()
    cancel.ask()
    with pytest.raises(Cancelled):
        ask(posted(server), cancel)
    assert server.asked == []


def test_an_answer_that_is_whole_counts_though_the_stop_came(server: Far) -> None:
    cancel = Cancel()

    def answer(_: Asked) -> Said:
        return Said(200, b"heard")

    with far(answer) as other:
        call = posted(other)
        assert ask(replace(call), cancel).content == b"heard"
        cancel.ask()


# What it may say


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("30", 30.0),
        (" 5 ", 5.0),
        ("", 0.0),
        ("soon", 0.0),
        ("-3", 0.0),
        ("9" * 400, 999_999_999.0),
        (formatdate(MORNING_US / 1_000_000 + 90, usegmt=True), pytest.approx(90, abs=1)),
        (formatdate(MORNING_US / 1_000_000 - 90, usegmt=True), 0.0),
    ],
)
def test_how_long_the_other_side_wants_to_be_left_alone(said: str, seconds: float) -> None:
    assert Answer(429, {"retry-after": said}, b"").retry_after_s(MORNING_US) == seconds


def test_errors_tell_nothing_of_what_was_sent(server: Far) -> None:
    server.faults = [Said(drop=True)]
    with pytest.raises(Unanswered) as raised:
        ask(posted(server))
    assert str(raised.value) == "no whole answer came: RemoteDisconnected"
