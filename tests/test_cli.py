"""The command line: statuses, sentences, what a person can do wrong."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from healthlog.version import VERSION
from tests.support.patience import PATIENCE_S
from tests.support.process import command, environment
from tests.support.shell import run
from tests.support.sources import ROOT

COMMANDS = ("serve", "reindex", "check", "digest", "status", "token", "migrate")
LOOKING = ("check", "digest", "status")


@pytest.mark.parametrize("asked", [["--help"], ["-h", "status"], ["--help", "serve"]])
def test_help_names_every_command(asked: list[str]) -> None:
    ran = run(*asked)
    assert ran.status == 0
    assert all(name in ran.out for name in COMMANDS)


@pytest.mark.parametrize("wrong", [["srve"], ["--", "serve"], ["--data", "x", "serve"], []])
def test_a_wrong_command_is_told_which_there_are(wrong: list[str]) -> None:
    ran = run(*wrong)
    assert ran.status == 2
    assert ran.err.startswith("usage: healthlog [-h] [--version] COMMAND ...")


def test_the_version_is_printed() -> None:
    assert run("--version").out == f"healthlog {VERSION}\n"


@pytest.mark.scenario("operations", "Errors of a person show no traceback")
@pytest.mark.parametrize(
    "arguments",
    [[], ["dance"], ["serve", "--dance"], ["token", "both"], ["migrate", "sideways"],
     ["migrate", "up", "--to", "one"], ["digest", "--mart"]],
    ids=" ".join,
)  # fmt: skip
def test_wrong_usage_has_a_usage_line(arguments: list[str]) -> None:
    ran = run(*arguments)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("usage: ")
    assert "Traceback" not in ran.err


@pytest.mark.scenario("operations", "Errors of a person show no traceback")
@pytest.mark.parametrize("name", [*COMMANDS[:-1], "migrate status"])
def test_a_file_in_the_place_of_the_folder_is_named(tmp_path: Path, name: str) -> None:
    file = tmp_path / "data"
    file.write_bytes(b"")
    ran = run(*name.split(), "--data", file)
    assert ran.refused(1, str(file))


@pytest.mark.parametrize("name", [*LOOKING, "reindex", "migrate status"])
def test_a_missing_folder_is_named_and_not_made(tmp_path: Path, name: str) -> None:
    missing = tmp_path / "nowhere"
    ran = run(*name.split(), "--data", missing)
    assert ran.refused(1, str(missing), "--data")
    assert not missing.exists()


@pytest.mark.parametrize(
    ("name", "file"), [("check", "journal.db"), ("digest", "mart.db"), ("status", "journal.db")]
)
def test_an_empty_folder_lacks_its_database(data: Path, name: str, file: str) -> None:
    assert run(name, "--data", data).refused(1, str(data / file), "not there")


@pytest.mark.parametrize("name", ["serve", "reindex", "check", "status", "migrate status"])
def test_a_journal_of_garbage_is_named(data: Path, name: str) -> None:
    (data / "journal.db").write_bytes(b"no database at all" * 100)
    assert run(*name.split(), "--data", data).refused(1, str(data / "journal.db"))


def test_a_journal_that_is_a_folder_is_named(data: Path) -> None:
    (data / "journal.db").mkdir()
    assert run("serve", "--data", data).refused(1, str(data / "journal.db"))


@pytest.mark.scenario("operations", "Bad setting stops the start by its name")
@pytest.mark.parametrize(
    ("toml", "env", "named"),
    [
        ("max_boddy = 1", {}, "max_boddy"),
        ("", {"HEALTHLOG_TICK": "often"}, "HEALTHLOG_TICK"),
        ("", {"HEALTHLOG_LISTEN": "localhost"}, "HEALTHLOG_LISTEN"),
    ],
)
def test_a_bad_setting_stops_the_start_by_its_name(
    data: Path, toml: str, env: dict[str, str], named: str
) -> None:
    (data / "healthlog.toml").write_text(toml)
    ran = command("serve", "--data", data, env=env)
    assert (ran.returncode, ran.stdout) == (2, "")
    [sentence] = ran.stderr.splitlines()
    assert named in sentence


@pytest.mark.parametrize("name", COMMANDS[1:-1])
def test_a_bad_flag_of_a_setting_is_named_by_every_command(data: Path, name: str) -> None:
    assert run(name, "--data", data, "--tick", "often").refused(2, "tick", "often")


def test_a_taken_port_is_named(data: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = run("serve", "--data", data, "--listen", f"127.0.0.1:{port}")
    assert ran.refused(1, "listen", str(port), "in use")


def test_a_host_that_is_not_ours_is_named(data: Path) -> None:
    ran = run("serve", "--data", data, "--listen", "192.0.2.1:8787")
    assert ran.refused(1, "listen 192.0.2.1:8787")


def test_usable_tokens_are_demanded(data: Path) -> None:
    (data / "tokens.json").write_text("{")
    assert run("serve", "--data", data).refused(1, str(data / "tokens.json"))


@pytest.fixture
def locked_folder(tmp_path: Path) -> Path:
    """A folder in which nothing can be made; not even by root, who may write anywhere else."""
    if os.geteuid() == 0:
        return Path("/sys/kernel")
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o555)
    return folder


@pytest.mark.parametrize("name", ["serve", "reindex", "migrate up", "token"])
def test_a_folder_that_may_not_be_written_is_named(locked_folder: Path, name: str) -> None:
    ran = run(*name.split(), "--data", locked_folder)
    assert ran.refused(1, str(locked_folder))


def _record(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(sql)
        connection.commit()


def _dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


@pytest.mark.scenario("operations", "Newer or changed schema stops the start")
@pytest.mark.parametrize("file", ["journal.db", "mart.db"])
@pytest.mark.parametrize(
    ("sql", "number"),
    [
        ("INSERT INTO schema_migration VALUES (99, 'later', 'abc', 1)", "99"),
        ("UPDATE schema_migration SET sha256 = 'abc' WHERE number = 1", "1"),
    ],
    ids=["newer", "changed"],
)
def test_a_schema_that_is_not_ours_stops_the_start(
    data: Path, file: str, sql: str, number: str
) -> None:
    assert run("migrate", "up", "--data", data).status == 0
    _record(data / file, sql)
    before = _dump(data / file)
    assert run("serve", "--data", data, "--listen", "127.0.0.1:0").refused(
        1, str(data / file), f"migration {number}"
    )
    assert _dump(data / file) == before


def test_an_older_schema_is_named_by_commands_that_only_look(data: Path) -> None:
    run("migrate", "up", "--data", data)
    run("migrate", "down", "--database", "mart", "--to", "0", "--data", data)
    assert run("digest", "--data", data).refused(1, str(data / "mart.db"), "older")


def test_the_output_may_be_left_early(data: Path) -> None:
    run("migrate", "up", "--data", data)
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as nobody:
        ran = subprocess.run(
            [sys.executable, "-m", "healthlog", "migrate", "status", "--data", str(data)],
            cwd=ROOT, env=environment(), stdout=nobody, stderr=subprocess.PIPE, text=True,
            timeout=PATIENCE_S, check=False,
        )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (1, "")


def test_a_full_disk_behind_the_output_is_a_sentence(data: Path) -> None:
    run("migrate", "up", "--data", data)
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "healthlog", "migrate", "status", "--data", str(data)],
            cwd=ROOT, env=environment(), stdout=full, stderr=subprocess.PIPE, text=True,
            timeout=PATIENCE_S, check=False,
        )  # fmt: skip
    assert ran.returncode == 1
    assert ran.stderr.splitlines() == ["healthlog: No space left on device"]


def test_a_command_leaves_the_signals_of_its_process_alone(data: Path) -> None:
    before = signal.getsignal(signal.SIGTERM)
    run("migrate", "up", "--data", data)
    assert signal.getsignal(signal.SIGTERM) is before
