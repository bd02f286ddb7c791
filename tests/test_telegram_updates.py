"""Which updates are recordings, and what is known of them."""

from __future__ import annotations

from typing import Any

import pytest

from healthlog.transcriber.telegram.media import Media
from healthlog.transcriber.telegram.updates import Message, update_of

VOICE = {"file_id": "F", "file_unique_id": "u", "duration": 7}
CHAT = {"id": 4711, "type": "private", "first_name": "Leonora"}


def message(**fields: Any) -> Message:
    """The message of an update with these fields."""
    plain = {"message_id": 12, "chat": CHAT, "date": 1_785_600_000}
    found = update_of({"update_id": 1, "message": {**plain, **fields}})
    assert found is not None
    assert found.message is not None
    return found.message


def media(**fields: Any) -> Media:
    found = message(**fields).media
    assert found is not None
    return found


@pytest.mark.scenario("telegram", "Every kind of message with sound is a recording")
@pytest.mark.parametrize(
    ("kind", "said", "expected"),
    [
        ("voice", {"mime_type": "audio/ogg"}, ("audio/ogg", "oga", 7000)),
        ("voice", {}, ("audio/ogg", "oga", 7000)),
        ("video_note", {"length": 240}, ("video/mp4", "mp4", 7000)),
        ("audio", {"mime_type": "audio/x-m4a", "file_name": "N.M4A"}, ("audio/x-m4a", "m4a", None)),
        ("audio", {}, ("audio/mpeg", "mp3", None)),
        ("video", {"mime_type": "video/quicktime"}, ("video/quicktime", "mp4", None)),
        ("document", {"mime_type": "audio/wav", "file_name": "a.wav"}, ("audio/wav", "wav", None)),
        ("document", {"mime_type": "video/x-matroska"}, ("video/x-matroska", "bin", None)),
        ("document", {"file_name": "memo.m4a"}, ("application/octet-stream", "m4a", None)),
        (
            "document",
            {"mime_type": "application/octet-stream", "file_name": "memo.opus"},
            ("application/octet-stream", "opus", None),
        ),
    ],
)
def test_a_message_with_sound_is_a_recording(
    kind: str, said: dict[str, Any], expected: tuple[str, str, int | None]
) -> None:
    found = media(**{kind: {**VOICE, "file_size": 99, **said}})
    assert (found.file_id, found.bytes) == ("F", 99)
    assert (found.content_type, found.extension_with("x"), found.declared_ms) == expected


def test_the_path_tells_the_extension_where_no_name_does() -> None:
    assert media(voice=VOICE).extension_with("voice/file_3.oga") == "oga"
    assert media(document={**VOICE, "mime_type": "audio/flac"}).extension_with("d/f.flac") == "flac"
    odd = media(audio={**VOICE, "file_name": "../../etc/passwd"})
    assert odd.extension_with("music/file_1.mp3") == "mp3"


@pytest.mark.parametrize(
    "fields",
    [
        {"text": "hello"},
        {"photo": [{"file_id": "F"}]},
        {"document": {**VOICE, "mime_type": "application/pdf", "file_name": "a.pdf"}},
        {"document": {**VOICE, "mime_type": "application/octet-stream", "file_name": "a.exe"}},
        {"document": {**VOICE, "mime_type": "image/png", "file_name": "a.mp3"}},
        {"sticker": {**VOICE, "is_video": True}},
        {"voice": {"duration": 3}},
        {"voice": "F"},
        # A GIF: without sound, and told of as a video as well.
        {"animation": VOICE, "document": {**VOICE, "mime_type": "video/mp4"}},
    ],
)
@pytest.mark.scenario("telegram", "Message without sound is none")
def test_a_message_without_sound_is_none(fields: dict[str, Any]) -> None:
    assert message(**fields).media is None


