"""The settings that stand in tables of the file."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pytest

from healthlog.setting_rows import rows
from healthlog.telegram_settings import TelegramSettings
from healthlog.transcriber.settings import Settings as RecordingsInForce
from healthlog.transcriber.settings import settings_of
from tests.test_config import BOT_TOKEN, given, refused

# The tables of the recordings


RECORDINGS = """
[recordings]
workers = 0
own_limit = "2h"
language = "de"

[recordings.command]
argv = ["whisper-cli", "-f", "{wav}", "--prompt", "milk, bread"]
format = "whisper"
"""


def test_the_settings_of_the_recordings_are_taken(tmp_path: Path) -> None:
    environ = {"HEALTHLOG_RECORDINGS_COMMAND_PARALLEL": "2"}
    taken = given(tmp_path, RECORDINGS, environ).recordings
    assert (taken.workers, taken.own_limit, taken.language) == (0, 7200, "de")
    assert taken.command_argv == ("whisper-cli", "-f", "{wav}", "--prompt", "milk, bread")
    assert (taken.command_format, taken.command_parallel) == ("whisper", 2)
    argv = {"HEALTHLOG_RECORDINGS_COMMAND_ARGV": "whisper-cli --prompt 'milk, bread' {wav}"}
    found = given(tmp_path, None, argv).recordings.command_argv
    assert found == ("whisper-cli", "--prompt", "milk, bread", "{wav}")


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ("[recordings]\nworker = 1", "unknown setting recordings_worker in file"),
        ("[recordings]\nworkers = -1", "recordings_workers -1 (file"),
        ('[recordings]\nlanguage = "german, please"', "is no code of a language"),
        ("[recordings.command]\nargv = []", "names no program"),
        ('[recordings.command]\nargv = "a \'b"', "has a quote without an end"),
        ('[recordings.command]\nargv = ["a\\u0000"]', "holds what no argument can"),
        ("[recordings.command]\nargv = 5", "is not text or a list of texts"),
        ("[recordings.whisper]\nurl = 'x'", "unknown setting recordings_whisper_url in file"),
        ("recordings = 5", "unknown setting recordings in file"),
        ('[recordings]\nprovider = "magic"', "recordings_provider 'magic'"),
        ('[recordings]\nmax_body = "1B"', "recordings_max_body '1B'"),
        ('[recordings.openai]\nurl = "ftp://x"', "is no address of a server"),
        ('[recordings.openai]\nurl = "https://"', "is no address of a server"),
        ('[recordings.openai]\nurl = "http://me:secret@x"', "has more in it than an address"),
        ('[recordings.openai]\nurl = "http://x/?key=secret"', "has more in it than an address"),
        ('[recordings.openai]\nurl = "http://x y"', "has more in it than an address"),
        ('[recordings.openai]\nurl = "http://x:99999"', "has a port that can't be"),
        ('[recordings.openai]\nurl = "http://[::1"', "has a port that can't be"),
        ('[recordings.openai]\nkey = "two words"', "recordings_openai_key (file"),
        ('[recordings.yandex]\nkey = "a\\nb"', "recordings_yandex_key (file"),
    ],
)
def test_what_is_wrong_with_the_recordings_is_named(tmp_path: Path, toml: str, said: str) -> None:
    found = refused(tmp_path, toml)
    assert said in found
    assert "two words" not in found


RECOGNISERS = """
[recordings]
provider = "openai"
max_body = "2GiB"

[recordings.openai]
url = "http://box:8000/"
key = "sk-canary"
timeout = "20m"

