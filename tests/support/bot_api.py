"""A Bot API of Telegram on loopback, as far as a bot that takes recordings meets it.

What it does is what https://core.telegram.org/bots/api says and its published server does
(github.com/tdlib/telegram-bot-api): updates are kept until a later offset confirms them, a second
`getUpdates` ends the first with 409, `getFile` gives a path that can expire, texts are counted in
UTF-16 units. It never waits by the clock: a long poll ends at once, or, with `holding`, when
something comes.
"""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.form_data import form_data
from tests.support.patience import PATIENCE_S

BOT = 5_550_001
TOKEN = f"{BOT}:AAHsecretOfTheTests-abcdefghijklmno"
LARGEST = 20 * 1024 * 1024
FIRST_UPDATE = 7_000

_LONGEST_TEXT, _LONGEST_CAPTION = 4096, 1024
_FUTURE = 10
_PAST = 2_000_000


@dataclass(frozen=True, slots=True)
class Failing:
    """An answer that brings no result. `html` is what something in between says instead."""

    status: int
    description: str = ""
    parameters: Mapping[str, object] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    html: str | None = None


@dataclass(frozen=True, slots=True)
class Dropping:
    """The connection breaks: before the request is obeyed, or `obeyed`, after it."""

    obeyed: bool = True


@dataclass(frozen=True, slots=True)
class Cutting:
    """A file's connection breaks after so many bytes."""

    after: int


Accident = Failing | Dropping | Cutting

UNAUTHORIZED = Failing(401, "Unauthorized")
CONFLICT = Failing(
    409,
    "Conflict: terminated by other getUpdates request;"
    " make sure that only one bot instance is running",
)
BLOCKED = Failing(403, "Forbidden: bot was blocked by the user")
UNAVAILABLE = Failing(400, "Bad Request: wrong file_id or the file is temporarily unavailable")
BAD_GATEWAY = Failing(502, html="<html><h1>502 Bad Gateway</h1></html>")


def too_many(seconds: int) -> Failing:
    """429 as the server says it."""
    return Failing(
        429,
        f"Too Many Requests: retry after {seconds}",
        {"retry_after": seconds},
        {"Retry-After": str(seconds)},
    )


@dataclass(frozen=True, slots=True)
class Sent:
    """A message of the bot that arrived."""

    chat_id: int
    text: str
    reply_to: int | None = None
    thread_id: int | None = None
    document: str | None = None


class Refusing(Exception):
    """The method fails so."""

    def __init__(self, failing: Failing) -> None:
        super().__init__(failing.description)
        self.failing = failing


