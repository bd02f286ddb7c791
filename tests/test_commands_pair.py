"""`pair` as a person runs it."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from healthlog.pairing.links import TYPES
from tests.support.process import environment, serving
from tests.support.qr import read_lines
from tests.support.shell import run
from tests.support.sources import ROOT

PUBLIC = "https://health.example.org"


def code(out: str) -> str:
    """The link in the code that was printed."""
    lines = [line for line in out.splitlines() if re.fullmatch("[█▀▄ ]+", line)]
    return read_lines(lines).decode()


def told(*arguments: str | Path) -> dict[str, Any]:
    ran = run("pair", "--json", *arguments)
    assert (ran.status, ran.err) == (0, "")
    [line] = ran.out.splitlines()
    found: dict[str, Any] = json.loads(line)
    return found


@pytest.mark.scenario("pairing", "Pair prints what the phone must be told")
def test_pair_prints_url_header_links_and_a_code(data: Path) -> None:
    ran = run("pair", "--data", data, "--public-url", PUBLIC)
    assert (ran.status, ran.err) == (0, "")
    token = run("token", "ingest", "--data", data).out.strip()
    assert f"URL     {PUBLIC}/ingest\n" in ran.out
    assert f"Header  Authorization: Bearer {token}\n" in ran.out
    assert "in the clear" not in ran.out
    links = re.findall(r"^com\.HealthExport://automation\?.*$", ran.out, re.MULTILINE)
    names = [parse_qs(urlsplit(link).query)["name"] for link in links]
    assert names == [[one.automation] for one in TYPES]
    assert code(ran.out) == links[0]
    assert ran.out.count("choose State of Mind as its data type") == 1


@pytest.mark.scenario("pairing", "Pair prints what the phone must be told")
@pytest.mark.parametrize("name", ["workouts", "ecg"])
def test_one_type_is_printed_alone_with_its_code(data: Path, name: str) -> None:
    ran = run("pair", "--type", name, "--data", data, "--listen", "192.168.1.7:8787")
    [link] = re.findall(r"^com\.HealthExport://.*$", ran.out, re.MULTILINE)
    assert code(ran.out) == link
    assert f"healthlog%20{name}" in link
    assert "URL     http://192.168.1.7:8787/ingest" in ran.out
    assert "in the clear" in ran.out


@pytest.mark.scenario("pairing", "Service that no phone can reach is refused with what to change")
def test_the_default_address_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    ran = run("pair", "--data", folder)
    assert ran.refused(1, "listen 127.0.0.1:8787", "0.0.0.0:8787", "public_url")
    assert not folder.exists()


def test_json_has_the_same_as_values(data: Path) -> None:
    found = told("--data", data, "--public-url", PUBLIC)
    assert (found["url"], found["other_urls"]) == (f"{PUBLIC}/ingest", [])
    assert [one["type"] for one in found["links"]] == [one.name for one in TYPES]
    by_hand = [one["data_type"] for one in found["links"] if one["by_hand"]]
    assert by_hand == [one.title for one in TYPES if one.by_hand]
    [link] = told("--data", data, "--public-url", PUBLIC, "--type", "days")["links"]
    assert link == found["links"][1]


@pytest.mark.scenario("pairing", "What was printed delivers to the running service")
def test_what_was_printed_delivers_to_the_running_service(data: Path) -> None:
    with serving(data, HEALTHLOG_INGEST_TOKEN="", HEALTHLOG_READ_TOKEN="") as child:
        found = told("--data", data, "--public-url", f"http://127.0.0.1:{child.port}")
        [header] = found["headers"].items()
        url = urlsplit(found["links"][0]["link"])
        asked = parse_qs(url.query)
        assert asked["headers"] == [",".join(header)]
        path = urlsplit(asked["url"][0]).path
        with child.client() as client:
            client.send(
                f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n"
                f"{header[0]}: {header[1]}\r\n\r\n{{}}".encode()
            )
            assert client.reply().status == 200
        assert child.stop() == 0
        assert found["headers"]["Authorization"].split()[1] not in json.dumps(child.lines)
        assert child.errors_said == ""


def on_a_terminal(data: Path, columns: int, **env: str) -> str:
    """What is written when somebody watches, in a window of so many columns."""
    ours, theirs = pty.openpty()
    try:
        with subprocess.Popen(
            [sys.executable, "-m", "healthlog", "pair", "--type", "metrics", "--data", str(data)],
            cwd=ROOT, stdout=theirs,
            env=environment(HEALTHLOG_PUBLIC_URL=PUBLIC, COLUMNS=str(columns), **env),
        ) as process:  # fmt: skip
            os.close(theirs)
            pieces = []
            try:
                while piece := os.read(ours, 65_536):
                    pieces.append(piece)
            except OSError:  # Linux says so that nobody writes any more
                pass
            assert process.wait() == 0
    finally:
        os.close(ours)
    return b"".join(pieces).decode().replace("\r\n", "\n")


@pytest.mark.scenario("pairing", "Code fits the window or says what it needs")
def test_a_terminal_gets_black_on_white(data: Path) -> None:
    out = on_a_terminal(data, 80, TERM="xterm")
    lines = re.findall("^\x1b\\[30;107m([█▀▄ ]+)\x1b\\[0m$", out, re.MULTILINE)
    assert {len(line) for line in lines} <= set(range(60, 81))
    link = read_lines([line.translate(str.maketrans("█▀▄ ", " ▄▀█")) for line in lines])
    assert link.decode() in out


@pytest.mark.scenario("pairing", "Code fits the window or says what it needs")
def test_a_narrow_window_gets_half_of_the_border(data: Path) -> None:
    out = on_a_terminal(data, 74, TERM="dumb")
    assert "\x1b" not in out
    lines = [line for line in out.splitlines() if re.fullmatch("[█▀▄ ]+", line)]
    assert len(lines[0]) == 73
    assert code(out) in out


@pytest.mark.scenario("pairing", "Code fits the window or says what it needs")
def test_a_window_too_narrow_is_told_what_the_code_needs(data: Path) -> None:
    out = on_a_terminal(data, 40, NO_COLOR="1")
    assert "needs a window of 73 columns; this one has 40." in out
    assert "█" not in out
