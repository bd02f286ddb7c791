"""Clients of the MCP server: one in this process, one over the pipes of a child."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path
from typing import Any

from healthlog.base.log import Log
from healthlog.mcp.session import Session
from healthlog.mcp.tool import Look
from healthlog.mcp.tools import TOOLS
from healthlog.series.source_order import SourceOrder
from tests.support.clock import FakeClock
from tests.support.patience import PATIENCE_S
from tests.support.process import environment
from tests.support.reading import Desk
from tests.support.sources import ROOT

VERSION = "2025-06-18"


def request(method: str, params: object = None, of: object = 1) -> dict[str, Any]:
    """A request as JSON has it."""
    more = {} if params is None else {"params": params}
    return {"jsonrpc": "2.0", "id": of, "method": method, **more}


def greeting(version: str = VERSION) -> dict[str, Any]:
    """How a client begins."""
    client = {"name": "test", "version": "1"}
    return request(
        "initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": client}, 0
    )


@dataclass(slots=True)
class Talk:
    """A session asked message by message."""

    session: Session
    stream: io.StringIO = field(default_factory=io.StringIO)

    def send(self, message: object) -> Any:
        """What is answered to a message, None where nothing is."""
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        said = self.session.answer(line)
        if said is None:
            return None
        assert said.endswith(b"\n")
        assert said.count(b"\n") == 1
        return json.loads(said)

    def greet(self, version: str = VERSION) -> Any:
        return self.send(greeting(version))["result"]

    def error(self, message: object) -> tuple[Any, int]:
        """Id and code of the error that answers a message."""
        said = self.send(message)
        assert said.keys() == {"jsonrpc", "id", "error"}
        assert said["error"].keys() <= {"code", "message", "data"}
        return said["id"], said["error"]["code"]

    def call(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """The result of a tool; `from_` stands for the argument `from`."""
        given = {one.rstrip("_"): value for one, value in arguments.items()}
        said = self.send(request("tools/call", {"name": name, "arguments": given}))
        result: dict[str, Any] = said["result"]
        return result

    def told(self, name: str, /, **arguments: Any) -> tuple[str, dict[str, Any]]:
        """The text and the content of a tool that tells something."""
        result = self.call(name, **arguments)
        assert result["isError"] is False, result
        text, full = result["content"]
        content: dict[str, Any] = result["structuredContent"]
        assert json.loads(full["text"]) == content
        return text["text"], content

    def refused(self, name: str, /, **arguments: Any) -> str:
        """The sentence with which a tool refuses."""
        result = self.call(name, **arguments)
        assert result["isError"] is True
        assert "structuredContent" not in result
        [text] = result["content"]
        return str(text["text"])


def talk_of(desk: Desk, zone: Any = UTC, order: SourceOrder | None = None) -> Talk:
    """A session over a desk's mart, greeted."""
    clock = desk.house.clock
    stream = io.StringIO()
    look = Look(desk.mart, clock.now_us, zone, order or SourceOrder())
    talk = Talk(Session(TOOLS, look, Log(stream, clock)), stream)
    talk.greet()
    return talk


class McpChild:
    """`python -m healthlog mcp` in a process of its own, spoken to over its pipes."""

    def __init__(self, data: Path, *flags: str, **options: Any) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "healthlog", "mcp", "--data", str(data), *flags],
            cwd=ROOT,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **options,
        )
        self._of = 0

    def send(self, message: Mapping[str, Any] | bytes) -> None:
        assert self.process.stdin is not None
        line = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def next(self) -> dict[str, Any]:
        """The next line it says."""
        assert self.process.stdout is not None
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer

    def ask(self, method: str, params: object = None) -> dict[str, Any]:
        """The result of a request."""
        self._of += 1
        self.send(request(method, params, self._of))
        answer = self.next()
        assert answer["id"] == self._of
        result: dict[str, Any] = answer["result"]
        return result

    def greet(self) -> dict[str, Any]:
        self.send(greeting())
        result: dict[str, Any] = self.next()["result"]
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return result

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        given = {one.rstrip("_"): value for one, value in arguments.items()}
        return self.ask("tools/call", {"name": name, "arguments": given})

    def finish(self) -> tuple[int, bytes, str]:
        """Its exit status once its input is closed, what else it said, its standard error."""
        out, err = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, out, err.decode()


@contextmanager
def mcp_child(data: Path, *flags: str, **options: Any) -> Iterator[McpChild]:
    child = McpChild(data, *flags, **options)
    try:
        yield child
    finally:
        child.process.kill()
        child.process.communicate(timeout=PATIENCE_S)


def look_at(mart: Any, clock: FakeClock) -> Look:
    return Look(mart, clock.now_us, UTC, SourceOrder())
