"""Progress of long commands: on a terminal, and nowhere else."""

from __future__ import annotations

import io

from healthlog.commands.progress import progress, progress_of_many


class Terminal(io.StringIO):
    """A stream that somebody watches."""

    def isatty(self) -> bool:
        return True


def test_nothing_is_said_where_nobody_watches() -> None:
    stream = io.StringIO()
    progress(stream, "bodies")(1, 1)
    progress_of_many(stream)(1, 1, "files")
    assert stream.getvalue() == ""


def test_each_hundredth_is_said_once_whatever_the_steps() -> None:
    stream = Terminal()
    say = progress(stream, "pages")
    for done in range(0, 100_001, 7):
        say(done, 100_000)
    say(100_000, 100_000)
    lines = stream.getvalue().split("\r")[1:]
    assert 100 <= len(lines) <= 103
    assert lines[-1] == "100000 / 100000 pages\n"


def test_things_one_after_the_other_have_a_line_each() -> None:
    stream = Terminal()
    say = progress_of_many(stream)
    for what in ("files checked", "files copied"):
        for done in (1, 2):
            say(done, 2, what)
    assert stream.getvalue() == (
        "\r1 / 2 files checked\r2 / 2 files checked\n\r1 / 2 files copied\r2 / 2 files copied\n"
    )
