"""Settings from file, environment, flags; what is said of bad ones."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import UTC
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from healthlog.config import (
    TABLE,
    BadSetting,
    Settings,
    add_flags,
    flag_values,
    settings,
)
from healthlog.notices.settings import Notify
from healthlog.recording_settings import RecordingSettings
from healthlog.setting_rows import rows
from healthlog.telegram_settings import TelegramSettings

NOTIFIED = {"URL": "https://example.org/x", "MAIL": "me@x.org", "HOST:PORT": "mail:25"}
TOKEN = "a-token-that-is-long-enough"
OTHER = "another-token-that-is-long-enough"
OF_RECORDINGS = RecordingSettings(
    workers=1,
    own_limit=3600,
    foreign_limit=86_400,
    max_attempts=5,
    poll_delay=15,
    configuration_delay=900,
    normalise_timeout=900,
    max_body=1024**3,
    read_timeout=3600,
    provider="command",
    language=None,
    command_argv=None,
    command_format="auto",
    command_timeout=21_600,
    command_parallel=1,
    openai_url="https://api.openai.com",
    openai_key=None,
    openai_model="whisper-1",
    openai_format="auto",
    openai_timeout=600,
    openai_parallel=1,
    yandex_key=None,
    yandex_folder=None,
    yandex_model="general",
    yandex_url="https://stt.api.cloud.yandex.net",
    yandex_operations_url="https://operation.api.cloud.yandex.net",
)
BOT_TOKEN = "123456789:AAF-canary_0123456789abcdefghijkl"


def given(
    tmp_path: Path,
    toml: str | None = None,
    environ: Mapping[str, str] | None = None,
    flags: Mapping[str, str] | None = None,
) -> Settings:
    """The settings when the file has this text; it isn't there when None."""
    file = None
    if toml is not None:
        file = tmp_path / "my.toml"
        file.write_text(toml, encoding="utf-8")
    return settings(flags or {}, environ or {}, file)


def refused(
    tmp_path: Path,
    toml: str | None = None,
    environ: Mapping[str, str] | None = None,
    flags: Mapping[str, str] | None = None,
) -> str:
    """What is said instead."""
    with pytest.raises(BadSetting) as caught:
        given(tmp_path, toml, environ, flags)
    return str(caught.value)


def test_defaults_are_those_of_the_contract(tmp_path: Path) -> None:
    assert given(tmp_path) == Settings(
        listen=("127.0.0.1", 8787),  # type: ignore[arg-type]
        public_url=None,
        data=Path("data"),
        max_body=64 * 1024 * 1024,
        read_timeout=300,
        write_timeout=30,
        header_timeout=10,
        idle_timeout=60,
        max_connections=192,
        fold_timeout=120,
        stop_budget=25,
        tick=60,
        lag_warning=300,
        log_level="INFO",
        ingest_token=None,
        read_token=None,
        hosts=None,
        trusted_proxies=None,
        tls_cert=None,
        tls_key=None,
        timezone=UTC,
        source_order=("Watch", "*", "iPhone"),
        routes=True,
        journal_mode="wal",
        recordings=OF_RECORDINGS,
        notify=Notify(
            **dict.fromkeys(
                ("webhook", "webhook_token", "ntfy", "ntfy_token", "mail_to", "mail_from", "smtp")
            ),
            smtp_security="starttls",
            smtp_user=None,
            smtp_password=None,
            disk_low=1024**3,
        ),
        telegram=TelegramSettings(None, None, "https://api.telegram.org", None),
    )


@pytest.mark.scenario("operations", "Later place overrides the earlier")
def test_a_later_place_overrides_the_earlier(tmp_path: Path) -> None:
    toml, environ, flags = "tick = 50", {"HEALTHLOG_TICK": "40"}, {"tick": "30"}
    assert given(tmp_path, toml, environ, flags).tick == 30
    assert given(tmp_path, toml, environ).tick == 40
    assert given(tmp_path, toml).tick == 50
    assert given(tmp_path).tick == 60


