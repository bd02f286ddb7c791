"""The process killed between each two lines by which an update becomes a recording."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from healthlog.transcriber.telegram import words
from healthlog.transcriber.telegram.settings import Telegram
from tests.support.bot_api import BotApi
from tests.support.bot_api_process import Distant, distant_bot_api
from tests.support.bots import STRANGER, open_rig
from tests.support.clock import FakeClock
from tests.support.dying import died_before
from tests.support.studio import CHAT, open_studio

OURS = {"poll.py", "desk.py", "download.py", "offset.py", "chats.py", "intake.py", "api.py"}
LINES_MOST = 3000
QUICK_STRIDE, SLOW_STRIDE = 97, 3

CONTENTS = [bytes([number]) * 70_000 for number in (1, 2)]
TOO_LARGE = words.too_large(Telegram().largest_bytes)
TURNED_AWAY = words.turned_away(STRANGER)


@pytest.fixture
def distant() -> Iterator[Distant]:
    """A Bot API that outlives whatever is killed here."""
    with distant_bot_api() as made:
        yield made


def spoken(distant: Distant) -> None:
    """What waits for the bot."""
    distant.anew()
    distant.voice(CHAT, CONTENTS[0])
    distant.voice(STRANGER, b"not to be kept")
    distant.large(CHAT)
    distant.voice(CHAT, CONTENTS[1])


def killed_at_each_line(data: Path, distant: Distant, stride: int) -> int:
    """How many lines there were at which it was killed."""
    empty, clock, line = data.with_name("empty"), FakeClock(), 1
    with open_studio(data, clock):
        pass
    shutil.copytree(data, empty)
    for line in range(1, LINES_MOST, stride):
        shutil.rmtree(data)
        shutil.copytree(empty, data)
        spoken(distant)

        def work() -> None:
            carried_on(data, distant)

        if not died_before(line, OURS, work):
            break
        carried_on(data, distant)
        survived(data, distant)
    return line


def carried_on(data: Path, distant: Distant) -> None:
    """What each process does of itself, the first as well as the next one."""
    with open_rig(data, FakeClock(), BotApi(distant.url)) as rig:
        for _ in range(10):
            rig.poll()
            if distant.waiting() == 0:
                return
        raise AssertionError("updates are left")


def survived(data: Path, distant: Distant) -> None:
    """Everything is there once."""
    with open_rig(data, FakeClock(), BotApi(distant.url)) as rig:
        kept = [row for row in rig.recordings() if row.stop_reason is None]
        assert [rig.content(row) for row in kept] == CONTENTS
        stopped = [row for row in rig.recordings() if row.stop_reason is not None]
        assert [(row.stop_reason, row.chat_id) for row in stopped] == [("verdict", CHAT)]
        assert list(rig.studio.recordings.places.incoming.iterdir()) == []
        # An answer is lost when its process is killed first, but nobody is told twice.
        told = distant.texts()
        assert told.count(TOO_LARGE) <= 1
        assert told.count(TURNED_AWAY) <= 1
        assert set(told) <= {TOO_LARGE, TURNED_AWAY}


@pytest.mark.scenario("telegram", "Process is killed at any line between file and confirmation")
def test_the_process_is_killed_at_some_lines(data: Path, distant: Distant) -> None:
    lines = killed_at_each_line(data, distant, QUICK_STRIDE)
    assert QUICK_STRIDE < lines < LINES_MOST - QUICK_STRIDE


@pytest.mark.slow
def test_the_process_is_killed_at_many_lines(data: Path, distant: Distant) -> None:
    lines = killed_at_each_line(data, distant, SLOW_STRIDE)
    assert 100 < lines < LINES_MOST - 1
    print(f"killed before every third of {lines} lines")
