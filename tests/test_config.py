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
    rows,
    settings,
)

TOKEN = "a-token-that-is-long-enough"
OTHER = "another-token-that-is-long-enough"


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
        timezone=UTC,
        source_order=("Watch", "*", "iPhone"),
        journal_mode="wal",
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
        "timezone": "Europe/Berlin",
    }
    by_flag = given(tmp_path, None, None, texts)
    by_variable = given(tmp_path, None, {"HEALTHLOG_" + n.upper(): t for n, t in texts.items()})
    by_file = given(tmp_path, "\n".join(f'{n} = "{t}"' for n, t in texts.items()))
    assert by_flag == by_variable == by_file
    assert (by_flag.listen, by_flag.timezone) == (("::1", 0), ZoneInfo("Europe/Berlin"))
    assert (by_flag.ingest_token, by_flag.read_token) == (TOKEN, OTHER)


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


@pytest.mark.parametrize("table", ["recordings", "telegram"])
def test_tables_of_later_versions_must_be_empty(tmp_path: Path, table: str) -> None:
    assert given(tmp_path, f"[{table}]") == given(tmp_path)
    said = refused(tmp_path, f'[{table}]\ntoken = "{TOKEN}"')
    assert f"[{table}]" in said
    assert "not in this version" in said
    assert TOKEN not in said


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
    for setting in TABLE:
        assert setting.flag in help_text
        assert setting.environment in help_text
        assert setting.help in help_text


def test_the_table_is_the_list_of_fields() -> None:
    assert [setting.name for setting in TABLE] == [field.name for field in fields(Settings)]


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
