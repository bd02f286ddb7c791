"""The conversation with a client, message by message."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from datetime import UTC
from typing import Any

import pytest

from healthlog.base.errors import Refusal
from healthlog.base.log import Log
from healthlog.mcp.session import AGREED, VERSIONS, Session
from healthlog.mcp.tool import Look, Told, Tool
from healthlog.series.source_order import SourceOrder
from tests.support.clock import FakeClock
from tests.support.mcp import Talk, greeting, request

MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def echo(_: Look, given: Mapping[str, Any]) -> Told:
    if "refuse" in given:
        raise Refusal("word is wrong")
    if "break" in given:
        raise KeyError(given["break"])
    return Told("said", dict(given))


ECHO = Tool("echo", "Echo", "Says it back.", echo, {"word": {"type": "string"}}, ("word",))


@pytest.fixture
def talk(clock: FakeClock) -> Talk:
    stream = io.StringIO()
    nothing: Any = None
    look = Look(nothing, clock.now_us, UTC, SourceOrder())
    return Talk(Session([ECHO], look, Log(stream, clock)), stream)


def call(**arguments: Any) -> dict[str, Any]:
    return request("tools/call", {"name": "echo", "arguments": arguments})


def named(method: str, about: object = MODERN, **params: Any) -> dict[str, Any]:
    return request(method, {"_meta": about, **params})


# ---- versions


@pytest.mark.scenario("mcp", "Version asked for is spoken")
@pytest.mark.parametrize("version", AGREED)
def test_the_version_asked_for_is_spoken(talk: Talk, version: str) -> None:
    told = talk.greet(version)
    assert told["protocolVersion"] == version
    assert told["capabilities"] == {"tools": {}}
    assert told["serverInfo"]["name"] == "healthlog"
    assert "never zero" in told["instructions"]
    assert talk.send({"jsonrpc": "2.0", "method": "notifications/initialized"}) is None
    [tool] = talk.send(request("tools/list"))["result"]["tools"]
    assert ("annotations" in tool) == (version >= "2025-03-26")
    assert ("title" in tool) == (version >= "2025-06-18")
    assert tool["inputSchema"] == {
        "type": "object",
        "properties": {"word": {"type": "string"}},
        "required": ["word"],
        "additionalProperties": False,
    }
    result = talk.send(call(word="ö"))["result"]
    assert [one["text"] for one in result["content"]] == ["said", '{"word":"ö"}']
    assert result.get("structuredContent") == ({"word": "ö"} if version >= "2025-06-18" else None)
    assert "resultType" not in result


@pytest.mark.scenario("mcp", "Version nobody knows")
def test_a_version_nobody_knows_is_answered_with_the_newest(talk: Talk) -> None:
    assert talk.greet("2099-01-01")["protocolVersion"] == "2025-11-25"


def test_a_version_must_be_a_text(talk: Talk) -> None:
    assert talk.error(request("initialize", {"protocolVersion": 3})) == (1, -32602)
    assert talk.error(request("initialize")) == (1, -32602)
    assert talk.greet()["protocolVersion"] == "2025-06-18"


@pytest.mark.scenario("mcp", "Handshake comes first, once")
def test_the_handshake_comes_first_and_once(talk: Talk) -> None:
    assert talk.error(request("tools/list")) == (1, -32600)
    assert talk.error(call(word="x")) == (1, -32600)
    assert talk.send(request("ping"))["result"] == {}
    talk.greet()
    assert talk.error(greeting()) == (0, -32600)
    assert talk.send(request("ping", of="p"))["result"] == {}


@pytest.mark.scenario("mcp", "Request that names its version")
def test_a_request_that_names_its_version_needs_no_handshake(talk: Talk) -> None:
    told = talk.send(named("server/discover"))["result"]
    assert told["supportedVersions"] == list(VERSIONS)
    listed = talk.send(named("tools/list"))["result"]
    called = talk.send(named("tools/call", name="echo", arguments={"word": "x"}))["result"]
    for result in (told, listed, called):
        assert result["resultType"] == "complete"
        server = result["_meta"]["io.modelcontextprotocol/serverInfo"]
        assert server["name"] == "healthlog"
    assert (told["ttlMs"], told["cacheScope"]) == (listed["ttlMs"], "public")
    assert "ttlMs" not in called
    assert called["structuredContent"] == {"word": "x"}
    assert talk.error(named("ping")) == (1, -32601)


@pytest.mark.scenario("mcp", "Request that names its version")
def test_a_request_without_capabilities_or_of_no_version_is_refused(talk: Talk) -> None:
    version, able = MODERN
    assert talk.error(named("tools/list", {version: MODERN[version]})) == (1, -32602)
    assert talk.error(named("server/discover", {able: {}})) == (1, -32602)
    assert talk.error(request("server/discover")) == (1, -32602)
    assert talk.error(named("tools/list", {**MODERN, version: 7})) == (1, -32602)
    said = talk.send(named("tools/list", {**MODERN, version: "1900-01-01"}))["error"]
    assert said["code"] == -32022
    assert said["data"] == {"supported": list(VERSIONS), "requested": "1900-01-01"}


def test_both_kinds_of_versions_live_side_by_side(talk: Talk) -> None:
    talk.greet()
    assert "ttlMs" in talk.send(named("tools/list"))["result"]
    assert "ttlMs" not in talk.send(request("tools/list"))["result"]


# ---- messages


@pytest.mark.scenario("mcp", "Line that is no message")
@pytest.mark.parametrize(
    ("line", "of", "code"),
    [
        (b"oops", None, -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"', None, -32700),
        (b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}', None, -32700),
        (b'"\xff"', None, -32700),
        (b"[" * 100_000, None, -32700),
        (b"7", None, -32600),
        (b"[]", None, -32600),
        (b'{"id":1,"method":"ping"}', 1, -32600),
        (b'{"jsonrpc":"1.0","id":"x","method":"ping"}', "x", -32600),
        (b'{"jsonrpc":"2.0","id":1}', 1, -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":7}', 1, -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None, -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', None, -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', None, -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', 1, -32602),
    ],
)
def test_a_line_that_is_no_message_is_answered_with_an_error(
    talk: Talk, line: bytes, of: object, code: int
) -> None:
    talk.greet()
    assert talk.error(line) == (of, code)
    assert talk.send(request("ping"))["result"] == {}


@pytest.mark.scenario("mcp", "Line that is no message")
@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": 7},
        {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "echo"}},
        {"jsonrpc": "2.0", "id": 9, "result": {}},
        {"jsonrpc": "2.0", "id": 9, "error": {"code": 1, "message": "x"}},
    ],
)
def test_what_asks_nothing_is_not_answered(talk: Talk, message: object) -> None:
    talk.greet()
    assert talk.send(message) is None


def test_ids_come_back_as_they_were_sent(talk: Talk) -> None:
    for of in ("a", "", 0, -3, 2**60, "\ud800"):
        assert talk.send(request("ping", of=of)) == {"jsonrpc": "2.0", "id": of, "result": {}}


@pytest.mark.scenario("mcp", "Unknown method or tool")
def test_an_unknown_method_or_tool_has_its_code(talk: Talk) -> None:
    talk.greet()
    for method in ("resources/list", "notifications/initialized", "", "x" * 10_000):
        assert talk.error(request(method)) == (1, -32601)
    for params in (
        {"name": "nothing"},
        {"name": 7},
        {},
        {"name": "echo", "arguments": []},
        {"name": "echo", "arguments": "word"},
    ):
        assert talk.error(request("tools/call", params)) == (1, -32602)
    assert talk.error(request("tools/list", {"cursor": "x"})) == (1, -32602)


def test_a_tool_may_be_called_without_arguments(talk: Talk) -> None:
    talk.greet()
    for params in ({"name": "echo"}, {"name": "echo", "arguments": None}):
        assert talk.send(request("tools/call", params))["result"]["structuredContent"] == {}


def test_what_a_tool_refuses_is_told_to_the_model(talk: Talk) -> None:
    talk.greet()
    assert talk.refused("echo", refuse=1) == "word is wrong"


@pytest.mark.scenario("mcp", "Question that fails")
def test_a_question_that_fails_tells_nothing_and_the_next_is_answered(talk: Talk) -> None:
    talk.greet()
    said = talk.send(request("tools/call", {"name": "echo", "arguments": {"break": "canary"}}))
    assert said["error"] == {"code": -32603, "message": "Internal error"}
    [line] = talk.stream.getvalue().splitlines()
    assert json.loads(line)["msg"] == "question failed"
    assert "canary" not in line
    assert talk.send(call(word="x"))["result"]["isError"] is False


# ---- batches


BATCH = [
    request("ping", of=1),
    {"jsonrpc": "2.0", "method": "notifications/progress"},
    request("nothing", of=2),
]


@pytest.mark.scenario("mcp", "Batch where the version has it")
@pytest.mark.parametrize("version", AGREED)
def test_a_batch_is_answered_where_the_version_has_it(talk: Talk, version: str) -> None:
    talk.greet(version)
    if version >= "2025-06-18":
        assert talk.error(BATCH) == (None, -32600)
        return
    first, second = talk.send(BATCH)
    assert (first["id"], first["result"]) == (1, {})
    assert (second["id"], second["error"]["code"]) == (2, -32601)
    assert talk.send(BATCH[1:2]) is None
    [broken] = talk.send([7])
    assert (broken["id"], broken["error"]["code"]) == (None, -32600)


def test_a_handshake_is_no_part_of_a_batch(talk: Talk) -> None:
    assert talk.error([greeting()]) == (None, -32600)
    talk.greet("2025-03-26")
    [said] = talk.send([greeting()])
    assert said["error"]["code"] == -32600
