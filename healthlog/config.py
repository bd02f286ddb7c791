"""The settings: one table gives file, environment, flags, help, documentation.

Later sources win: defaults < TOML file < `HEALTHLOG_*` environment < flags.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from pathlib import Path
from typing import Any

from healthlog.base.errors import Refusal
from healthlog.notices.settings import NOTIFY, Notify, notify_of
from healthlog.recording_settings import RECORDINGS, RecordingSettings, recordings_of
from healthlog.setting import ENVIRONMENT_PREFIX, Setting
from healthlog.setting_kinds import (
    choice,
    count,
    file,
    folder,
    size,
    span,
    switch,
    text,
    token,
    words,
    zone,
)
from healthlog.setting_places import Address, Network, address, names, networks, web_address
from healthlog.telegram_settings import TELEGRAM, TelegramSettings, telegram_of

FILE_NAME = "healthlog.toml"
_FILE_MAX_BYTES = 1024 * 1024
_SHOWN_CHARACTERS = 60
_IF_NOT = "if not set, one is made, kept in tokens.json"


class BadSetting(Refusal):
    """A setting that cannot be used; one sentence names it, its source, what is allowed."""


TABLE: tuple[Setting, ...] = (
    Setting("listen", address(), "127.0.0.1:8787", "where to listen; port 0 takes a free one"),
    Setting("public_url", web_address(), "", "where the phone finds it, if not at listen"),
    Setting("data", folder(), "./data", "folder everything is kept in"),
    Setting("max_body", size("1KiB", "1GiB"), "64MiB", "largest body of a delivery"),
    Setting("read_timeout", span("100ms", "1h"), "300s", "time for a delivery's body to come"),
    Setting("write_timeout", span("100ms", "1h"), "30s", "time for an answer to be taken"),
    Setting("header_timeout", span("100ms", "5m"), "10s", "time for a request's head to come"),
    Setting("idle_timeout", span("100ms", "1h"), "60s", "time a connection may stay unused"),
    Setting("max_connections", count(4, 4096), "192", "connections at a time, some for uploads"),
    Setting("fold_timeout", span("100ms", "1h"), "120s", "time for folding one delivery"),
    Setting("stop_budget", span("100ms", "10m"), "25s", "time for an orderly stop"),
    Setting("tick", span("100ms", "1h"), "60s", "time between looks at the queue, if not woken"),
    Setting("lag_warning", span("100ms", "24h"), "300s", "wait of a delivery that is warned of"),
    Setting("log_level", choice("DEBUG", "INFO", "WARN", "ERROR"), "INFO", "least level logged"),
    Setting("ingest_token", token(), "", f"token that may only deliver; {_IF_NOT}", secret=True),
    Setting("read_token", token(), "", f"token that may read everything; {_IF_NOT}", secret=True),
    Setting("hosts", names(), "", "names a browser may use for this service, besides addresses"),
    Setting("trusted_proxies", networks(), "", "proxies whose X-Forwarded-For tells the client"),
    Setting("tls_cert", file(), "", "certificate chain in PEM, to speak HTTPS"),
    Setting("tls_key", file(), "", "its private key in PEM, if tls_cert doesn't hold it"),
    Setting("timezone", zone(), "UTC", "zone of the dates in questions and on pages"),
    Setting("source_order", words(50), "Watch,*,iPhone", "whose word counts first; * is any other"),
    Setting("routes", switch(), "true", "whether answers hold where workouts were"),
    Setting(
        "journal_mode",
        choice("wal", "delete"),
        "wal",
        "SQLite's journal; delete is slower, never affected by SQLite's WAL-reset fault",
    ),
    *RECORDINGS,
    *NOTIFY,
    *TELEGRAM,
)
_BY_NAME = {setting.name: setting for setting in TABLE}
_TABLES = frozenset(setting.table for setting in TABLE if setting.table)


@dataclass(frozen=True, slots=True)
class Settings:
    """The values in force; sizes in bytes, spans in seconds, tokens and URL None when not set."""

    listen: Address
    public_url: str | None
    data: Path
    max_body: int
    read_timeout: float
    write_timeout: float
    header_timeout: float
    idle_timeout: float
    max_connections: int
    fold_timeout: float
    stop_budget: float
    tick: float
    lag_warning: float
    log_level: str
    ingest_token: str | None = field(repr=False)
    read_token: str | None = field(repr=False)
    hosts: tuple[str, ...] | None
    trusted_proxies: tuple[Network, ...] | None
    tls_cert: Path | None
    tls_key: Path | None
    timezone: tzinfo
    source_order: tuple[str, ...]
    routes: bool
    journal_mode: str
    recordings: RecordingSettings
    notify: Notify
    telegram: TelegramSettings


@dataclass(frozen=True, slots=True)
class _Given:
    value: object
    origin: str


def settings(
    argv_values: Mapping[str, str], environ: Mapping[str, str], config_file: Path | None
) -> Settings:
    """All values from flags (`{"max_body": "1MiB"}`), environment, file; BadSetting if one is bad.

    Without `config_file`, `healthlog.toml` in the data folder is read if it is there; such a file
    can't set `data`. An environment variable that is empty counts as not set.
    """
    near = {**_from_environment(environ), **_from_flags(argv_values)}
    given = {**_from_file(config_file, near), **near}
    values = {s.name: _value(s, given.get(s.name)) for s in TABLE}
    if values["read_token"] is not None and values["read_token"] == values["ingest_token"]:
        raise BadSetting(
            f"read_token ({given['read_token'].origin}) is the same as ingest_token"
            f" ({given['ingest_token'].origin}): two different tokens are needed"
        )
    if values["tls_key"] is not None and values["tls_cert"] is None:
        raise BadSetting(f"tls_key ({given['tls_key'].origin}) needs tls_cert, which is not set")
    arguments: dict[str, Any] = {one.name: values[one.name] for one in TABLE if not one.table}
    try:
        return Settings(
            **arguments,
            recordings=recordings_of(values),
            notify=notify_of(values),
            telegram=telegram_of(values),
        )
    except ValueError as error:
        raise BadSetting(str(error)) from None


def add_flags(parser: argparse.ArgumentParser) -> None:
    """`--config FILE` plus one flag a setting; what isn't given isn't in the namespace."""
    group = parser.add_argument_group("settings")
    group.add_argument(
        "--config",
        type=Path,
        default=None,
        metavar="FILE",
        help=f"TOML file with settings (default: {FILE_NAME} in the data folder, if there)",
    )
    for setting in (one for one in TABLE if not one.table):
        default = setting.default or "none"
        group.add_argument(
            setting.flag,
            dest=setting.name,
            default=argparse.SUPPRESS,
            metavar=setting.kind.metavar,
            help=f"{setting.help} (default: {default}; {setting.environment})".replace("%", "%%"),
        )


def flag_values(namespace: argparse.Namespace) -> dict[str, str]:
    """The settings given as flags, for `settings`."""
    given = vars(namespace)
    return {one.name: given[one.name] for one in TABLE if one.name in given}


def _from_flags(argv_values: Mapping[str, str]) -> dict[str, _Given]:
    for name in argv_values:
        if name not in _BY_NAME:
            raise _unknown(name, "among the flags", list(_BY_NAME))
    return {n: _Given(said, f"flag {_BY_NAME[n].flag}") for n, said in argv_values.items()}


def _from_environment(environ: Mapping[str, str]) -> dict[str, _Given]:
    by_variable = {s.environment: s for s in TABLE}
    given = {}
    for variable, said in environ.items():
        if not variable.startswith(ENVIRONMENT_PREFIX):
            continue
        if variable not in by_variable:
            raise _unknown(variable, "in the environment", list(by_variable))
        if said:
            name = by_variable[variable].name
            given[name] = _Given(said, f"environment variable {variable}")
    return given


def _from_file(config_file: Path | None, near: Mapping[str, _Given]) -> dict[str, _Given]:
    path = config_file
    if path is None:
        data = _value(_BY_NAME["data"], near.get("data"))
        path = Path(str(data)) / FILE_NAME
        if not path.exists():
            return {}
    given = {}
    for name, value in _flat(_toml(path)):
        if name not in _BY_NAME:
            raise _unknown(name, f"in file {path}", list(_BY_NAME))
        if name == "data" and config_file is None:
            raise BadSetting(
                f"data can't be set in file {path}, which was found by it:"
                " allowed are --data, HEALTHLOG_DATA, or a file named by --config"
            )
        given[name] = _Given(value, f"file {path}")
    return given


def _flat(read: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Names with their values, those of a table, and of a table in it, by their whole names."""
    for name, value in read.items():
        if name not in _TABLES or not isinstance(value, dict):
            yield name, value
            continue
        for short, one in value.items():
            inner = one.items() if isinstance(one, dict) else [("", one)]
            yield from ((f"{name}_{short}_{last}".rstrip("_"), it) for last, it in inner)