@dataclass
class BotApi:
    """The server's state, to be set and looked at by tests while it serves; see `bot_api`. `held`
    counts the questions for updates that it kept open."""

    url: str = ""
    token: str = TOKEN
    local: bool = False
    holding: bool = False
    webhook: bool = False
    forgetful: bool = False
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)
    updates: dict[int, dict[str, Any]] = field(default_factory=dict)
    tail: int = FIRST_UPDATE
    files: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    chats: dict[int, dict[str, Any]] = field(default_factory=dict)
    blocked: set[int] = field(default_factory=set)
    moved: dict[int, int] = field(default_factory=dict)
    topics: dict[int, set[int]] = field(default_factory=dict)
    closing: bool = False
    held: int = 0
    _accidents: dict[str, list[Accident]] = field(default_factory=dict)
    _before: dict[str, Callable[[], object]] = field(default_factory=dict)
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _messages: int = 100

    # ---- what happens over there

    def happens(self, *accidents: Accident, at: str) -> None:
        """These happen to the next calls of that method (`file` for the fetching of one)."""
        self._accidents.setdefault(at, []).extend(accidents)

    def before(self, method: str, act: Callable[[], object]) -> None:
        """Done within each call of that method, before it is obeyed."""
        self._before[method] = act

    def message(self, chat_id: int, **fields: Any) -> dict[str, Any]:
        """Somebody sends a message: its update."""
        self._messages += 1
        kind = "private" if chat_id > 0 else "supergroup"
        chat = self.chats.setdefault(chat_id, {"id": chat_id, "type": kind})
        sender = {"id": abs(chat_id), "is_bot": False, "first_name": NAME, "username": USERNAME}
        plain = {"message_id": self._messages, "from": sender, "chat": chat, "date": 1_785_600_000}
        return self.update(message={**plain, **fields})

    def update(self, **fields: Any) -> dict[str, Any]:
        """Something happens that bots are told of."""
        with self._changed:
            made = {"update_id": self.tail, **fields}
            self.updates[self.tail] = made
            self.tail += 1
            self._changed.notify_all()
        return made

    def file(self, content: bytes, path: str = "voice/file_0.oga") -> str:
        """A file that somebody has sent: its file_id."""
        file_id = f"AwACAgIAAxkBAA{len(self.files)}"
        self.files[file_id] = (path.replace("_0", f"_{len(self.files)}"), content)
        return file_id

    def voice(self, chat_id: int, content: bytes, *, seconds: int = 1, **fields: Any) -> Any:
        """Somebody speaks: the update."""
        voice = {
            "file_id": self.file(content),
            "file_unique_id": "AgADAA",
            "duration": seconds,
            "mime_type": "audio/ogg",
            "file_size": len(content),
        }
        return self.message(chat_id, voice=voice, **fields)

    def count_anew(self, at: int) -> None:
        """After a week without updates they get other numbers."""
        with self._changed:
            self.updates.clear()
            self.tail = at

    def until(self, come: Callable[[], bool]) -> None:
        """Wait for something to have come about by calls."""
        with self._changed:
            assert self._changed.wait_for(come, PATIENCE_S), self.calls[-5:]

    def called(self, method: str) -> list[dict[str, Any]]:
        """The parameters of all calls of that method."""
        return [parameters for name, parameters in self.calls if name == method]

    @property
    def texts(self) -> list[str]:
        return [one.text for one in self.sent]

    def end(self) -> None:
        """No long poll is held any more."""
        with self._changed:
            self.closing = True
            self._changed.notify_all()

    # ---- what bots call

    def taken(self, at: str) -> Accident | None:
        """The next accident there."""
        self._before.get(at, lambda: None)()
        waiting = self._accidents.get(at)
        return waiting.pop(0) if waiting else None

    def obey(self, method: str, parameters: dict[str, Any]) -> Any:
        """The result of a call; Refusing."""
        methods: dict[str, Callable[[dict[str, Any]], Any]] = {
            "getMe": lambda _: {"id": BOT, "is_bot": True, "username": "tests_bot"},
            "getUpdates": self._get_updates,
            "getFile": self._get_file,
            "sendMessage": self._send_message,
            "sendDocument": self._send_document,
        }
        if method not in methods:
            raise Refusing(Failing(404, "Not Found: method not found"))
        return methods[method](parameters)

    def note(self, method: str, parameters: dict[str, Any]) -> None:
        with self._changed:
            self.calls.append((method, parameters))
            self._changed.notify_all()

    def _get_updates(self, parameters: dict[str, Any]) -> list[dict[str, Any]]:
        if self.webhook:
            told = "can't use getUpdates method while webhook is active"
            raise Refusing(
                Failing(409, f"Conflict: {told}; use deleteWebhook to delete the webhook first")
            )
        limit = min(max(int(parameters.get("limit", 100)), 1), 100)
        with self._changed:
            self._confirm(int(parameters.get("offset", 0)))
            if self.holding and parameters.get("timeout") and not self.updates:
                self._hold()
            return [self.updates[number] for number in sorted(self.updates)[:limit]]

    def _confirm(self, offset: int) -> None:
        # An offset from elsewhere confirms nothing: it counts as if none was given.
        if self.forgetful or not self.tail - _PAST <= offset <= self.tail + _FUTURE:
            return
        for number in [number for number in self.updates if number < offset]:
            del self.updates[number]

    def _hold(self) -> None:
        self.held += 1
        mine = self.held
        self._changed.notify_all()
        self._changed.wait_for(
            lambda: self.closing or bool(self.updates) or self.held != mine, PATIENCE_S
        )
        if self.held != mine:
            raise Refusing(CONFLICT)

    def _get_file(self, parameters: dict[str, Any]) -> dict[str, Any]:
        file_id = parameters.get("file_id")
        if file_id not in self.files:
            raise Refusing(UNAVAILABLE)
        path, content = self.files[file_id]
        if len(content) > LARGEST and not self.local:
            raise Refusing(Failing(400, "Bad Request: file is too big"))
        return {
            "file_id": file_id,
            "file_unique_id": "AgADAA",
            "file_size": len(content),
            "file_path": path,
        }

    def _send_message(self, parameters: dict[str, Any]) -> dict[str, Any]:
        text = parameters.get("text", "")
        self._check_text(text, _LONGEST_TEXT, "message")
        if not text.strip():
            raise Refusing(Failing(400, "Bad Request: message text is empty"))
        return self._arrived(parameters, text, None)

    def _send_document(self, parameters: dict[str, Any]) -> dict[str, Any]:
        caption = parameters.get("caption", "")
        self._check_text(caption, _LONGEST_CAPTION, "message caption")
        return self._arrived(parameters, caption, parameters["document"].decode())

    def _check_text(self, text: str, longest: int, what: str) -> None:
        try:
            units = len(text.encode("utf-16-le")) // 2
        except UnicodeEncodeError:
            told = "Bad Request: strings must be encoded in UTF-8"
            raise Refusing(Failing(400, told)) from None
        if units > longest:
            raise Refusing(Failing(400, f"Bad Request: {what} is too long"))

    def _arrived(
        self, parameters: dict[str, Any], text: str, document: str | None
    ) -> dict[str, Any]:
        chat_id = int(parameters["chat_id"])
        if chat_id in self.moved:
            told = "Bad Request: group chat was upgraded to a supergroup chat"
            raise Refusing(Failing(400, told, {"migrate_to_chat_id": self.moved[chat_id]}))
        if chat_id not in self.chats:
            raise Refusing(Failing(400, "Bad Request: chat not found"))
        if chat_id in self.blocked:
            raise Refusing(BLOCKED)
        thread_id = parameters.get("message_thread_id")
        if thread_id is not None and thread_id not in self.topics.get(chat_id, set()):
            raise Refusing(Failing(400, "Bad Request: message thread not found"))
        reply_to = (parameters.get("reply_parameters") or {}).get("message_id")
        with self._changed:
            self._messages += 1
            self.sent.append(Sent(chat_id, text, reply_to, thread_id, document))
            self._changed.notify_all()
        return {"message_id": self._messages, "chat": self.chats[chat_id], "date": 1_785_600_001}