def test_odd_facts_are_left_out() -> None:
    odd = media(voice={**VOICE, "file_size": -1, "duration": True, "mime_type": "a\r\nb: c"})
    assert (odd.bytes, odd.declared_ms, odd.content_type) == (None, None, "audio/ogg")
    large = media(video={**VOICE, "file_size": 3 << 31})
    assert large.bytes == 3 << 31


@pytest.mark.scenario("telegram", "Caption becomes the title")
def test_the_caption_becomes_the_title() -> None:
    assert message(voice=VOICE, caption=" Shopping\n list ").title == "Shopping list"
    assert message(voice=VOICE, caption=" \n").title is None
    assert message(voice=VOICE).title is None
    assert message(voice=VOICE, caption="a\0b\x7fc 👨‍👩‍👧").title == "a b c 👨‍👩‍👧"
    assert message(voice=VOICE, caption="x" * 5000).title == "x" * 1000
    assert message(voice=VOICE, caption="a\ud83d").title == "a?"


@pytest.mark.scenario("telegram", "Forwarded recording keeps the time at which it was sent first")
@pytest.mark.parametrize(
    "fields",
    [
        {"forward_origin": {"type": "user", "date": 1_700_000_000}},
        {"forward_origin": {"type": "hidden_user", "date": 1_700_000_000}},
        {"forward_date": 1_700_000_000},
    ],
)
def test_a_forwarded_recording_keeps_its_time(fields: dict[str, Any]) -> None:
    found = message(voice=VOICE, **fields)
    assert found.media is not None
    assert found.recorded_at_us == 1_700_000_000_000_000


def test_another_recording_is_of_the_time_of_its_message() -> None:
    assert message(voice=VOICE).recorded_at_us == 1_785_600_000_000_000
    assert message(voice=VOICE, date=10**15).recorded_at_us is None


@pytest.mark.scenario("telegram", "Edited message is not taken again")
@pytest.mark.parametrize("kind", ["edited_message", "channel_post", "business_message", "poll"])
def test_other_updates_have_no_message(kind: str) -> None:
    found = update_of({"update_id": 5, kind: {"message_id": 12, "chat": CHAT, "voice": VOICE}})
    assert found is not None
    assert (found.update_id, found.message) == (5, None)


def test_what_has_no_number_is_no_update() -> None:
    odd_ones: list[object] = [None, [], {}, {"update_id": "5"}, {"update_id": True}]
    for odd in [*odd_ones, {"update_id": -1}]:
        assert update_of(odd) is None


@pytest.mark.parametrize(
    "odd", [{"chat": None}, {"chat": {"id": "x"}}, {"message_id": 1.5}, {"chat": {"id": 1 << 60}}]
)
def test_a_message_that_can_not_be_answered_is_none(odd: dict[str, Any]) -> None:
    plain = {"message_id": 12, "chat": CHAT, "voice": VOICE}
    found = update_of({"update_id": 5, "message": {**plain, **odd}})
    assert found is not None
    assert found.message is None


def test_a_thread_counts_only_where_it_is_a_topic() -> None:
    assert message(voice=VOICE, message_thread_id=3).thread_id is None
    assert message(voice=VOICE, message_thread_id=3, is_topic_message=True).thread_id == 3


@pytest.mark.parametrize(
    ("kind", "text", "asks"),
    [
        ("private", "good morning", True),
        ("private", "/start", True),
        ("supergroup", "good morning", False),
        ("supergroup", "/help@some_bot please", True),
        ("group", "/helpless", False),
    ],
)
def test_words_about_the_bot_are_asked_for(kind: str, text: str, asks: bool) -> None:
    assert message(chat={**CHAT, "type": kind}, text=text).asks is asks
    assert message(chat={**CHAT, "type": kind}, voice=VOICE, text=text).asks is False


def test_a_group_that_moves_is_told_of_from_both_sides() -> None:
    assert message(migrate_to_chat_id=-100_4711).moved_to == -100_4711
    assert message(migrate_from_chat_id=-4711).moved_from == -4711
