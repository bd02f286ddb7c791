"""`serve` in a process of its own, followed line by line by its log."""

from __future__ import annotations

import http.client
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Self

from tests.support.loopback import Client
from tests.support.patience import PATIENCE_S
from tests.support.sources import ROOT

INGEST, READ = "ingest-token-of-the-tests", "read-token-of-the-tests"
TOKENS = {"HEALTHLOG_INGEST_TOKEN": INGEST, "HEALTHLOG_READ_TOKEN": READ}

MOST_QUESTIONS = 20_000
"""Answers take a millisecond or more."""
MOST_LINES = 1_000
"""A service may say the same for ever, once a tick."""


def environment(**more: str) -> dict[str, str]:
    """That of this process without any setting, with those given."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("HEALTHLOG_")}
    return {**plain, "PYTHONDONTWRITEBYTECODE": "1", **more}


def command(
    *arguments: str | Path,
    env: Mapping[str, str] | None = None,
    timeout: float = PATIENCE_S,
    **options: Any,
) -> Any:
    """A whole command in a process of its own: `returncode`, `stdout`, `stderr`."""
    return subprocess.run(
        [sys.executable, "-m", "healthlog", *map(str, arguments)],
        cwd=ROOT,
        env=environment(**(env or {})),
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        **options,
    )


@dataclass(frozen=True, slots=True)
class Program:
    """How a service is started: words before the interpreter, what that is to run, and what it
    finds in its environment."""

    before: tuple[str, ...] = ()
    module: tuple[str, ...] = ("healthlog",)
    env: Mapping[str, str] = field(default_factory=dict)

    def words(self, *arguments: str) -> list[str]:
        return [*self.before, sys.executable, "-m", *self.module, *arguments]


PLAIN = Program()


class Child:
    """One service. `lines` has all that was read of its log so far."""

    def __init__(self, data: Path, *flags: str, program: Program = PLAIN, **env: str) -> None:
        self.data = data
        self.lines: list[dict[str, Any]] = []
        self._clients = ExitStack()
        self._coming: queue.Queue[str | None] = queue.Queue()
        self._errors = data.with_name(f"{data.name}.stderr")
        with self._errors.open("w") as errors:
            self.process = subprocess.Popen(
                program.words("serve", "--data", str(data), "--listen", "127.0.0.1:0", *flags),
                cwd=ROOT, env=environment(**{**TOKENS, **program.env, **env}), text=True,
                stdout=subprocess.PIPE, stderr=errors,
            )  # fmt: skip
        self._reader = threading.Thread(target=self._follow, daemon=True)
        self._reader.start()

    def _follow(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as stream:
            for line in stream:
                self._coming.put(line)
        self._coming.put(None)

    def until(self, msg: str, **fields: object) -> dict[str, Any]:
        """The next line with that message and these fields."""
        for line in islice(iter(self.following, None), MOST_LINES):
            if line["msg"] == msg and fields.items() <= line.items():
                return line
        raise AssertionError(f"no {msg!r} in the log: {self.lines[-5:]} {self.errors_said}")

    def following(self) -> dict[str, Any] | None:
        """The next line of the log, None at its end."""
        text = self._coming.get(timeout=PATIENCE_S)
        if text is None:
            self._coming.put(None)
            return None
        line: dict[str, Any] = json.loads(text)
        self.lines.append(line)
        return line

    def started(self) -> Self:
        """Once the door is open."""
        self.until("service started")
        return self

    @property
    def port(self) -> int:
        [line] = [line for line in self.lines if line["msg"] == "service started"]
        return int(line["listen"].rpartition(":")[2])

    def said(self, msg: str) -> list[dict[str, Any]]:
        """The lines read so far with that message."""
        return [line for line in self.lines if line["msg"] == msg]

    @property
    def errors_said(self) -> str:
        """What stands on its standard error so far."""
        return self._errors.read_text()

    def send(self, number: int) -> None:
        self.process.send_signal(number)

    def finish(self) -> int:
        """Its exit status, once it is over and its log is read."""
        status = self.process.wait(PATIENCE_S)
        while self.following() is not None:
            pass
        return status

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Asked to stop: its exit status."""
        self.send(number)
        return self.finish()

    def kill(self) -> None:
        """SIGKILL, whatever it is at; its log is read to the end."""
        self.process.kill()
        self.finish()

    def close(self) -> None:
        """Away with it, however the test ended."""
        self._clients.close()
        self.process.kill()
        self.process.wait(PATIENCE_S)
        self._reader.join(PATIENCE_S)

    # What is asked of it

    def client(self) -> Client:
        """A connection that speaks in raw bytes, closed with this service."""
        return self._clients.enter_context(Client(self.port))

    def post(self, body: bytes, **headers: str) -> tuple[int, dict[str, Any]]:
        """Status and JSON of the answer to one delivery. `_` in a header's name stands for `-`."""
        fields = {name.replace("_", "-"): value.encode() for name, value in headers.items()}
        fields["Authorization"] = f"Bearer {INGEST}".encode()
        return self._asked("POST", "/ingest", body, fields)

    def retry_after(self, body: bytes) -> int:
        """The seconds after which a delivery that was refused may come again."""
        head = f"POST /ingest HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {INGEST}\r\n"
        with Client(self.port) as client:
            client.send(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            reply = client.reply()
        assert reply.status == 503
        return int(reply.headers["retry-after"])

    def record(self, body: bytes) -> tuple[int, dict[str, Any]]:
        """Status and JSON of the answer to one recording."""
        fields = {"Authorization": f"Bearer {INGEST}".encode(), "Content-Type": b"audio/x-m4a"}
        return self._asked("POST", "/recordings", body, fields)

    def get(self, path: str) -> tuple[int, dict[str, Any]]:
        return self._asked("GET", path, None, {"Authorization": f"Bearer {READ}".encode()})

    def settled(self) -> dict[str, Any]:
        """The numbers of `/stats`, once nothing waits for its fold any more."""
        for _ in range(MOST_QUESTIONS):
            status, told = self.get("/stats")
            if status == 200 and told["deliveries"]["pending"] == 0:
                return told
            if status == 200:
                self.following()  # what waits will be told of, whatever becomes of it
        raise AssertionError(f"still waiting: {status} {told}")

    def _asked(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, bytes]
    ) -> tuple[int, dict[str, Any]]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        try:
            connection.request(method, path, body, dict(headers))
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()


@contextmanager
def serving(data: Path, *flags: str, program: Program = PLAIN, **env: str) -> Iterator[Child]:
    """A service whose door is open; gone at the end of the block."""
    child = Child(data, *flags, program=program, **env)
    try:
        yield child.started()
    finally:
        child.close()


@contextmanager
def starting(data: Path, *flags: str, program: Program = PLAIN, **env: str) -> Iterator[Child]:
    """A service that has only been started; gone at the end of the block."""
    child = Child(data, *flags, program=program, **env)
    try:
        yield child
    finally:
        child.close()
