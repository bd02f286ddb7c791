"""Updates dealt with: taken, refused, passed over, asked for again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from healthlog.transcriber.stop import TOLD
from healthlog.transcriber.telegram import words
from healthlog.transcriber.telegram.poll import MOST_TRIES
from healthlog.transcriber.telegram.settings import Telegram
from tests.support.bot_api import (
    BAD_GATEWAY,
    FIRST_UPDATE,
    UNAVAILABLE,
    BotApi,
    Cutting,
    Dropping,
    Failing,
    Sent,
    bot_api,
    too_many,
)
from tests.support.bots import GROUP, STRANGER, SUPERGROUP, Rig, open_rig
from tests.support.clock import FakeClock
from tests.support.limits import files_limited_to
from tests.support.studio import CHAT

SOUND = b"OggS" + bytes(range(256)) * 400
TOO_LARGE = words.too_large(Telegram(token="1:x").largest_bytes)


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


# Taken


@pytest.mark.scenario("telegram", "Voice message becomes a recording")
def test_a_voice_message_becomes_a_recording(rig: Rig) -> None:
    update = rig.api.voice(CHAT, SOUND, seconds=7, caption="Shopping")
    assert rig.poll() == 0
    [row] = rig.recordings()
    assert rig.content(row) == SOUND
    assert (row.source, row.stage, row.extension) == ("telegram", "uploaded", "oga")
    assert (row.content_type, row.bytes, row.declared_ms) == ("audio/ogg", len(SOUND), 7000)
    assert (row.chat_id, row.message_id) == (CHAT, update["message"]["message_id"])
    assert (row.title, row.recorded_at_us) == ("Shopping", 1_785_600_000_000_000)
    assert row.owner is None
    assert rig.next_update == update["update_id"] + 1
    assert rig.updates_counted("taken") == 1
    [line] = rig.studio.lines("recording accepted")
    assert (line["source"], line["bytes"]) == ("telegram", len(SOUND))


@pytest.mark.scenario("telegram", "Update is confirmed only after its recording is safe")
def test_an_update_is_confirmed_only_afterwards(rig: Rig) -> None:
    rig.api.voice(CHAT, SOUND)
    rig.poll()
    first = rig.api.called("getUpdates")[0]
    assert "offset" not in first
    assert (first["timeout"], first["allowed_updates"]) == (50, ["message"])
    assert len(rig.api.updates) == 1
    rig.poll()
    assert rig.api.called("getUpdates")[1]["offset"] == FIRST_UPDATE + 1
    assert rig.api.updates == {}
    assert len(rig.recordings()) == 1


def test_many_updates_come_in_their_order(rig: Rig) -> None:
    contents = [bytes([number]) * 10 for number in range(102)]
    for content in contents:
        rig.api.voice(CHAT, content)
    rig.polls(3)
    assert [rig.content(row) for row in rig.recordings()] == contents
    assert rig.api.updates == {}


def test_a_message_of_a_topic_is_answered_there(rig: Rig) -> None:
    rig.api.voice(CHAT, SOUND, message_thread_id=9, is_topic_message=True)
    rig.poll()
    assert rig.recordings()[0].thread_id == 9


@pytest.mark.scenario("telegram", "Edited message is not taken again")
def test_an_edited_message_is_not_taken_again(rig: Rig) -> None:
    voice = rig.api.voice(CHAT, SOUND)
    rig.api.update(edited_message={**voice["message"], "caption": "new"})
    rig.polls(2)
    assert len(rig.recordings()) == 1
    assert (rig.updates_counted("ignored"), rig.api.updates) == (1, {})


@pytest.mark.scenario("telegram", "Update that comes again is passed over")
def test_an_update_that_comes_again_is_passed_over(rig: Rig) -> None:
    rig.api.forgetful = True
    rig.api.voice(CHAT, SOUND)
    assert rig.polls(3) == [0, 1, 1]
    assert len(rig.recordings()) == 1
    assert len(rig.api.called("getFile")) == 1
    assert rig.updates_counted("repeated") == 2


@pytest.mark.scenario("telegram", "Telegram begins to count anew")
def test_recordings_come_after_telegram_began_to_count_anew(rig: Rig) -> None:
    rig.api.count_anew(900_000)
    rig.api.voice(CHAT, b"before")
    rig.polls(2)
    rig.api.count_anew(20_000)
    rig.api.voice(CHAT, b"after")
    rig.polls(2)
    assert [rig.content(row) for row in rig.recordings()] == [b"before", b"after"]
    assert (rig.next_update, rig.api.updates) == (20_001, {})


# Refused


@pytest.mark.scenario("telegram", "File larger than what Telegram gives out")
def test_a_file_that_is_too_large_is_not_asked_for(rig: Rig) -> None:
    audio = {"file_id": rig.api.file(b"x"), "duration": 9000, "file_size": 20 * 1024 * 1024 + 1}
    update = rig.api.message(CHAT, audio=audio)
    assert rig.poll() == 0
    assert rig.api.called("getFile") == []
    [row] = rig.recordings()
    assert (row.stop_reason, row.bytes) == ("verdict", 0)
    assert row.stop_error == "the file is larger than the 20 MB that Telegram gives out"
    assert rig.api.sent == [Sent(CHAT, TOO_LARGE, update["message"]["message_id"])]
    assert (rig.next_update, rig.updates_counted("refused")) == (FIRST_UPDATE + 1, 1)


@pytest.mark.parametrize("size", [None, 10])
def test_a_file_whose_size_was_not_told_is_refused_all_the_same(rig: Rig, size: int | None) -> None:
    audio: dict[str, Any] = {"file_id": rig.api.file(bytes(20 * 1024 * 1024 + 1)), "duration": 1}
    rig.api.message(CHAT, audio=audio if size is None else {**audio, "file_size": size})
    rig.poll()
    assert [row.stop_reason for row in rig.recordings()] == ["verdict"]
    assert rig.api.texts == [TOO_LARGE]


def test_a_file_of_20_mb_is_taken(rig: Rig) -> None:
    content = bytes(20 * 1024 * 1024)
    rig.api.voice(CHAT, content)
    rig.poll()
    assert [row.bytes for row in rig.recordings()] == [len(content)]


@pytest.mark.scenario("telegram", "File that Telegram does not give out")
def test_a_file_that_is_not_given_out_is_refused_in_the_end(rig: Rig) -> None:
    rig.api.happens(*[UNAVAILABLE] * MOST_TRIES, at="getFile")
    rig.api.voice(CHAT, SOUND)
    rig.api.voice(CHAT, b"behind it")
    pauses = rig.polls(MOST_TRIES)
    assert pauses == [1, 2, 4, 8, 16, 32, 64, 128, 256, 0]
    given_up, behind = rig.recordings()
    assert (given_up.stop_reason, given_up.stop_error) == ("verdict", words.GONE_REASON)
    assert rig.content(behind) == b"behind it"
    assert rig.api.texts == [words.GONE]
    lines = rig.studio.lines("telegram update failed")
    assert [line["tries"] for line in lines] == list(range(1, MOST_TRIES + 1))
    assert {line["level"] for line in lines} == {"WARN"}


@pytest.mark.scenario("telegram", "File that comes at a later try")
@pytest.mark.parametrize(
    ("at", "accident"),
    [
        ("getFile", UNAVAILABLE),
        ("getFile", BAD_GATEWAY),
        ("getFile", Dropping()),
        ("file", Failing(404, "Not Found")),
        ("file", Cutting(1000)),
        ("file", Dropping()),
        ("file", BAD_GATEWAY),
    ],
)
def test_a_file_that_comes_later_is_taken(rig: Rig, at: str, accident: Any) -> None:
    rig.api.happens(accident, accident, at=at)
    rig.api.voice(CHAT, SOUND)
    assert rig.polls(3) == [1, 2, 0]
    assert [rig.content(row) for row in rig.recordings()] == [SOUND]
    assert list(rig.studio.recordings.places.incoming.iterdir()) == []
    assert rig.updates_counted("failed") == 2


def test_a_pause_that_is_asked_for_is_kept_and_no_failure(rig: Rig) -> None:
    rig.api.happens(*[too_many(40)] * 30, at="getFile")
    rig.api.voice(CHAT, SOUND)
    assert rig.polls(31) == [40] * 30 + [0]
    assert len(rig.recordings()) == 1


def test_fewer_bytes_than_told_are_no_file(rig: Rig) -> None:
    file_id = rig.api.file(SOUND)
    path, content = rig.api.files[file_id]
    rig.api.before("file", lambda: rig.api.files.__setitem__(file_id, (path, content[:-1])))
    rig.api.message(CHAT, voice={"file_id": file_id, "duration": 1})
    assert rig.poll() == 1
    assert rig.recordings() == []


@pytest.mark.scenario("telegram", "Full disk is not the recording's fault")
def test_a_full_disk_is_waited_out(rig: Rig) -> None:
    rig.poll()
    rig.api.voice(CHAT, SOUND)
    with files_limited_to(len(SOUND) // 2):
        pauses = rig.polls(MOST_TRIES + 5)
    assert pauses == [1, 2, 4, 8, 16, 32, 64, 128, 256] + [300] * 6
    assert (rig.recordings(), rig.next_update) == ([], None)
    rig.poll()
    assert [rig.content(row) for row in rig.recordings()] == [SOUND]


# Whose


@pytest.mark.scenario("telegram", "Chat that is not allowed is turned away once")
def test_a_stranger_is_turned_away_once(rig: Rig) -> None:
    for _ in range(3):
        rig.api.voice(STRANGER, SOUND)
    rig.polls(2)
    assert rig.recordings() == []
    assert rig.api.called("getFile") == []
    assert rig.api.texts == [words.turned_away(STRANGER)]
    assert str(STRANGER) in rig.api.texts[0]
    assert (rig.updates_counted("stranger"), rig.api.updates) == (3, {})


def test_nobody_is_allowed_by_default(data: Path, clock: FakeClock, api: BotApi) -> None:
    with open_rig(data, clock, api, allowed_chats=()) as rig:
        rig.api.voice(CHAT, SOUND)
        rig.poll()
        assert rig.recordings() == []
        assert rig.api.texts == [words.turned_away(CHAT)]


def test_a_stranger_who_can_not_be_told_is_no_trouble(rig: Rig) -> None:
    rig.api.voice(STRANGER, SOUND)
    rig.api.happens(too_many(9), at="sendMessage")
    assert rig.poll() == 0
    assert (rig.api.sent, rig.waits) == ([], [])
    assert rig.next_update == FIRST_UPDATE + 1


@pytest.mark.scenario("telegram", "Group that becomes a supergroup stays allowed")
@pytest.mark.parametrize("side", ["old", "new", "both"])
def test_a_group_that_moves_stays_allowed(
    data: Path, clock: FakeClock, api: BotApi, side: str
) -> None:
    with open_rig(data, clock, api, allowed_chats=(GROUP,)) as rig:
        if side != "new":
            rig.api.message(GROUP, migrate_to_chat_id=SUPERGROUP)
        if side != "old":
            rig.api.message(SUPERGROUP, migrate_from_chat_id=GROUP)
        rig.api.voice(SUPERGROUP, SOUND)
        rig.poll()
        assert [row.chat_id for row in rig.recordings()] == [SUPERGROUP]
        assert rig.api.sent == []


def test_a_stranger_can_not_move_into_an_allowed_place(rig: Rig) -> None:
    rig.api.message(STRANGER, migrate_to_chat_id=-9)
    rig.api.message(STRANGER, migrate_from_chat_id=-8)
    rig.api.voice(STRANGER, SOUND)
    rig.api.voice(-9, SOUND)
    rig.poll()
    assert rig.recordings() == []
    assert rig.studio.rows("SELECT * FROM telegram_move") == []


# Not recordings


@pytest.mark.scenario("telegram", "Message without sound is none")
def test_words_are_answered_with_what_the_bot_is_for(rig: Rig) -> None:
    rig.api.message(CHAT, text="/start")
    rig.poll()
    assert rig.api.texts == [words.HELP]
    assert rig.recordings() == []
    assert rig.updates_counted("answered") == 1


def test_a_group_is_not_talked_into(data: Path, clock: FakeClock, api: BotApi) -> None:
    with open_rig(data, clock, api, allowed_chats=(SUPERGROUP,)) as rig:
        rig.api.message(SUPERGROUP, text="good morning")
        rig.api.message(SUPERGROUP, photo=[])
        rig.poll()
        assert rig.api.sent == []
        assert rig.updates_counted("ignored") == 2


# A stop of the sender's


@pytest.mark.scenario("telegram", "Answer goes to the message it is for")
def test_a_stop_is_told_to_the_sender(rig: Rig) -> None:
    update = rig.api.voice(CHAT, SOUND)
    rig.poll()
    [row] = rig.recordings()
    rig.studio.recordings.stopper.stop_by_person(row.recording_id)
    assert rig.api.sent == [Sent(CHAT, TOLD["person"], update["message"]["message_id"])]