def test_places_are_merged_setting_by_setting(tmp_path: Path) -> None:
    values = given(
        tmp_path, "tick = 50\nmax_body = 2048", {"HEALTHLOG_IDLE_TIMEOUT": "7"}, {"tick": "1m"}
    )
    assert (values.tick, values.max_body, values.idle_timeout) == (60, 2048, 7)


def test_every_setting_is_taken_from_every_place(tmp_path: Path) -> None:
    texts = {
        **{s.name: s.default for s in TABLE},
        "listen": "[::1]:0",
        "data": str(tmp_path),
        "ingest_token": TOKEN,
        "read_token": OTHER,
        "hosts": "health.example.org,nas",
        "trusted_proxies": "10.0.0.0/8",
        "tls_cert": "/etc/cert.pem",
        "tls_key": "/etc/key.pem",
        "public_url": "https://health.example.org",
        "timezone": "Europe/Berlin",
        "recordings_language": "ru-RU",
        "recordings_command_argv": "whisper-cli -f {wav}",
        "recordings_openai_key": "sk-1",
        "recordings_yandex_key": "AQ-1",
        "recordings_yandex_folder": "b1g",
        **{
            s.name: s.default or NOTIFIED.get(s.kind.metavar, "x")
            for s in TABLE
            if s.table == "notify"
        },
        "telegram_token": BOT_TOKEN,
        "telegram_allowed_chats": "4711",
        "telegram_files": str(tmp_path),
    }
    by_flag = given(tmp_path, None, None, texts)
    by_variable = given(tmp_path, None, {"HEALTHLOG_" + n.upper(): t for n, t in texts.items()})
    by_file = given(tmp_path, "\n".join(f'{n} = "{t}"' for n, t in texts.items()))
    assert by_flag == by_variable == by_file
    assert (by_flag.listen, by_flag.timezone) == (("::1", 0), ZoneInfo("Europe/Berlin"))
    assert (by_flag.ingest_token, by_flag.read_token) == (TOKEN, OTHER)


def test_a_key_without_its_certificate_is_refused(tmp_path: Path) -> None:
    said = refused(tmp_path, 'tls_key = "key.pem"')
    assert said.startswith("tls_key (file ")
    assert "tls_cert" in said


def test_an_empty_variable_counts_as_not_set(tmp_path: Path) -> None:
    assert given(tmp_path, "tick = 50", {"HEALTHLOG_TICK": ""}).tick == 50


def test_variables_of_other_programs_are_left_alone(tmp_path: Path) -> None:
    assert given(tmp_path, None, {"PATH": "/bin", "MYHEALTHLOG_TICK": "x"}) == given(tmp_path)


# The file


def test_a_file_in_the_data_folder_is_found(tmp_path: Path) -> None:
    (tmp_path / "healthlog.toml").write_text("tick = 50")
    assert given(tmp_path, None, None, {"data": str(tmp_path)}).tick == 50
    assert given(tmp_path, None, {"HEALTHLOG_DATA": str(tmp_path)}).tick == 50


def test_a_file_that_is_named_replaces_the_one_in_the_data_folder(tmp_path: Path) -> None:
    (tmp_path / "healthlog.toml").write_text("tick = 50")
    assert given(tmp_path, "idle_timeout = 7", None, {"data": str(tmp_path)}).tick == 60


def test_a_file_that_is_named_may_set_the_data_folder(tmp_path: Path) -> None:
    assert given(tmp_path, 'data = "/somewhere"').data == Path("/somewhere")


def test_a_file_in_the_data_folder_cannot_move_the_folder(tmp_path: Path) -> None:
    (tmp_path / "healthlog.toml").write_text('data = "/elsewhere"')
    said = refused(tmp_path, None, None, {"data": str(tmp_path)})
    assert said.startswith("data ")
    assert str(tmp_path / "healthlog.toml") in said


