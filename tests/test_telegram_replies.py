"""Answers to the senders: whole, in the right place, never twice, given up in time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from healthlog.transcriber.reply import (
    INPUT_DOWN,
    REFUSED,
    UNREACHABLE,
    Recipient,
    Undelivered,
)
from healthlog.transcriber.telegram.replies import BUDGET_S, MOST_MESSAGES
from tests.support import bot_api as fake
from tests.support.bot_api import BotApi, Dropping, Failing, Sent, bot_api, too_many
from tests.support.bots import GROUP, SUPERGROUP, Rig, open_rig
from tests.support.clock import FakeClock
from tests.support.studio import CHAT, SPOKEN

MESSAGE = 77
TO = Recipient(CHAT, MESSAGE, None)


@pytest.fixture
def api() -> Iterator[BotApi]:
    """A Bot API to which somebody has written."""
    with bot_api() as made:
        made.message(CHAT, text="/start")
        yield made


@pytest.fixture
def rig(data: Path, clock: FakeClock, api: BotApi) -> Iterator[Rig]:
    """A bot at it."""
    with open_rig(data, clock, api) as made:
        yield made


def undelivered(rig: Rig, recipient: Recipient = TO, text: str = SPOKEN) -> str:
    """The reason for which it could not be delivered."""
    with pytest.raises(Undelivered) as caught:
        rig.bot.answers.reply(recipient, text)
    return caught.value.reason


@pytest.mark.scenario("telegram", "Answer goes to the message it is for")
def test_an_answer_goes_to_its_message(rig: Rig) -> None:
    rig.api.topics[CHAT] = {9}
    rig.bot.answers.reply(Recipient(CHAT, MESSAGE, 9), SPOKEN)
    assert rig.api.sent == [Sent(CHAT, SPOKEN, MESSAGE, 9)]
    [call] = rig.api.called("sendMessage")
    assert call["reply_parameters"]["allow_sending_without_reply"] is True
    assert call["link_preview_options"] == {"is_disabled": True}
    assert "parse_mode" not in call


def test_a_message_without_a_number_is_answered_all_the_same(rig: Rig) -> None:
    rig.bot.answers.reply(Recipient(CHAT, None, None), SPOKEN)
    assert rig.api.sent == [Sent(CHAT, SPOKEN)]


@pytest.mark.scenario("telegram", "Text of any length arrives whole")
def test_a_long_answer_comes_in_parts(rig: Rig) -> None:
    words = [f"word{number}" for number in range(3000)]
    rig.bot.answers.reply(TO, " ".join(words))
    assert len(rig.api.sent) > 5
    assert " ".join(rig.api.texts).split() == words
    assert [one.reply_to for one in rig.api.sent] == [MESSAGE] + [None] * (len(rig.api.sent) - 1)


@pytest.mark.scenario("telegram", "Text that would fill the chat comes as a file")
def test_a_very_long_answer_comes_as_a_file(rig: Rig) -> None:
    text = "Größe — 語 😀. " * (MOST_MESSAGES * 4000 // 12)
    rig.bot.answers.reply(TO, text)
    [sent] = rig.api.sent
    assert sent.document == text
    assert text.startswith(sent.text.removesuffix(" …"))
    assert sent.reply_to == MESSAGE


def test_a_file_that_is_sent_survives_a_pause(rig: Rig) -> None:
    rig.api.happens(too_many(2), at="sendDocument")
    rig.bot.answers.reply(TO, "word " * 10_000)
    assert len(rig.api.sent) == 1


# Refused


@pytest.mark.scenario("telegram", "Sender won't have the answer")
@pytest.mark.parametrize(
    "failing",
    [
        fake.BLOCKED,
        Failing(403, "Forbidden: user is deactivated"),
        Failing(403, "Forbidden: bot was kicked from the supergroup chat"),
        Failing(400, "Bad Request: chat not found"),
        Failing(400, "Bad Request: not enough rights to send text messages to the chat"),
    ],
)
def test_a_sender_who_will_not_have_it_is_not_asked_twice(rig: Rig, failing: Failing) -> None:
    rig.api.happens(failing, at="sendMessage")
    assert undelivered(rig) == REFUSED
    assert (len(rig.api.called("sendMessage")), rig.waits) == (1, [])


def test_a_chat_that_is_gone_refuses(rig: Rig) -> None:
    assert undelivered(rig, Recipient(999, 1, None)) == REFUSED
    rig.api.blocked.add(CHAT)
    assert undelivered(rig) == REFUSED


@pytest.mark.scenario("telegram", "Topic that is gone")
def test_a_topic_that_is_gone_does_not_cost_the_answer(rig: Rig) -> None:
    rig.bot.answers.reply(Recipient(CHAT, MESSAGE, 9), SPOKEN)
    assert rig.api.sent == [Sent(CHAT, SPOKEN, MESSAGE, None)]


# Unreachable


@pytest.mark.scenario("telegram", "Answer that fails for now")
@pytest.mark.parametrize(
    ("accidents", "waits"),
    [
        ([too_many(5)], [5]),
        ([too_many(5), too_many(7)], [5, 7]),
        ([Failing(500, "Internal Server Error: restart")] * 2, [1, 3]),
        ([fake.BAD_GATEWAY], [1]),
        ([Failing(429, html="slow down", headers={"Retry-After": "4"})], [4]),
    ],
)
def test_an_answer_that_fails_for_now_is_tried_again(
    rig: Rig, accidents: list[Any], waits: list[float]
) -> None:
    rig.api.happens(*accidents, at="sendMessage")
    rig.bot.answers.reply(TO, SPOKEN)
    assert rig.api.texts == [SPOKEN]
    assert rig.waits == waits


@pytest.mark.scenario("telegram", "Answer is given up in time")
@pytest.mark.parametrize(
    ("accidents", "waits"),
    [
        ([fake.BAD_GATEWAY] * 3, [1, 3]),
        ([too_many(10)] * 3, [10, 10]),
        ([too_many(20)] * 3, [20]),
        ([too_many(round(BUDGET_S))], []),
        ([too_many(3600)], []),
    ],
)
def test_an_answer_is_given_up_in_time(rig: Rig, accidents: list[Any], waits: list[float]) -> None:
    rig.api.happens(*accidents, at="sendMessage")
    assert undelivered(rig) == UNREACHABLE
    assert rig.waits == waits
    assert rig.api.sent == []


def test_each_message_of_an_answer_has_its_tries(rig: Rig) -> None:
    rig.api.happens(too_many(9), too_many(9), at="sendMessage")

    def again() -> None:
        if len(rig.api.sent) == 1:
            rig.api.happens(too_many(9), at="sendMessage")

    rig.api.before("sendMessage", again)
    assert undelivered(rig, text="word " * 1500) == UNREACHABLE
    assert len(rig.api.sent) == 1
    assert rig.waits == [9, 9, 9, 9]


@pytest.mark.scenario("telegram", "Answer whose fate is unknown is not repeated")
@pytest.mark.parametrize(
    ("accident", "arrived"),
    [
        (Dropping(), 1),
        (Dropping(obeyed=False), 0),
        (Failing(504, html="gateway timeout"), 0),
    ],
)
def test_an_answer_whose_fate_is_unknown_is_not_repeated(
    rig: Rig, accident: Any, arrived: int
) -> None:
    rig.api.happens(accident, at="sendMessage")
    assert undelivered(rig) == UNREACHABLE
    assert len(rig.api.called("sendMessage")) == 1
    assert len(rig.api.sent) == arrived


@pytest.mark.scenario("telegram", "Nobody is at the address")
def test_an_answer_that_did_not_go_out_is_tried_again(
    data: Path, clock: FakeClock, api: BotApi
) -> None:
    with open_rig(data, clock, api, url="http://127.0.0.1:1") as rig:
        assert undelivered(rig) == UNREACHABLE
        assert rig.waits == [1, 3]


def test_without_a_token_that_is_accepted_the_entrance_is_down(
    data: Path, clock: FakeClock, api: BotApi
) -> None:
    with open_rig(data, clock, api, token="123:another-token-of-nobody") as rig:
        assert undelivered(rig) == INPUT_DOWN


def test_something_else_than_the_bot_api_takes_no_answer(rig: Rig) -> None:
    rig.api.happens(Failing(200, html="<html>a portal</html>"), at="sendMessage")
    assert undelivered(rig) == UNREACHABLE


@pytest.mark.scenario("telegram", "Stop ends the tries of an answer")
def test_a_stop_ends_the_tries(data: Path, clock: FakeClock, api: BotApi) -> None:
    with open_rig(data, clock, api) as rig:
        rig.stopping = True
        rig.api.happens(*[fake.BAD_GATEWAY] * 3, at="sendMessage")
        assert undelivered(rig) == UNREACHABLE
        assert len(rig.api.called("sendMessage")) == 1


def test_an_answer_goes_out_while_the_service_stops(rig: Rig) -> None:
    rig.bot.ask_to_stop()
    rig.bot.answers.reply(TO, SPOKEN)
    assert rig.api.texts == [SPOKEN]


# Groups that move


@pytest.mark.scenario("telegram", "Answer follows a group that moved")
def test_an_answer_follows_a_group_that_moved(rig: Rig) -> None:
    rig.api.message(SUPERGROUP, text="x")
    rig.api.moved[GROUP] = SUPERGROUP
    rig.api.topics[SUPERGROUP] = {9}
    rig.bot.answers.reply(Recipient(GROUP, MESSAGE, 9), "word " * 1500)
    # The numbers of messages and topics were those of the old group.
    assert [(s.chat_id, s.reply_to, s.thread_id) for s in rig.api.sent] == [
        (SUPERGROUP, None, None)
    ] * 2
    rig.api.calls.clear()
    rig.bot.answers.reply(Recipient(GROUP, MESSAGE, None), SPOKEN)
    assert [call["chat_id"] for call in rig.api.called("sendMessage")] == [SUPERGROUP]


def test_groups_that_move_in_a_circle_are_given_up(rig: Rig) -> None:
    rig.api.moved.update({GROUP: SUPERGROUP, SUPERGROUP: GROUP})
    assert undelivered(rig, Recipient(GROUP, 1, None)) == REFUSED
    assert len(rig.api.called("sendMessage")) == 3