NAME, USERNAME = "Leonora", "leonora_of_the_tests"
"""Of whoever sends: neither may stand in a log, an event, a metric."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, *_: object) -> None:
        """Tests tell by themselves what goes wrong."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        parts = self.path.split("/")
        if len(parts) != 3 or not parts[1].startswith("bot"):
            self._fail(Failing(404, "Not Found"))
            return
        if parts[1] != f"bot{self.server.api.token}":
            self._fail(UNAUTHORIZED)
            return
        self._obey(parts[2], _parameters(self.headers["Content-Type"], body))

    def do_GET(self) -> None:
        api = self.server.api
        start = f"/file/bot{api.token}/"
        api.note("file", {"path": self.path.removeprefix(start)})
        accident = api.taken("file")
        found = [c for path, c in api.files.values() if self.path == start + path]
        if isinstance(accident, Dropping):
            self._drop()
        elif isinstance(accident, Failing):
            self._fail(accident)
        elif not found:
            self._fail(Failing(404, "Not Found"))
        elif isinstance(accident, Cutting):
            self._head(200, {"Content-Length": str(len(found[0]))})
            self.wfile.write(found[0][: accident.after])
            self._drop()
        else:
            self._answer(200, found[0], {"Content-Type": "application/octet-stream"})

    def _obey(self, method: str, parameters: dict[str, Any]) -> None:
        api = self.server.api
        api.note(method, parameters)
        accident = api.taken(method)
        if isinstance(accident, Failing):
            self._fail(accident)
            return
        if isinstance(accident, Dropping) and not accident.obeyed:
            self._drop()
            return
        try:
            result = api.obey(method, parameters)
        except Refusing as refusing:
            self._fail(refusing.failing)
            return
        if accident is not None:
            self._drop()
            return
        self._say(200, {"ok": True, "result": result}, {})

    def _fail(self, failing: Failing) -> None:
        if failing.html is not None:
            self._answer(
                failing.status,
                failing.html.encode(),
                {"Content-Type": "text/html", **failing.headers},
            )
            return
        said: dict[str, Any] = {"ok": False, "error_code": failing.status}
        said["description"] = failing.description
        if failing.parameters:
            said["parameters"] = dict(failing.parameters)
        self._say(failing.status, said, failing.headers)

    def _say(self, status: int, said: object, headers: Mapping[str, str]) -> None:
        body = json.dumps(said).encode()
        self._answer(status, body, {"Content-Type": "application/json", **headers})

    def _answer(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        with suppress(OSError):  # whoever asked may be gone
            self._head(status, {**headers, "Content-Length": str(len(body))})
            self.wfile.write(body)

    def _head(self, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _drop(self) -> None:
        self.close_connection = True
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    api: BotApi

    def handle_error(self, *_: object) -> None:
        """A client that went away is no mistake of the server's."""


def _parameters(content_type: str, body: bytes) -> dict[str, Any]:
    if content_type.startswith("multipart/form-data"):
        fields = form_data(content_type, body)
        texts = {name: _value(value) for name, value in fields.items() if name != "document"}
        return {**texts, "document": fields["document"]}
    found = json.loads(body)
    assert isinstance(found, dict)
    return found


def _value(text: bytes) -> Any:
    """In forms, everything but a text is JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return text.decode()


@contextmanager
def bot_api(tls: ssl.SSLContext | None = None) -> Iterator[BotApi]:
    """A Bot API that serves, its `url` fit for the setting `telegram_api`."""
    server = _Server(("127.0.0.1", 0), _Handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    scheme, host = ("http", "127.0.0.1") if tls is None else ("https", "localhost")
    api = BotApi(f"{scheme}://{host}:{server.server_address[1]}")
    server.api = api
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield api
    finally:
        api.end()
        server.shutdown()
        thread.join()
        server.server_close()