def test_a_file_that_is_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match=r"missing\.toml can't be read: No such file"):
        settings({}, {}, tmp_path / "missing.toml")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"tick", "is not TOML"),
        (b"tick = 1\ntick = 2", "is not TOML"),
        (b"# \xff", "is not UTF-8"),
        (b"a = " + b"[" * 100_000, "is not TOML"),
        (b"#" * 1024 * 1024 + b"#", "at most 1 MiB"),
    ],
)
def test_a_file_that_cannot_be_understood_is_named(tmp_path: Path, data: bytes, said: str) -> None:
    (tmp_path / "my.toml").write_bytes(data)
    with pytest.raises(BadSetting) as caught:
        settings({}, {}, tmp_path / "my.toml")
    assert str(tmp_path / "my.toml") in str(caught.value)
    assert said in str(caught.value)


# Bad ones


def test_an_unknown_key_of_the_file_is_named_with_a_guess(tmp_path: Path) -> None:
    said = refused(tmp_path, "max_boddy = 1")
    expected = f"unknown setting max_boddy in file {tmp_path / 'my.toml'}: did you mean max_body"
    assert said == expected


def test_an_unknown_variable_is_named(tmp_path: Path) -> None:
    said = refused(tmp_path, None, {"HEALTHLOG_XYZ": TOKEN})
    assert said.startswith("unknown setting HEALTHLOG_XYZ in the environment: known are HEALTHLOG_")
    assert TOKEN not in said
    guess = refused(tmp_path, None, {"HEALTHLOG_TIK": "1"})
    assert guess == "unknown setting HEALTHLOG_TIK in the environment: did you mean HEALTHLOG_TICK"


def test_an_unknown_flag_is_named(tmp_path: Path) -> None:
    assert "unknown setting tock among the flags" in refused(tmp_path, None, None, {"tock": "1"})


def test_an_unknown_table_is_named(tmp_path: Path) -> None:
    assert "unknown setting server in file" in refused(tmp_path, "[server]\nlisten = 'x'")


def test_a_bad_value_is_told_with_its_place_with_what_is_allowed(tmp_path: Path) -> None:
    assert refused(tmp_path, None, {"HEALTHLOG_TICK": "often"}) == (
        "tick 'often' (environment variable HEALTHLOG_TICK) is not a time:"
        " allowed is a time from 100ms to 1h, such as 300, 300s or 5m"
    )


@pytest.mark.parametrize("place", ["file", "variable", "flag"])
def test_the_place_of_a_bad_value_is_named(tmp_path: Path, place: str) -> None:
    said = {
        "file": lambda: refused(tmp_path, "max_connections = 1"),
        "variable": lambda: refused(tmp_path, None, {"HEALTHLOG_MAX_CONNECTIONS": "1"}),
        "flag": lambda: refused(tmp_path, None, None, {"max_connections": "1"}),
    }[place]()
    named = {
        "file": f"file {tmp_path / 'my.toml'}",
        "variable": "environment variable HEALTHLOG_MAX_CONNECTIONS",
        "flag": "flag --max-connections",
    }[place]
    assert said.startswith("max_connections ")
    assert f"({named}) is too small: allowed is a whole number from 4 to 4096" in said
    assert "\n" not in said


def test_a_bad_value_overridden_later_does_not_matter(tmp_path: Path) -> None:
    assert given(tmp_path, None, {"HEALTHLOG_TICK": "often"}, {"tick": "5"}).tick == 5


@pytest.mark.parametrize("value", ["true", "[1]", "{ a = 1 }", "2026-08-02", "nan", "inf"])
def test_values_of_another_type_are_refused(tmp_path: Path, value: str) -> None:
    assert refused(tmp_path, f"tick = {value}").startswith("tick ")
    assert refused(tmp_path, f"log_level = {value}").startswith("log_level ")


@pytest.mark.parametrize("toml", ["false", '"False"', '"false"'])
def test_a_switch_is_true_or_false(tmp_path: Path, toml: str) -> None:
    assert given(tmp_path, f"routes = {toml}").routes is False
    for bad in ("0", '"off"', "[false]"):
        assert refused(tmp_path, f"routes = {bad}").endswith("allowed is true or false")


