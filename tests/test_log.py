"""Log lines as a reader of JSON lines gets them."""

from __future__ import annotations

import io
import json
import os
import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from healthlog.base.errors import Busy
from healthlog.base.log import Log
from tests.support.clock import FakeClock


class Counted(io.StringIO):
    """Counts its writes."""

    writes = 0

    def write(self, text: str, /) -> int:
        self.writes += 1
        return super().write(text)


class Unspeakable:
    """A field that can't even be turned into text."""

    def __str__(self) -> str:
        raise RuntimeError("no")


@pytest.fixture
def stream() -> Counted:
    return Counted()


@pytest.fixture
def out(stream: Counted, clock: FakeClock) -> Log:
    return Log(stream, clock)


def lines(stream: Counted) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_line_begins_with_time_level_msg(out: Log, stream: Counted) -> None:
    out.info("service started", version="1", listen="127.0.0.1:8787")
    expected = (
        '{"time": "2026-08-02T08:01:42.123Z", "level": "INFO", "msg": "service started",'
        ' "version": "1", "listen": "127.0.0.1:8787"}\n'
    )
    assert stream.getvalue() == expected


def test_a_line_is_written_at_once(out: Log, stream: Counted) -> None:
    out.info("a", text="b" * 100_000)
    assert stream.writes == 1


def test_each_level_has_its_method(stream: Counted, clock: FakeClock) -> None:
    out = Log(stream, clock, "DEBUG")
    for method in (out.debug, out.info, out.warn, out.error):
        method("a")
    assert [line["level"] for line in lines(stream)] == ["DEBUG", "INFO", "WARN", "ERROR"]


@pytest.mark.parametrize(("level", "count"), [("DEBUG", 4), ("INFO", 3), ("WARN", 2), ("ERROR", 1)])
def test_lines_below_the_level_are_left_out(clock: FakeClock, level: str, count: int) -> None:
    stream = Counted()
    out = Log(stream, clock, level)
    for method in (out.debug, out.info, out.warn, out.error):
        method("a")
    assert len(lines(stream)) == count


def test_an_unknown_level_is_refused(stream: Counted, clock: FakeClock) -> None:
    with pytest.raises(ValueError, match="LOUD"):
        Log(stream, clock, "LOUD")


def test_no_text_can_break_out_of_its_line(out: Log, stream: Counted) -> None:
    nasty = 'a\nb\rc\u2028d\u0085"e\\\x00\x1b[31mü\ud800'
    out.warn("refused", automation_name=nasty)
    assert stream.getvalue().isascii()
    assert stream.getvalue().count("\n") == 1
    assert lines(stream)[0]["automation_name"] == nasty


def test_fields_of_any_type_are_written(out: Log, stream: Counted) -> None:
    out.info("a", path=Path("x/y"), number=1, none=None, items=[1, {"b": Path("z")}])
    [line] = lines(stream)
    expected = {"path": "x/y", "number": 1, "none": None, "items": [1, {"b": "z"}]}
    assert {name: line[name] for name in expected} == expected


@pytest.mark.parametrize("value", [float("nan"), float("inf"), Unspeakable(), {(1, 2): 3}])
def test_a_field_that_cannot_be_written_does_not_cost_the_line(
    out: Log, stream: Counted, value: object
) -> None:
    out.info("a", bad=value, other=1)
    [line] = lines(stream)
    assert (line["msg"], line["unwritable"]) == ("a", {"bad": type(value).__name__, "other": "int"})


def test_a_field_that_holds_itself_does_not_cost_the_line(out: Log, stream: Counted) -> None:
    circle: list[object] = []
    circle.append(circle)
    out.info("a", circle=circle)
    assert lines(stream)[0]["unwritable"] == {"circle": "list"}


def test_a_field_cannot_replace_time_level_msg(out: Log, stream: Counted) -> None:
    out.info("a", time=1, level="x", msg="y")
    [line] = lines(stream)
    assert (line["time"], line["level"], line["msg"]) == ("2026-08-02T08:01:42.123Z", "INFO", "a")
    assert (line["time_"], line["level_"], line["msg_"]) == (1, "x", "y")


def raised(error: Busy | sqlite3.Error) -> Busy | sqlite3.Error:
    """The error with a traceback."""
    try:
        raise error
    except (Busy, sqlite3.Error) as caught:
        return caught


def test_an_exception_is_an_error_with_its_traceback(out: Log, stream: Counted) -> None:
    out.exception("pass failed", raised(Busy("locked")), delivery_id="d")
    [line] = lines(stream)
    assert (line["level"], line["error"], line["delivery_id"]) == ("ERROR", "Busy: locked", "d")
    assert "in raised" in line["traceback"]
    assert line["traceback"].endswith("Busy: locked")


def test_the_cause_of_an_exception_is_told_too(out: Log, stream: Counted) -> None:
    error = Busy("locked")
    locked = sqlite3.OperationalError("database is locked")
    locked.sqlite_errorcode = sqlite3.SQLITE_BUSY
    error.__cause__ = raised(locked)
    out.exception("pass failed", error)
    assert "caused by" in lines(stream)[0]["traceback"]
    assert lines(stream)[0]["traceback"].endswith("OperationalError: database is locked")


def test_a_foreign_exception_is_told_without_its_text(out: Log, stream: Counted) -> None:
    # Such texts quote the input.
    try:
        int("canary")
    except ValueError as error:
        out.exception("delivery failed", raised(Busy("locked")))
        out.exception("delivery failed", error)
    assert lines(stream)[1]["error"] == "ValueError"
    assert "int(" in lines(stream)[1]["traceback"]
    assert "invalid literal" not in stream.getvalue()


def test_what_the_sqlite_module_says_by_itself_is_told_without_its_text(
    out: Log, stream: Counted
) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        with pytest.raises(sqlite3.OperationalError) as caught:
            connection.execute("SELECT CAST(x'63616e617279ff' AS TEXT)").fetchall()
        assert "canary" in str(caught.value)
        out.exception("request failed", caught.value)
    assert lines(stream)[0]["error"] == "OperationalError"
    assert "canary" not in stream.getvalue()


def test_an_exception_that_causes_itself_ends(out: Log, stream: Counted) -> None:
    error = Busy("locked")
    error.__cause__ = error
    out.exception("a", error)
    assert lines(stream)[0]["traceback"] == "Busy: locked"


def test_a_closed_stream_raises_nothing(out: Log, stream: Counted) -> None:
    stream.close()
    out.info("a")
    out.flush()


def test_a_broken_pipe_raises_nothing(clock: FakeClock) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    pipe = os.fdopen(writer, "w")
    out = Log(pipe, clock)
    out.info("a")
    out.flush()
    # What could not be written waits in the stream; a real one is thrown away with the process.
    with pytest.raises(BrokenPipeError):
        pipe.close()


def test_lines_of_many_threads_do_not_mix(out: Log, stream: Counted) -> None:
    def chatter(number: int) -> None:
        for _ in range(50):
            out.info("a", text=str(number) * 200)

    threads = [threading.Thread(target=chatter, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(lines(stream)) == 400
    assert {len(set(line["text"])) for line in lines(stream)} == {1}


def test_a_line_reaches_the_file_without_a_flush(tmp_path: Path, clock: FakeClock) -> None:
    with (tmp_path / "log").open("w") as file:
        Log(file, clock).info("a")
        assert (tmp_path / "log").read_text().endswith('"msg": "a"}\n')
