"""Calls of the Bot API on the wire: TLS, deadlines, cuts, and no word of the token anywhere."""

from __future__ import annotations

import socket
import ssl
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self

import pytest

from healthlog.base.clock import Clock, SystemClock
from healthlog.base.http_place import Place, place_of
from healthlog.transcriber.cancel import Cancel
from healthlog.transcriber.failures import Cancelled
from healthlog.transcriber.telegram import faults
from healthlog.transcriber.telegram.api import Api, Call, fault_of
from healthlog.transcriber.telegram.faults import Fault, Overloaded, Unanswered, Unreached
from healthlog.transcriber.telegram.proxy import proxy_for
from healthlog.transcriber.telegram.settings import Telegram
from tests.support import bot_api as fake
from tests.support.bot_api import BOT, TOKEN, BotApi, Cutting, Dropping, Failing, bot_api
from tests.support.clock import FakeClock
from tests.support.sources import ROOT
from tests.support.tunnel import tunnel

CERTIFICATE = ROOT / "tests" / "data" / "tls" / "one.cert.pem"
KEY = ROOT / "tests" / "data" / "tls" / "one.key.pem"
ME = Call("getMe", {}, 20.0)


@pytest.fixture
def server() -> Iterator[BotApi]:
    """A Bot API."""
    with bot_api() as made:
        yield made


def api_at(
    url: str, *, clock: Clock | None = None, cancel: Cancel | None = None, **more: Any
) -> Api:
    settings = Telegram(token=TOKEN, api=url)
    return Api(settings, clock or SystemClock(), cancel or Cancel(), **more)


def secured() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE, KEY)
    return context


def trusting() -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(CERTIFICATE))


def test_a_call_brings_its_result(server: BotApi) -> None:
    assert api_at(server.url).call(ME)["id"] == BOT
    assert api_at(f"{server.url}/").call(ME)["id"] == BOT


# TLS


@pytest.mark.scenario("telegram", "Certificate that is not trusted")
def test_a_certificate_is_checked() -> None:
    with bot_api(secured()) as server:
        assert api_at(server.url, trusted=trusting()).call(ME)["id"] == BOT
        with pytest.raises(Unreached, match="certificate verify failed"):
            api_at(server.url).call(ME)
        with pytest.raises(Unreached, match="certificate verify failed"):
            api_at(server.url.replace("localhost", "127.1"), trusted=trusting()).call(ME)
        assert [method for method, _ in server.calls] == ["getMe"]


def test_a_long_poll_over_tls_is_cut_from_another_thread() -> None:
    with bot_api(secured()) as server:
        server.holding = True
        cancel = Cancel()
        api = api_at(server.url, trusted=trusting(), cancel=cancel)
        with cut_when(server, "getUpdates", cancel.ask), pytest.raises(Cancelled):
            api.call(Call("getUpdates", {"timeout": 50}, 65.0))


@contextmanager
def cut_when(server: BotApi, method: str, act: Callable[[], None]) -> Iterator[None]:
    """Once somebody waits in that method, `act` is done by another thread."""

    def cutting() -> None:
        server.until(lambda: bool(server.called(method)))
        act()

    thread = threading.Thread(target=cutting)
    thread.start()
    yield
    thread.join()


# Proxies


@pytest.mark.scenario("telegram", "Proxy of the environment")
def test_a_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with tunnel() as proxy, bot_api(secured()) as server:
        monkeypatch.setenv("https_proxy", proxy.url.replace("//", "//me:pass%20word@"))
        monkeypatch.setenv("no_proxy", "")
        assert api_at(server.url, trusted=trusting()).call(ME)["id"] == BOT
        [head] = proxy.heads
        assert head[0].startswith("CONNECT localhost:")
        assert "Proxy-Authorization: Basic bWU6cGFzcyB3b3Jk" in head
        assert TOKEN not in str(head)
        proxy.refusing = True
        with pytest.raises(Unreached):
            api_at(server.url, trusted=trusting()).call(ME)
        monkeypatch.setenv("no_proxy", "localhost")
        assert api_at(server.url, trusted=trusting()).call(ME)["id"] == BOT
        assert len(proxy.heads) == 2


def test_only_http_proxies_can_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "")
    monkeypatch.setenv("https_proxy", "socks5://127.0.0.1:1080")
    with pytest.raises(ValueError, match="HTTPS_PROXY must name an HTTP proxy"):
        proxy_for("api.telegram.org")
    with pytest.raises(Unreached, match="HTTPS_PROXY"):
        api_at("https://localhost:1").call(ME)
    monkeypatch.setenv("https_proxy", "proxy.example")
    found = proxy_for("api.telegram.org")
    assert found is not None
    assert (found.host, found.port, found.headers) == ("proxy.example", 8080, {})


# Deadlines


class Trickling:
    """A server that says one thing and never ends it."""

    def __init__(self, said: bytes) -> None:
        self._said = said
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self.over = threading.Event()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self._thread.join()
        self._listening.close()

    def _serve(self) -> None:
        client, _ = self._listening.accept()
        with client:
            client.recv(65_536)
            client.sendall(self._said)
            self.over.wait()


@pytest.mark.scenario("telegram", "Answer that does not end")
@pytest.mark.parametrize(
    "said", [b"", b"HTTP/1.1 200 OK\r\n", b'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"ok"']
)
def test_an_answer_that_does_not_end_is_given_up(said: bytes) -> None:
    with Trickling(said) as server, pytest.raises(Unanswered, match="in time"):
        api_at(server.url).call(Call("getMe", {}, 0.05))


def test_a_deadline_that_has_passed_asks_nothing(server: BotApi) -> None:
    with pytest.raises(Unreached):
        api_at(server.url, clock=FakeClock()).call(Call("getMe", {}, 0.0))
    assert server.calls == []