def test_a_long_bad_value_is_cut(tmp_path: Path) -> None:
    assert len(refused(tmp_path, None, {"HEALTHLOG_LISTEN": "x" * 10_000})) < 300


@pytest.mark.parametrize(
    "text", ["short-canary", "canary with blanks in it", "canary" * 50, "ü" * 20]
)
@pytest.mark.parametrize("name", ["ingest_token", "read_token"])
def test_a_bad_token_is_never_repeated(tmp_path: Path, name: str, text: str) -> None:
    for said in (
        refused(tmp_path, f'{name} = "{text}"'),
        refused(tmp_path, None, {"HEALTHLOG_" + name.upper(): text}),
        refused(tmp_path, None, None, {name: text}),
    ):
        assert said.startswith(name)
        assert "canary" not in said
        assert "ü" not in said


def test_one_token_for_both_scopes_is_refused(tmp_path: Path) -> None:
    said = refused(tmp_path, f'ingest_token = "{TOKEN}"', {"HEALTHLOG_READ_TOKEN": TOKEN})
    assert "the same as ingest_token" in said
    assert TOKEN not in said


# Flags, words


def test_flags_that_are_not_given_are_not_values() -> None:
    parser = argparse.ArgumentParser()
    add_flags(parser)
    assert flag_values(parser.parse_args([])) == {}
    parsed = parser.parse_args(["--max-body", "1MiB", "--config", "a.toml"])
    assert (flag_values(parsed), parsed.config) == ({"max_body": "1MiB"}, Path("a.toml"))


def test_every_setting_has_a_flag_with_help() -> None:
    parser = argparse.ArgumentParser()
    add_flags(parser)
    help_text = " ".join(parser.format_help().split())
    for setting in (one for one in TABLE if not one.table):
        assert setting.flag in help_text
        assert setting.environment in help_text
        assert setting.help in help_text


def test_the_table_is_the_list_of_fields() -> None:
    alone = [setting.name for setting in TABLE if not setting.table]
    assert [*alone, "recordings", "notify", "telegram"] == [f.name for f in fields(Settings)]
    tables = {"recordings": RecordingSettings, "notify": Notify, "telegram": TelegramSettings}
    for table, made in tables.items():
        short = [one.short for one in TABLE if one.table == table]
        assert short == [field.name for field in fields(made)]


def test_every_default_is_shown_as_it_is_written(tmp_path: Path) -> None:
    shown = {row.name: row.value for row in rows(given(tmp_path))}
    written = {row.name: row.value for row in rows()}
    assert shown == {**written, "data": "data"}


def test_values_in_force_are_shown_without_secrets(tmp_path: Path) -> None:
    flags = {"ingest_token": TOKEN, "listen": "[::1]:80", "max_body": "1500", "tick": "250ms"}
    values = given(tmp_path, None, None, {**flags, "timezone": "Europe/Berlin"})
    shown = {row.name: row.value for row in rows(values)}
    assert (shown["ingest_token"], shown["read_token"]) == ("set", "not set")
    assert (shown["listen"], shown["max_body"], shown["tick"]) == ("[::1]:80", "1500", "0.25s")
    assert shown["timezone"] == "Europe/Berlin"
    assert TOKEN not in str(rows(values))


def test_settings_never_show_their_tokens(tmp_path: Path) -> None:
    assert TOKEN not in repr(replace(given(tmp_path), read_token=TOKEN))


@pytest.mark.parametrize("toml", ['source_order = ["iPhone", "*"]', 'source_order = "iPhone, *"'])
def test_the_order_of_sources_is_a_list_or_a_text(tmp_path: Path, toml: str) -> None:
    assert given(tmp_path, toml).source_order == ("iPhone", "*")
    assert given(tmp_path, toml, {"HEALTHLOG_SOURCE_ORDER": "Strap"}).source_order == ("Strap",)


def test_an_order_of_sources_that_can_not_be_used_is_named(tmp_path: Path) -> None:
    said = refused(tmp_path, 'source_order = ["Watch", "watch"]')
    assert said.startswith("source_order ")
    assert "has a word twice" in said
