"""What keeps updates from coming: told once and clearly, tried again in growing pauses."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from healthlog.base.errors import IOFault
from healthlog.base.metrics import Registry
from healthlog.transcriber.cancel import Cancel
from healthlog.transcriber.telegram.api import Api
from healthlog.transcriber.telegram.desk import Desk
from healthlog.transcriber.telegram.download import Downloads
from healthlog.transcriber.telegram.faults import FILES, TOKEN
from healthlog.transcriber.telegram.poll import Poller
from healthlog.transcriber.telegram.standing import Standing
from healthlog.transcriber.telegram.updates import Update
from tests.support import bot_api as fake
from tests.support.bot_api import BotApi, Dropping, Failing, bot_api, too_many
from tests.support.bots import Rig, open_rig, telegram
from tests.support.clock import FakeClock
from tests.support.studio import CHAT

NOT, AGAIN = "telegram not receiving", "telegram receiving"


@pytest.fixture
def api() -> Iterator[BotApi]:
    """A Bot API."""
    with bot_api() as made:
        yield made


@pytest.fixture
def rig(data: Path, clock: FakeClock, api: BotApi) -> Iterator[Rig]:
    """A bot at it."""
    with open_rig(data, clock, api) as made:
        yield made


def receiving(rig: Rig) -> float:
    return rig.studio.counted("healthlog_telegram_receiving")


def told(rig: Rig) -> list[tuple[str, str]]:
    """Level and reason of each line of trouble."""
    return [(line["level"], line["reason"]) for line in rig.studio.lines(NOT)]


def test_that_updates_come_is_told_once(rig: Rig) -> None:
    assert receiving(rig) == 0
    rig.polls(3)
    assert len(rig.studio.lines(AGAIN)) == 1
    assert rig.bot.state.receiving
    assert rig.bot.state.last_poll_at_us == rig.studio.clock.wall_us
    assert receiving(rig) == 1


@pytest.mark.scenario("telegram", "Two programs take the updates of one bot")
@pytest.mark.parametrize(
    ("failing", "reason", "word"),
    [
        (fake.CONFLICT, "conflict", "another program"),
        (Failing(409, "Conflict: terminated by setWebhook request"), "webhook", "deleteWebhook"),
        (None, "webhook", "deleteWebhook"),
    ],
)
def test_a_conflict_is_told_clearly(
    rig: Rig, failing: Failing | None, reason: str, word: str
) -> None:
    if failing is None:
        rig.api.webhook = True
    else:
        rig.api.happens(*[failing] * 6, at="getUpdates")
    pauses = rig.polls(6)
    assert told(rig) == [("WARN", reason)]
    assert word in rig.studio.lines(NOT)[0]["error"]
    assert (rig.bot.state.receiving, rig.bot.state.trouble) == (False, reason)
    assert all(4 * 2**n <= pause <= 5 * 2**n for n, pause in enumerate(pauses))
    rig.api.webhook = False
    rig.poll()
    assert rig.bot.state.receiving
    assert [line["msg"] for line in rig.studio.lines()] == [NOT, AGAIN]


@pytest.mark.scenario("telegram", "Token that is not accepted")
@pytest.mark.parametrize(
    "failing",
    [
        fake.UNAUTHORIZED,
        Failing(404, "Not Found"),
        Failing(421, "Misdirected Request: unallowed token specified"),
        Failing(400, "Logged out"),
    ],
)
def test_a_token_that_is_not_accepted_is_told_once(rig: Rig, failing: Failing) -> None:
    rig.api.happens(*[failing] * 10, at="getUpdates")
    pauses = rig.polls(10)
    [line] = rig.studio.lines(NOT)
    assert (line["level"], line["reason"], line["setting"]) == ("ERROR", "token", TOKEN)
    assert TOKEN in line["error"]
    assert pauses[0] >= 60
    assert pauses[-1] >= 3600
    rig.poll()
    assert rig.bot.state.receiving


def test_a_token_with_which_the_server_answers_401(
    data: Path, clock: FakeClock, api: BotApi
) -> None:
    with open_rig(data, clock, api, token="123:another-token-of-nobody") as rig:
        rig.poll()
        assert told(rig) == [("ERROR", "token")]


@pytest.mark.scenario("telegram", "Something else than the Bot API answers")
@pytest.mark.parametrize(
    "failing",
    [
        Failing(404, html="<html>not here</html>"),
        Failing(403, html="the proxy does not like it"),
        Failing(302, html="", headers={"Location": "http://127.0.0.1:1/login"}),
        Failing(200, html="<html>welcome to this hotel</html>"),
        Failing(200, html='{"ok": true, "result": {"a": "dict"}}'),
        Failing(200, html='{"ok": true, "result": ["no update"]}'),
        Failing(200, html="[" * 100_000),
        Failing(200, html="x" * (16 * 1024 * 1024 + 1)),
    ],
    ids=["404", "403", "redirect", "portal", "dict", "words", "deep", "long"],
)
def test_what_is_not_the_bot_api_is_told(rig: Rig, failing: Failing) -> None:
    rig.api.happens(failing, at="getUpdates")
    assert rig.poll() >= 60
    [line] = rig.studio.lines(NOT)
    assert (line["level"], line["setting"]) == ("ERROR", "telegram_api")
    assert "<html>" not in rig.studio.stream.getvalue()
    assert rig.next_update is None


@pytest.mark.scenario("telegram", "Line that breaks off")
@pytest.mark.parametrize(
    ("accident", "reason"),
    [
        (Dropping(), "network"),
        (Dropping(obeyed=False), "network"),
        (fake.BAD_GATEWAY, "server"),
        (Failing(500, "Internal Server Error: restart"), "server"),
    ],
)
def test_one_broken_poll_is_no_news(rig: Rig, accident: Any, reason: str) -> None:
    rig.poll()
    rig.api.happens(accident, at="getUpdates")
    rig.polls(2)
    assert told(rig) == []
    rig.api.happens(*[accident] * 3, at="getUpdates")
    pauses = rig.polls(3)
    assert told(rig) == [("WARN", reason)]
    assert pauses[0] < pauses[1] < pauses[2]
    rig.poll()
    assert [line["msg"] for line in rig.studio.lines()] == [AGAIN, NOT, AGAIN]


def test_a_pause_that_is_asked_for_is_kept(rig: Rig) -> None:
    rig.api.happens(too_many(700), at="getUpdates")
    assert rig.poll() == 700


def test_pauses_grow_up_to_five_minutes(rig: Rig) -> None:
    rig.api.happens(*[Dropping()] * 40, at="getUpdates")
    pauses = rig.polls(40)
    assert max(pauses) <= 300 * 1.25
    assert min(pauses[-10:]) >= 300


def test_updates_whose_answer_broke_off_come_again(rig: Rig) -> None:
    rig.api.voice(CHAT, b"sound")
    rig.api.happens(Dropping(), at="getUpdates")
    rig.polls(2)
    assert len(rig.recordings()) == 1


@pytest.mark.scenario("telegram", "Nobody is at the address")
def test_nobody_is_at_the_address(data: Path, clock: FakeClock, api: BotApi) -> None:
    with closing(socket.socket()) as nobody:
        nobody.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        with open_rig(data, clock, api, url=url) as rig:
            rig.polls(2)
            [line] = rig.studio.lines(NOT)
            assert (line["level"], line["reason"]) == ("WARN", "network")
            assert "Connection refused" in line["error"]


# A server of one's own


@pytest.mark.scenario("telegram", "Bot API server of one's own gives files out by their paths")
def test_a_server_of_one_s_own_gives_files_by_path(
    data: Path, clock: FakeClock, api: BotApi, tmp_path: Path
) -> None:
    folder = tmp_path / "bot-api"
    large = bytes(21 * 1024 * 1024)
    (folder / "1:x/voice").mkdir(parents=True)
    (folder / "1:x/voice/file_0.oga").write_bytes(large)
    api.local = True
    file_id = api.file(large)
    api.files[file_id] = (str(folder / "1:x/voice/file_0.oga"), large)
    api.message(CHAT, voice={"file_id": file_id, "duration": 1, "file_size": len(large)})
    with open_rig(data, clock, api, files=folder) as rig:
        assert rig.poll() == 0
        [row] = rig.recordings()
        assert (rig.content(row) == large, row.extension) == (True, "oga")
    assert api.called("file") == []


@pytest.mark.parametrize("case", ["unset", "outside", "link", "missing"])
def test_a_file_that_can_not_be_read_here_waits_for_the_owner(
    data: Path, clock: FakeClock, api: BotApi, tmp_path: Path, case: str
) -> None:
    folder = tmp_path / "bot-api"
    folder.mkdir()
    secret = tmp_path / "secret"
    secret.write_bytes(b"not for the log")
    (folder / "link").symlink_to(secret)
    paths = {"outside": secret, "link": folder / "link", "missing": folder / "gone.oga"}
    path = paths.get(case, secret)
    file_id = api.file(b"x")
    api.files[file_id] = (str(path), b"x")
    api.message(CHAT, voice={"file_id": file_id, "duration": 1})
    files = None if case == "unset" else folder
    with open_rig(data, clock, api, files=files) as rig:
        pauses = rig.polls(20)
        assert pauses[0] >= 60
        assert pauses[-1] >= 3600
        assert (rig.recordings(), rig.next_update) == ([], None)
        [line] = rig.studio.lines(NOT)
        assert (line["level"], line["setting"]) == ("ERROR", FILES)


# The loop itself


class Mistaken(Desk):
    """Fails on updates as long as it is told to, with what must not be told."""

    error: Exception | None = None
    blind = False

    def next_update(self) -> int | None:
        if self.blind:
            raise IOFault("the disk failed")
        return super().next_update()

    def deal_with(self, update: Update) -> str:
        if self.error is not None:
            raise self.error
        return super().deal_with(update)


def mistaken(rig: Rig) -> tuple[Poller, Mistaken]:
    """The loop of that bot with such a desk."""
    studio, cancel, settings = rig.studio, Cancel(), telegram(rig.api)
    clock, log = studio.clock, studio.log
    api = Api(settings, clock, cancel)
    desk = Mistaken(
        settings,
        Downloads(api, settings, cancel),
        studio.recordings.intake,
        studio.journal,
        clock=clock,
        say=lambda _message, _text: None,
    )
    updates = Registry().counter("updates_total", "x", ("outcome",))
    standing = Standing(clock, log, lambda: 0.0)
    waits: list[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        desk.blind = False
        if len(waits) == 2:
            cancel.ask()

    rig.api.before("getUpdates", lambda: cancel.ask() if waits else None)
    return (
        Poller(api, desk, standing, cancel=cancel, log=log, updates=updates, wait=wait),
        desk,
    )


@pytest.mark.scenario("telegram", "Mistake inside the loop")
def test_the_loop_survives_a_mistake(rig: Rig) -> None:
    poller, desk = mistaken(rig)
    desk.blind = True
    poller.run()
    [line] = rig.studio.lines("pass failed")
    assert (line["level"], line["worker"]) == ("ERROR", "telegram")
    assert len(rig.api.called("getUpdates")) == 1


@pytest.mark.scenario("telegram", "Update on which the program fails")
def test_an_update_on_which_the_program_fails_is_passed_in_the_end(rig: Rig) -> None:
    poller, desk = mistaken(rig)
    rig.api.message(CHAT, text="/start")
    rig.api.voice(CHAT, b"behind it")
    secret = "spoken words"
    desk.error = KeyError(secret)
    assert [poller.poll_once() for _ in range(9)] == [1, 2, 4, 8, 16, 32, 64, 128, 256]
    # The tenth try is the last one, and what is behind has its turn.
    assert poller.poll_once() == 1
    desk.error = None
    assert poller.poll_once() == 0
    assert [rig.content(row) for row in rig.recordings()] == [b"behind it"]
    lines = rig.studio.lines("telegram update failed")
    assert all(secret not in json.dumps(line) for line in lines)
    assert {line["level"] for line in lines} == {"ERROR"}
    assert rig.next_update == fake.FIRST_UPDATE + 2