def _toml(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            data = file.read(_FILE_MAX_BYTES + 1)
    except OSError as error:
        raise BadSetting(f"config file {path} can't be read: {error.strerror}") from error
    if len(data) > _FILE_MAX_BYTES:
        raise BadSetting(f"config file {path} is too long: at most 1 MiB is allowed")
    # Loaded where there is a file: with what it needs it takes long.
    import tomllib  # noqa: PLC0415

    try:
        return tomllib.loads(data.decode())
    except UnicodeDecodeError:
        raise BadSetting(f"config file {path} is not UTF-8 text, as TOML must be") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadSetting(f"config file {path} is not TOML: {error}") from None


def _value(setting: Setting, given: _Given | None) -> object:
    if given is None:
        return setting.usual
    try:
        kind = setting.kind
        said = text(given.value, numbers=kind.numeric, joined=kind.joined, switches=kind.switched)
        return kind.read(said)
    except ValueError as error:
        shown = "" if setting.secret else f" {ascii(given.value)[:_SHOWN_CHARACTERS]}"
        raise BadSetting(
            f"{setting.name}{shown} ({given.origin}) {error}: allowed is {setting.kind.allowed}"
        ) from None


def _unknown(name: str, where: str, known: list[str]) -> BadSetting:
    # Guessed without the prefix, which would make everything look alike.
    by_end = {one.removeprefix(ENVIRONMENT_PREFIX): one for one in known}
    import difflib  # noqa: PLC0415 - for mistakes alone

    near = difflib.get_close_matches(name.removeprefix(ENVIRONMENT_PREFIX), by_end, n=1)
    allowed = f"did you mean {by_end[near[0]]}" if near else f"known are {', '.join(known)}"
    return BadSetting(f"unknown setting {ascii(name)[1:-1][:_SHOWN_CHARACTERS]} {where}: {allowed}")