@pytest.mark.parametrize(
    ("said", "told"),
    [(b"SSH-2.0-OpenSSH_9\r\n", "no answer of HTTP"), (b"HTTP/1.1 200 OK\r\nx: " + b"y" * 70_000,
      "no answer of HTTP")],
)  # fmt: skip
def test_what_is_not_http_is_no_answer(said: bytes, told: str) -> None:
    with Trickling(said) as server, pytest.raises(Unanswered, match=told):
        api_at(server.url).call(ME)


def test_a_file_that_breaks_off_is_not_whole(server: BotApi) -> None:
    server.file(b"x" * 100_000)
    server.happens(Cutting(70_000), at="file")
    with api_at(server.url).file("voice/file_0.oga", 20.0) as answer:
        assert answer.read(65_536) == b"x" * 65_536
        assert len(answer.read(65_536)) == 70_000 - 65_536
        with pytest.raises(Unanswered):
            answer.read(65_536)


# The stop


def test_after_a_stop_only_patient_calls_begin(server: BotApi) -> None:
    cancel = Cancel()
    cancel.ask()
    api = api_at(server.url, cancel=cancel)
    with pytest.raises(Cancelled):
        api.call(ME)
    assert api.call(Call("getMe", {}, 20.0, patient=True))["id"] == BOT
    cancel.cut()
    with pytest.raises(Cancelled):
        api.call(Call("getMe", {}, 20.0, patient=True))


# What answers mean


@pytest.mark.parametrize(
    ("status", "description", "kind"),
    [
        (400, "Bad Request: file is too big", faults.TOO_BIG),
        (400, "Bad Request: wrong file_id or the file is temporarily unavailable", "unavailable"),
        (400, "Bad Request: message thread not found", faults.NO_THREAD),
        (400, "Bad Request: TOPIC_DELETED", faults.NO_THREAD),
        (400, "Bad Request: message is too long", faults.OTHER),
        (403, "Forbidden: bot was blocked by the user", faults.OTHER),
        (413, "Request Entity Too Large", faults.OTHER),
        (400, "", faults.OTHER),
    ],
)
def test_what_is_declined_is_known_by_its_kind(status: int, description: str, kind: str) -> None:
    said = {"ok": False, "error_code": status, "description": description}
    fault = fault_of(status, said, None)
    assert isinstance(fault, faults.Declined)
    assert fault.kind == kind
    assert not description or description not in str(fault)


@pytest.mark.parametrize(
    ("said", "header", "pause_s"),
    [
        ({"parameters": {"retry_after": 17}}, "5", 17),
        ({"parameters": {"retry_after": "17"}}, "5", 5),
        ({"parameters": []}, None, 1),
        (None, "soon", 1),
        (None, "9" * 400, 86_400),
        ({"parameters": {"retry_after": -3}}, None, 1),
    ],
)
def test_the_pause_that_is_asked_for(
    said: dict[str, Any] | None, header: str | None, pause_s: float
) -> None:
    fault = fault_of(429, said, header)
    assert isinstance(fault, Overloaded)
    assert fault.retry_after_s == pause_s


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("https://api.telegram.org", Place(True, "api.telegram.org", 443, "")),
        ("http://bot-api:8081/", Place(False, "bot-api", 8081, "")),
        ("http://[::1]:81/telegram/", Place(False, "::1", 81, "/telegram")),
    ],
)
def test_the_address_of_the_api(url: str, place: Place) -> None:
    assert place_of(url) == place


def test_an_address_is_told_to_its_host() -> None:
    assert place_of("https://api.telegram.org").shown == "api.telegram.org"
    assert place_of("http://[::1]:81").shown == "[::1]:81"


@pytest.mark.parametrize(
    "url",
    ["", "api.telegram.org", "ftp://x", "https://", "https://u:p@x", "http://x/?a", "http://x/\n",
     "http://x:99999", "http://ü.example"],
)  # fmt: skip
def test_what_is_no_address(url: str) -> None:
    with pytest.raises(ValueError, match=r"is not|has a port"):
        place_of(url)


# Secrets


def fetched(api: Api) -> bytes:
    with api.file("voice/file_0.oga", 20.0) as answer:
        return answer.read(10)


@pytest.mark.scenario("telegram", "Token stands in no error")
@pytest.mark.parametrize(
    ("at", "accident"),
    [
        ("getMe", fake.UNAUTHORIZED),
        ("getMe", fake.CONFLICT),
        ("getMe", fake.BAD_GATEWAY),
        ("getMe", fake.too_many(3)),
        ("getMe", Dropping()),
        ("getMe", Failing(404, f"Not Found: /bot{TOKEN}/getMe")),
        ("getMe", Failing(302, html="", headers={"Location": f"http://127.0.0.1:1/bot{TOKEN}"})),
        ("file", Failing(404, f"Not Found: {TOKEN}")),
        ("file", Dropping()),
        ("file", Failing(500, html=TOKEN)),
    ],
)
def test_the_token_stands_in_no_error(server: BotApi, at: str, accident: Any) -> None:
    api = api_at(server.url)
    server.happens(accident, at=at)
    with pytest.raises(Fault) as caught:
        fetched(api) if at == "file" else api.call(ME)
    # With all that a log could tell of it: every error behind it, every frame.
    story = "".join(traceback.format_exception(caught.value)) + repr(caught.value)
    assert TOKEN not in story
    assert TOKEN.partition(":")[2] not in story


def test_the_token_stands_in_no_repr() -> None:
    assert TOKEN not in repr(Telegram(token=TOKEN))
    assert "secret words" not in repr(Call("sendMessage", {"text": "secret words"}, 1.0))