[recordings.yandex]
key = "AQVN-canary"
folder = "b1g"
"""


def test_the_settings_of_recognisers_are_taken(tmp_path: Path) -> None:
    values = given(tmp_path, RECOGNISERS)
    taken = values.recordings
    assert (taken.provider, taken.max_body) == ("openai", 2 * 1024**3)
    assert (taken.openai_url, taken.openai_timeout) == ("http://box:8000", 1200)
    assert (taken.yandex_key, taken.yandex_folder) == ("AQVN-canary", "b1g")
    assert "canary" not in repr(values)
    assert "canary" not in str(rows(values))
    used = settings_of(asdict(taken))
    assert (used.openai.url, used.openai.key) == ("http://box:8000", "sk-canary")
    assert (used.openai.timeout_s, used.openai.form) == (1200, "auto")
    assert (used.yandex.key, used.yandex.model) == ("AQVN-canary", "general")
    assert used.max_body == 2 * 1024**3
    assert "canary" not in repr(used)


def test_the_defaults_are_those_of_the_recordings_themselves(tmp_path: Path) -> None:
    assert settings_of(asdict(given(tmp_path).recordings)) == RecordingsInForce()


# Tables


NOTIFY = """
[notify]
ntfy = "https://ntfy.example/topic"
mail_to = ["me@example.org", "you@example.org"]
smtp = "mail.example:587"
smtp_password = "pass word"
disk_low = "5GiB"
"""


@pytest.mark.scenario("notices", "Settings stand in a table of their own")
def test_the_settings_of_a_table_are_taken(tmp_path: Path) -> None:
    notify = given(tmp_path, NOTIFY, {"HEALTHLOG_NOTIFY_DISK_LOW": "2GiB"}).notify
    assert notify.ntfy == "https://ntfy.example/topic"
    assert notify.mail_to == ("me@example.org", "you@example.org")
    assert notify.smtp == ("mail.example", 587)
    assert notify.disk_low == 2 * 1024**3
    assert "pass word" not in repr(notify)
    assert "topic" not in repr(notify)


@pytest.mark.scenario("notices", "Settings stand in a table of their own")
@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ('[notify]\nmail = "me@example.org"', "unknown setting notify_mail"),
        ('[notify]\nwebhook = "ftp://x"', "notify_webhook (file"),
        ('[notify]\nwebhook = "https://me:secret@x/"', "has more in it than an address"),
        ('[notify]\nwebhook = "https://x:99999/"', "has a port that can't be"),
        ('[notify]\nntfy = "https://x y/"', "has more in it than an address"),
        ('[notify]\nmail_to = "me"', "has what is no address for mail"),
        ('[notify]\nmail_from = "me@x, you@x"', "has too many addresses"),
        ('[notify]\nmail_to = "me@example.org"', "notify_mail_to needs notify_smtp"),
        ('[notify]\nsmtp = "mail.example:25"', "notify_smtp needs notify_mail_to"),
        ('[notify]\nsmtp_security = "maybe"', "starttls or tls or none"),
        ('[notify]\nsmtp_user = "a\\nb"', "is no such text"),
        ('notify = "x"', "unknown setting notify"),
    ],
)
def test_what_is_wrong_in_a_table_is_named(tmp_path: Path, toml: str, said: str) -> None:
    found = refused(tmp_path, toml)
    assert said in found
    assert "secret" not in found


# The table of the bot


@pytest.mark.parametrize("chats", ["[4711, -1004711]", '"4711, -1004711"', '["4711", -1004711]'])
def test_the_settings_of_the_bot_are_taken(tmp_path: Path, chats: str) -> None:
    toml = f'[telegram]\ntoken = "{BOT_TOKEN}"\nallowed_chats = {chats}\nfiles = "/var/bot"'
    environ = {"HEALTHLOG_TELEGRAM_API": "http://127.0.0.1:8081"}
    assert given(tmp_path, toml, environ).telegram == TelegramSettings(
        BOT_TOKEN, (4711, -1004711), "http://127.0.0.1:8081", Path("/var/bot")
    )
    one = {"HEALTHLOG_TELEGRAM_TOKEN": BOT_TOKEN, "HEALTHLOG_TELEGRAM_ALLOWED_CHATS": "-5"}
    taken = given(tmp_path, "[telegram]\nallowed_chats = 7", one).telegram
    assert (taken.token, taken.allowed_chats) == (BOT_TOKEN, (-5,))
    assert BOT_TOKEN not in repr(given(tmp_path, None, one))
    shown = {row.name: row.value for row in rows(given(tmp_path, toml))}
    assert (shown["telegram_token"], shown["telegram_allowed_chats"]) == ("set", "4711,-1004711")


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ("tokens = 1", "unknown setting telegram_tokens in file"),
        ('token = "canary"', "telegram_token (file"),
        ('token = "123:canary canary canary"', "is no token of a bot"),
        ("allowed_chats = [1.5]", "is not text or a number"),
        ("allowed_chats = true", "is not text or a number"),
        ('allowed_chats = "@somebody"', "holds what is no number of a chat"),
        ('allowed_chats = "1,,2"', "holds what is no number of a chat"),
        (f"allowed_chats = {list(range(1, 102))}", "has too many numbers"),
        ('api = "api.telegram.org"', "is not an address of http or https"),
        ('api = "http://x:70000"', "has a port above 65535"),
    ],
)
def test_what_is_wrong_with_the_bot_is_named(tmp_path: Path, toml: str, said: str) -> None:
    told = refused(tmp_path, f"[telegram]\n{toml}")
    assert said in told
    assert "canary" not in told
