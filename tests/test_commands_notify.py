"""`notify`: what is set, a trial."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from healthlog.journal import notices
from healthlog.journal.notices import Kept
from tests.support.accepting import open_house
from tests.support.clock import FakeClock
from tests.support.receivers import mail_receiver, web_receiver
from tests.support.shell import run


@pytest.mark.scenario("notices", "Trial from the command line")
def test_a_trial_says_what_became_of_each_way(data: Path) -> None:
    with web_receiver() as taking, web_receiver() as refusing, mail_receiver() as letters:
        refusing.status = 403
        (data / "healthlog.toml").write_text(
            f'[notify]\nwebhook = "{taking.url()}"\nntfy = "{refusing.url("/secret")}"\n'
            f'mail_to = "me@example.org"\nsmtp = "127.0.0.1:{letters.port}"\n'
            'smtp_security = "none"\n'
        )
        ran = run("notify", "--test", "--data", data)
    assert ran.out.splitlines() == [
        "webhook: sent",
        "ntfy: not sent: it answered 403",
        "mail: sent",
    ]
    assert (ran.status, ran.err) == (1, "")
    assert taking.came[0].json()["test"] is True
    assert len(letters.letters) == 1
    with web_receiver() as taking:
        (data / "healthlog.toml").write_text(f'[notify]\nwebhook = "{taking.url()}"\n')
        assert run("notify", "--test", "--data", data).status == 0


@pytest.mark.scenario("notices", "Trial from the command line")
@pytest.mark.parametrize("flags", [(), ("--test",)])
def test_without_any_way_the_settings_are_named(data: Path, flags: tuple[str, ...]) -> None:
    ran = run("notify", *flags, "--data", data)
    assert (ran.status, ran.out) == (2, "")
    assert "notify_webhook, notify_ntfy, or notify_mail_to with notify_smtp" in ran.err


def test_what_is_wrong_now_is_shown(data: Path, clock: FakeClock) -> None:
    (data / "healthlog.toml").write_text('[notify]\nntfy = "https://ntfy.example/secret"\n')
    with open_house(data, clock) as house:
        asked = ("notify", "--data", data)
        assert run(*asked).out.splitlines() == [
            "notices go to: ntfy",
            "the last one: none yet",
            "wrong now: nothing",
        ]
        house.journal.write(partial(notices.keep, causes=[Kept("disk", "disk", None, 7)]))
        house.journal.write(partial(notices.told, keys=["disk"], now_us=clock.now_us()))
        assert run(*asked).out.splitlines()[1:] == [
            "the last one: 2026-08-02T08:01:42.123456Z",
            "wrong now: disk",
        ]
