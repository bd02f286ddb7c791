"""The image's recipe, read as text: no engine is needed to see that it keeps its promises."""

from __future__ import annotations

import http.server
import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.support.sources import ROOT

RECIPE = (ROOT / "Containerfile").read_text(encoding="utf-8")
COMPOSE = (ROOT / "docs" / "compose.yaml").read_text(encoding="utf-8")


def instructions(recipe: str) -> list[tuple[str, str]]:
    """Instruction and argument, line by line, with comments taken out and broken lines joined."""
    plain = re.sub(r"^#.*\n", "", recipe, flags=re.MULTILINE)
    joined = re.sub(r"\\\n\s*", "", plain)
    pairs = [line.partition(" ") for line in joined.splitlines() if line]
    return [(word, argument) for word, _, argument in pairs]


def _final_stage() -> list[tuple[str, str]]:
    every = instructions(RECIPE)
    last = max(i for i, (word, _) in enumerate(every) if word == "FROM")
    return every[last:]


def _only(word: str) -> str:
    [argument] = [argument for one, argument in _final_stage() if one == word]
    return argument


def test_the_base_is_slim_and_of_one_python() -> None:
    bases = [argument.split()[0] for word, argument in instructions(RECIPE) if word == "FROM"]
    assert len(set(bases)) == 1
    assert re.fullmatch(r"docker\.io/library/python:3\.\d+-slim", bases[0])


def test_it_runs_as_somebody_without_a_name() -> None:
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", _only("USER"))


def test_the_data_directory_belongs_to_that_user_before_it_becomes_a_volume() -> None:
    stage = _final_stage()
    [made] = [i for i, (_, argument) in enumerate(stage) if "--mode=0700 /data" in argument]
    owner = _only("USER").split(":")[0]
    assert f"--owner={owner}" in stage[made][1]
    assert made < stage.index(("VOLUME", "/data"))


def test_nothing_is_written_beside_the_code() -> None:
    assert "PYTHONDONTWRITEBYTECODE=1" in _only("ENV")


def test_a_stop_is_the_signal_the_service_waits_for() -> None:
    assert _only("STOPSIGNAL") == "SIGTERM"


def test_the_service_is_the_first_process() -> None:
    # The exec form: a shell in between would keep the signal to itself.
    command = json.loads(_only("CMD"))
    assert " ".join(command) == "python -m healthlog serve --data /data --listen 0.0.0.0:8787"
    assert _only("EXPOSE") == "8787"


def test_the_image_refuses_a_sqlite_that_loses_pages() -> None:
    assert any(
        "sqlite_version_info < (3, 51, 3)" in text for word, text in _final_stage() if word == "RUN"
    )


def test_what_is_fetched_is_checked() -> None:
    fetched = [argument for word, argument in instructions(RECIPE) if word == "ADD"]
    assert len(fetched) == 1
    assert re.search(r"^ARG SQLITE_SHA256=[0-9a-f]{64}$", RECIPE, re.MULTILINE)
    assert "sha256sum --check --strict" in RECIPE


def test_only_code_gets_into_the_image() -> None:
    lines = (ROOT / ".containerignore").read_text(encoding="utf-8").splitlines()
    copied = [
        argument.split()[0]
        for word, argument in _final_stage()
        if word == "COPY" and "--from" not in argument
    ]
    assert lines[1] == "*"
    assert {line.removeprefix("!") for line in lines if line.startswith("!")} == set(copied)


@contextmanager
def _answering(status: int) -> Iterator[int]:
    """A server on this machine that gives every request the same answer; its port."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == "/healthz" else 404)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(("status", "healthy"), [(200, True), (503, False)])
def test_the_health_check_asks_the_service(status: int, healthy: bool) -> None:
    _, _, check = _only("HEALTHCHECK").partition("CMD ")
    program, *arguments = json.loads(check)
    assert program == "python"
    with _answering(status) as port:
        arguments = [argument.replace(":8787/", f":{port}/") for argument in arguments]
        # A proxy in the environment must not get in between.
        done = subprocess.run(
            [sys.executable, *arguments],
            env={"http_proxy": "http://127.0.0.1:9"},
            capture_output=True,
            check=False,
        )
    assert (done.returncode == 0) is healthy


@pytest.mark.parametrize(
    "line",
    [
        "read_only: true",
        "- /tmp",
        "- ALL",
        "- no-new-privileges:true",
        "stop_grace_period: 30s",
        "- healthlog:/data",
    ],
)
def test_the_example_locks_the_container_down(line: str) -> None:
    assert line in [text.strip() for text in COMPOSE.splitlines()]
