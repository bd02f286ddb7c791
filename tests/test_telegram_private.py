"""Whatever goes wrong with the bot, nobody is told what was said, by whom, or with which token."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from healthlog.transcriber.failures import Retry, Verdict
from healthlog.transcriber.rows import Recording
from healthlog.transcriber.steps.base import Hold, Result
from tests.support import bot_api as fake
from tests.support.bot_api import Accident, Cutting, Dropping, Failing, bot_api, too_many
from tests.support.bots import STRANGER, assert_private, noted, open_rig
from tests.support.clock import FakeClock
from tests.support.studio import SPOKEN, on

SENDER = 987_654_321
CAPTION = "Errands with Hildegard"
QUOTING = Failing(400, f"Bad Request: can't parse {SPOKEN} of {fake.NAME} in chat {SENDER}")
LEAKING = Failing(502, html=f"<p>https://api.telegram.org/bot{fake.TOKEN}/ {SPOKEN}</p>")

ACCIDENTS: list[Accident] = [
    QUOTING, LEAKING, fake.UNAUTHORIZED, fake.CONFLICT, fake.BLOCKED, fake.UNAVAILABLE,
    too_many(99), Dropping(), Dropping(obeyed=False),
    Failing(302, html="", headers={"Location": f"http://127.0.0.1:1/bot{fake.TOKEN}/getMe"}),
    Failing(404, f"Not Found: bot{fake.TOKEN}"),
    Failing(400, "Bad Request: group chat was upgraded", {"migrate_to_chat_id": -SENDER}),
]  # fmt: skip


@pytest.mark.scenario("telegram", "Nothing of text, sender and token is told to anybody else")
def test_whatever_goes_wrong_tells_nothing(data: Path, clock: FakeClock) -> None:
    ends: list[Exception | None] = [None, Verdict("no"), Retry("not now"), KeyError(CAPTION)]

    def act(_recording: Recording, _hold: Hold) -> Result | None:
        ends.append(error := ends.pop(0))
        if error is not None:
            raise error
        return None

    acts = {"normalise": on, "submit": on, "poll": on, "finish": act}
    with bot_api() as api, open_rig(data, clock, api, allowed_chats=(SENDER,), acts=acts) as rig:
        for accident in ACCIDENTS:
            for at in ("getUpdates", "getFile"):
                api.happens(accident, at=at)
            api.happens(Cutting(3), LEAKING, Dropping(), at="file")
            api.voice(SENDER, b"sound", caption=CAPTION)
            api.voice(STRANGER, b"sound", caption=CAPTION)
            api.message(SENDER, text=SPOKEN)
            rig.polls(25)
            api.happens(accident, at="sendMessage")
            rig.studio.steps()
        api.voice(SENDER, bytes(fake.LARGEST + 1), caption=CAPTION)
        rig.polls(2)
        assert len(rig.recordings()) == len(ACCIDENTS) + 1
        assert rig.studio.lines("telegram not receiving") != []
        assert rig.studio.lines("telegram update failed") != []
        assert {line["reason"] for line in rig.studio.lines("reply undelivered")} >= {
            "refused", "unreachable", "input_down",
        }  # fmt: skip
        told = [rig.studio.stream.getvalue(), rig.studio.registry.text(), noted(rig.studio.journal)]
        assert_private(json.dumps(told), SENDER, f"{SPOKEN} {CAPTION} {STRANGER}")
