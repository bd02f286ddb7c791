"""`token` as a person runs it."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from tests.support.process import serving
from tests.support.shell import run


def token(data: Path, *arguments: str) -> str:
    ran = run("token", *arguments, "--data", data)
    assert (ran.status, ran.err) == (0, "")
    [line] = ran.out.splitlines()
    return line


def test_a_token_is_made_once_and_shown_again(data: Path) -> None:
    assert token(data) == token(data, "ingest") == token(data, "ingest")
    assert token(data, "read") != token(data, "ingest")
    assert stat.S_IMODE((data / "tokens.json").stat().st_mode) == 0o600


def test_a_directory_that_is_not_there_is_made(tmp_path: Path) -> None:
    assert token(tmp_path / "data")
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700


def test_a_rotated_token_takes_the_place_of_the_old_one(data: Path) -> None:
    read, old = token(data, "read"), token(data, "ingest")
    new = token(data, "ingest", "--rotate")
    assert new != old
    assert (token(data, "ingest"), token(data, "read")) == (new, read)


def test_a_configured_token_is_shown_and_not_rotated(data: Path) -> None:
    (data / "healthlog.toml").write_text('ingest_token = "configured-token-of-mine"')
    assert token(data) == "configured-token-of-mine"
    assert run("token", "--rotate", "--data", data).refused(2, "ingest_token")


@pytest.mark.scenario("security", "Token command prints the token in use")
def test_the_token_printed_is_the_one_in_use(data: Path) -> None:
    printed = token(data)
    with serving(data, HEALTHLOG_INGEST_TOKEN="", HEALTHLOG_READ_TOKEN="") as child:
        with child.client() as client:
            client.send(
                b"POST /ingest HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n"
                b"Authorization: Bearer " + printed.encode() + b"\r\n\r\n{}"
            )
            assert client.reply().status == 200
        assert token(data) == printed
        assert child.stop() == 0
