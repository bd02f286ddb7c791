"""The settings: one table gives file, environment, flags, help, documentation.

Later sources win: defaults < TOML file < `HEALTHLOG_*` environment < flags.
"""

from __future__ import annotations

import argparse
import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import tzinfo
from pathlib import Path
from typing import Any

from healthlog.base.errors import Refusal
from healthlog.setting_kinds import (
    Address,
    Kind,
    address,
    choice,
    count,
    folder,
    size,
    span,
    text,
    token,
    words,
    zone,
)

FILE_NAME = "healthlog.toml"
ENVIRONMENT_PREFIX = "HEALTHLOG_"
_FILE_MAX_BYTES = 1024 * 1024
_SHOWN_CHARACTERS = 60
_IF_NOT = "if not set, one is made, kept in tokens.json"
_RESERVED_TABLES = ("recordings", "telegram")


class BadSetting(Refusal):
    """A setting that cannot be used; one sentence names it, its source, what is allowed."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table: `default` is written as an owner would write it."""

    name: str
    kind: Kind
    default: str
    help: str
    secret: bool = False

    @property
    def environment(self) -> str:
        """Name of its environment variable."""
        return ENVIRONMENT_PREFIX + self.name.upper()

    @property
    def flag(self) -> str:
        """Name of its command-line flag."""
        return "--" + self.name.replace("_", "-")


TABLE: tuple[Setting, ...] = (
    Setting("listen", address(), "127.0.0.1:8787", "where to listen; port 0 takes a free one"),
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
    Setting("timezone", zone(), "UTC", "zone of local dates and times that come without offset"),
    Setting("source_order", words(50), "Watch,*,iPhone", "whose word counts first; * is any other"),
    Setting(
        "journal_mode",
        choice("wal", "delete"),
        "wal",
        "SQLite's journal; delete is slower, never affected by SQLite's WAL-reset fault",
    ),
)
_BY_NAME = {setting.name: setting for setting in TABLE}


@dataclass(frozen=True, slots=True)
class Settings:
    """The values in force; sizes in bytes, spans in seconds, tokens None when not set."""

    listen: Address
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
    timezone: tzinfo
    source_order: tuple[str, ...]
    journal_mode: str


@dataclass(frozen=True, slots=True)
class Row:
    """A setting in words, for documents and for showing what is in force."""

    name: str
    value: str
    default: str
    allowed: str
    environment: str
    flag: str
    help: str


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
    arguments: dict[str, Any] = values
    return Settings(**arguments)


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
    for setting in TABLE:
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
    return {name: value for name, value in vars(namespace).items() if name in _BY_NAME}


def rows(values: Settings | None = None) -> list[Row]:
    """The table in words, with the values in force (else the defaults); secrets masked."""
    shown = _shown(values)
    return [
        Row(s.name, shown[s.name], s.default, s.kind.allowed, s.environment, s.flag, s.help)
        for s in TABLE
    ]


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
    for name, value in _toml(path).items():
        if name in _RESERVED_TABLES:
            _refuse_unless_empty(name, value, path)
        elif name not in _BY_NAME:
            raise _unknown(name, f"in file {path}", list(_BY_NAME))
        elif name == "data" and config_file is None:
            raise BadSetting(
                f"data can't be set in file {path}, which was found by it:"
                " allowed are --data, HEALTHLOG_DATA, or a file named by --config"
            )
        else:
            given[name] = _Given(value, f"file {path}")
    return given


def _toml(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            data = file.read(_FILE_MAX_BYTES + 1)
    except OSError as error:
        raise BadSetting(f"config file {path} can't be read: {error.strerror}") from error
    if len(data) > _FILE_MAX_BYTES:
        raise BadSetting(f"config file {path} is too long: at most 1 MiB is allowed")
    try:
        return tomllib.loads(data.decode())
    except UnicodeDecodeError:
        raise BadSetting(f"config file {path} is not UTF-8 text, as TOML must be") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadSetting(f"config file {path} is not TOML: {error}") from None


def _refuse_unless_empty(name: str, value: object, path: Path) -> None:
    if value != {}:
        raise BadSetting(
            f"[{name}] in file {path} is not in this version:"
            " only an empty table of that name is allowed"
        )


def _value(setting: Setting, given: _Given | None) -> object:
    if given is None:
        return setting.kind.read(setting.default) if setting.default else None
    try:
        kind = setting.kind
        return kind.read(text(given.value, numbers=kind.numeric, lists=kind.listed))
    except ValueError as error:
        shown = "" if setting.secret else f" {ascii(given.value)[:_SHOWN_CHARACTERS]}"
        raise BadSetting(
            f"{setting.name}{shown} ({given.origin}) {error}: allowed is {setting.kind.allowed}"
        ) from None


def _shown(values: Settings | None) -> dict[str, str]:
    if values is None:
        return {s.name: "not set" if s.secret else s.default for s in TABLE}
    given = {f.name: getattr(values, f.name) for f in fields(values)}
    return {
        s.name: ("not set" if given[s.name] is None else "set")
        if s.secret
        else s.kind.show(given[s.name])
        for s in TABLE
    }


def _unknown(name: str, where: str, known: list[str]) -> BadSetting:
    # Guessed without the prefix, which would make everything look alike.
    by_end = {one.removeprefix(ENVIRONMENT_PREFIX): one for one in known}
    near = difflib.get_close_matches(name.removeprefix(ENVIRONMENT_PREFIX), by_end, n=1)
    allowed = f"did you mean {by_end[near[0]]}" if near else f"known are {', '.join(known)}"
    return BadSetting(f"unknown setting {ascii(name)[1:-1][:_SHOWN_CHARACTERS]} {where}: {allowed}")
