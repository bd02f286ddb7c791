"""The settings of the recordings: the table `[recordings]` with those inside of it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any
from urllib.parse import urlsplit

from healthlog.setting import Setting
from healthlog.setting_kinds import Kind, choice, count, size, span

TABLE = "recordings"

_LINE = re.compile(r"[!-~]{1,500}")
# No query, no fragment: neither belongs there, and the first often holds a secret.
_ADDRESS = re.compile(r"[!$-;=@-\[\]-~]{1,500}")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}", re.ASCII)


def _row(name: str, kind: Kind, default: str, told: str, *, secret: bool = False) -> Setting:
    return Setting(f"{TABLE}_{name}", kind, default, told, secret=secret, table=TABLE)


def language() -> Kind:
    """A language by its code, as a str."""

    def read(given: str) -> str:
        if _LANGUAGE.fullmatch(given) is None:
            raise ValueError("is no code of a language")
        return given

    return Kind("CODE", "the code of a language, such as en, ru or ru-RU", read)


def server() -> Kind:
    """The address of a server, as a str."""

    def read(given: str) -> str:
        try:
            parts = urlsplit(given)
            port = parts.port
        except ValueError:
            raise ValueError("has a port that can't be") from None
        if parts.scheme not in {"http", "https"} or not parts.hostname or port == 0:
            raise ValueError("is no address of a server")
        if _ADDRESS.fullmatch(given) is None or "@" in parts.netloc:
            raise ValueError("has more in it than an address")
        return given.rstrip("/")

    return Kind("URL", "an address such as https://example.org or http://127.0.0.1:8000/v1", read)


def line() -> Kind:
    """A text of one line without blanks, as a str."""

    def read(given: str) -> str:
        if _LINE.fullmatch(given) is None:
            raise ValueError("is no such text")
        return given

    return Kind("TEXT", "1 to 500 visible characters of ASCII without blanks", read)


def command() -> Kind:
    """A program with its arguments, as a tuple."""
    allowed = "a program and its arguments: a list of texts, or one text as a shell reads it"
    return Kind("COMMAND", allowed, _command, show=shlex.join, joined=shlex.join)


def _command(given: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(given))
    except ValueError:
        raise ValueError("has a quote without an end") from None
    if not words or not words[0]:
        raise ValueError("names no program")
    if any("\0" in word for word in words):
        raise ValueError("holds what no argument can")
    return words


RECORDINGS: tuple[Setting, ...] = (
    _row("workers", count(0, 32), "1", "threads that work on recordings; 0 only takes them in"),
    _row("own_limit", span("1m", "720h"), "3600s", "longest time at a stage, waiting for own work"),
    _row(
        "foreign_limit", span("1m", "720h"), "86400s", "longest time at a stage, for a recogniser"
    ),
    _row("max_attempts", count(1, 100), "5", "failures in a row after which one is stopped"),
    _row("poll_delay", span("100ms", "1h"), "15s", "time between questions for a transcript"),
    _row("configuration_delay", span("1s", "24h"), "900s", "time to the next try, settings wrong"),
    _row("normalise_timeout", span("1s", "24h"), "900s", "time for making audio of one recording"),
    _row("max_body", size("1KiB", "64GiB"), "1GiB", "largest recording that is taken over HTTP"),
    _row("read_timeout", span("100ms", "24h"), "3600s", "time for one to come over HTTP"),
    _row("provider", choice("command", "openai", "yandex"), "command", "who makes text of them"),
    _row("language", language(), "", "language that is spoken; the recogniser's own if not set"),
    _row("command_argv", command(), "", "program that makes text; PocketSphinx if not set"),
    _row(
        "command_format",
        choice("auto", "text", "pocketsphinx", "whisper"),
        "auto",
        "what it prints, or writes to {out}",
    ),
    _row("command_timeout", span("1s", "720h"), "21600s", "time for one recording"),
    _row("command_parallel", count(1, 64), "1", "how many run at a time"),
    _row("openai_url", server(), "https://api.openai.com", "server that speaks OpenAI's HTTP"),
    _row("openai_key", line(), "", "its key; it counts as paid if there is one", secret=True),
    _row("openai_model", line(), "whisper-1", "model it is to use"),
    _row(
        "openai_format",
        choice("auto", "wav", "ogg"),
        "auto",
        "how audio is sent; auto packs only what is too long for OpenAI itself",
    ),
    _row("openai_timeout", span("10s", "24h"), "600s", "least time for its answer"),
    _row("openai_parallel", count(1, 16), "1", "how many calls at a time"),
    _row("yandex_key", line(), "", "API key of a service account", secret=True),
    _row("yandex_folder", line(), "", "folder, where the account has more than one"),
    _row("yandex_model", line(), "general", "model it is to use"),
    _row("yandex_url", server(), "https://stt.api.cloud.yandex.net", "where SpeechKit is"),
    _row(
        "yandex_operations_url",
        server(),
        "https://operation.api.cloud.yandex.net",
        "where its operations are",
    ),
)


@dataclass(frozen=True, slots=True)
class RecordingSettings:
    """The values in force; spans in seconds, sizes in bytes, None what isn't set."""

    workers: int
    own_limit: float
    foreign_limit: float
    max_attempts: int
    poll_delay: float
    configuration_delay: float
    normalise_timeout: float
    max_body: int
    read_timeout: float
    provider: str
    language: str | None
    command_argv: tuple[str, ...] | None
    command_format: str
    command_timeout: float
    command_parallel: int
    openai_url: str
    openai_key: str | None = field(repr=False)
    openai_model: str
    openai_format: str
    openai_timeout: float
    openai_parallel: int
    yandex_key: str | None = field(repr=False)
    yandex_folder: str | None
    yandex_model: str
    yandex_url: str
    yandex_operations_url: str


def recordings_of(values: Mapping[str, object]) -> RecordingSettings:
    """The values out of those of all settings."""
    arguments: dict[str, Any] = {one.short: values[one.name] for one in RECORDINGS}
    return RecordingSettings(**arguments)


def usual(given: RecordingSettings) -> bool:
    """Whether nothing has been set."""
    return given == recordings_of({one.name: one.usual for one in RECORDINGS})


def values_of(given: RecordingSettings) -> dict[str, object]:
    """The values by the names of the settings."""
    return {f"{TABLE}_{one.name}": getattr(given, one.name) for one in fields(given)}
