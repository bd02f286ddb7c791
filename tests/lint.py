"""Every kind of answer under the eyes of a linter for HTTP: `python -m tests.lint HTTPLINT`.

A service of its own is asked for each address, in each form and in ways that it refuses; the linter
reads the answers as they came over the wire. It fails on anything that the linter calls bad or
warns of, but for what it has against the question.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.support.bodies import TWO_DAYS
from tests.support.loopback import Client
from tests.support.process import INGEST, READ, Child, serving

NOTE = re.compile(r"^\s*\* \[(BAD|WARN)\] (.*)$", re.MULTILINE)
NOT_OF_THE_ANSWER = {
    "The server didn't understand the request.",
    "The request HTTP version isn't supported.",
    '"Accept-Encoding" isn\'t valid in a response.',  # with 415 it is: RFC 9110 §12.5.3
}
API = "/api/v1"
BROWSER = "Accept: text/html"
KEY = f"X-API-Key: {READ}"
FORM = "Content-Type: application/x-www-form-urlencoded"
LISTS = ("metrics", "latest", "records", "deliveries", "refusals", "changes")


def request(line: str, *fields: str, body: bytes = b"") -> bytes:
    sized = (f"Content-Length: {len(body)}",) if body else ()
    lines = [f"{line} HTTP/1.1", "Host: localhost", "Connection: close", *fields, *sized, "", ""]
    return "\r\n".join(lines).encode() + body


def readings() -> Iterator[bytes]:
    """What is there."""
    for path in ("/healthz", "/stats", "/openapi.json", *(f"{API}/{name}" for name in LISTS)):
        yield request(f"GET {path}", KEY)
        yield request(f"HEAD {path}", KEY)
    series = f"{API}/series?metric=step_count&bucket=day"
    for path in (f"{API}/points?metric=step_count", series, f"{API}/records", f"{API}/deliveries"):
        for form in ("json", "csv", "ndjson"):
            both = "&" if "?" in path else "?"
            yield request(f"GET {path}{both}limit=1&format={form}", KEY)
    yield request(f"GET {API}/days/2026-05-03", KEY)
    yield request("GET /login", BROWSER)
    for path in ("/style.css", "/icon.svg"):
        yield request(f"GET {path}")
    for path in ("*", "/ingest", "/stats"):
        yield request(f"OPTIONS {path}")


def refusals() -> Iterator[bytes]:
    """What is refused, or leads elsewhere."""
    for fields in ((), (BROWSER,), (KEY,)):
        for path in ("/", "/refused", "/nothing", f"{API}/points", f"{API}/deliveries/x"):
            yield request(f"GET {path}", *fields)
        yield request("DELETE /stats", *fields)
    own = ("Origin: http://localhost", FORM)
    yield request("POST /login", *own, body=b"token=wrong")
    yield request("POST /login", *own, body=f"token={READ}".encode())
    yield request("POST /logout", *own)
    yield request("POST /logout", "Origin: http://evil.example", FORM)
    token = f"Authorization: Bearer {INGEST}"
    yield request("POST /ingest", body=b"{}")
    yield request("POST /ingest", token, body=b"[]")
    yield request("POST /ingest", token, "Content-Type: text/csv", body=b"a,b")
    yield request("POST /ingest", token, "Content-Encoding: br", body=b"{}")
    yield request("POST /ingest", token, "Content-Length: 99999999999")
    yield request("POST /ingest", token, body=b'{"data":{}}')
    yield b"nonsense\r\n\r\n"
    yield b"GET / HTTP/3.0\r\n\r\n"


def answer(child: Child, asked: bytes) -> bytes:
    with Client(child.port) as client:
        client.send(asked)
        said = b""
        while piece := client.socket.recv(65536):
            said += piece
    return said


def notes(linter: str, asked: bytes, said: bytes) -> list[str]:
    """What the linter has against an answer."""
    ran = subprocess.run([linter], input=said, capture_output=True, check=True)
    first = asked.split(b"\r\n", 1)[0].decode()
    status = said.split(b"\r\n", 1)[0].decode()
    told = [note for note in NOTE.findall(ran.stdout.decode()) if note[1] not in NOT_OF_THE_ANSWER]
    return [f"{first} -> {status}: {level} {text}" for level, text in told]


def main(linter: str) -> int:
    with tempfile.TemporaryDirectory() as name:
        data = Path(name) / "data"
        data.mkdir(mode=0o700)
        with serving(data) as child:
            child.post(TWO_DAYS)
            child.until("delivery folded")
            answers = [(asked, answer(child, asked)) for asked in (*readings(), *refusals())]
            child.stop()
    with ThreadPoolExecutor() as pool:
        told = pool.map(lambda one: notes(linter, *one), answers)
        found = [note for notes_of_one in told for note in notes_of_one]
    for note in found:
        print(note)
    print(f"{len(answers)} answers, {len(found)} notes")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
