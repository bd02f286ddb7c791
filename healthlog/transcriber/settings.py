"""The settings of the recordings, with what can't work among them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from healthlog.base.errors import Refusal
from healthlog.transcriber.limits import Limits
from healthlog.transcriber.providers.command import Command
from healthlog.transcriber.providers.openai_settings import OpenAi
from healthlog.transcriber.providers.yandex_settings import DEFERRED, Yandex
from healthlog.transcriber.stages import WORKING
from healthlog.transcriber.steps.chain import Chain

_DEFERRED_LEAST_S = 25 * 3600.0
_TABLES: Mapping[str, Any] = {"command": Command, "openai": OpenAi, "yandex": Yandex}
# Where a value is called otherwise in the program: by a word that isn't taken, or with its unit.
_FIELDS = {"format": "form", "timeout": "timeout_s"}


class CannotWork(Refusal):
    """Settings that contradict each other, or what the program can do; the message names them."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The table `[recordings]`; spans in seconds, sizes in bytes, `language` "" when none is
    set. `max_body` and `read_timeout` are those of one upload."""

    workers: int = 1
    own_limit: float = 3600.0
    foreign_limit: float = 24 * 3600.0
    max_attempts: int = 5
    poll_delay: float = 15.0
    configuration_delay: float = 900.0
    normalise_timeout: float = 900.0
    provider: str = "command"
    language: str = ""
    max_body: int = 1024**3
    read_timeout: float = 3600.0
    command: Command = field(default_factory=Command)
    openai: OpenAi = field(default_factory=OpenAi)
    yandex: Yandex = field(default_factory=Yandex)

    @property
    def limits(self) -> Limits:
        return Limits(
            own_s=self.own_limit,
            foreign_s=self.foreign_limit,
            max_attempts=self.max_attempts,
            configuration_delay_s=self.configuration_delay,
        )


def settings_of(values: Mapping[str, Any]) -> Settings:
    """The settings out of their values by name; those of a table inside of the table carry its name
    before theirs (`command_argv`). None is one that isn't set."""
    given = {name: value for name, value in values.items() if value is not None}
    inner: dict[str, dict[str, Any]] = {table: {} for table in _TABLES}
    for name in list(given):
        table, _, short = name.partition("_")
        if table in inner:
            inner[table][_FIELDS.get(short, short)] = given.pop(name)
    return Settings(**given, **{table: kind(**inner[table]) for table, kind in _TABLES.items()})


def check(settings: Settings, chain: Chain) -> None:
    """CannotWork, before anything is begun."""
    for stage in WORKING:
        step = chain.step_from(stage)
        if step.timeout_s > stage.lease_s:
            raise CannotWork(
                f"{step.bounded_by}: the step {stage.step} could take {step.timeout_s:g} s,"
                f" but a claim at its stage lasts {stage.lease_s:g} s"
            )
    _shorter("configuration_delay", settings.configuration_delay, "own_limit", settings.own_limit)
    _shorter("poll_delay", settings.poll_delay, "foreign_limit", settings.foreign_limit)
    if settings.provider == "command":
        timeout_s = settings.command.timeout_s
        _shorter("command_timeout", timeout_s, "foreign_limit", settings.foreign_limit)
    if settings.provider == "openai":
        timeout_s = settings.openai.timeout_s
        _shorter("openai_timeout", timeout_s, "foreign_limit", settings.foreign_limit)
    deferred = settings.provider == "yandex" and settings.yandex.model.startswith(DEFERRED)
    if deferred and settings.foreign_limit < _DEFERRED_LEAST_S:
        raise CannotWork(
            f"recordings_yandex_model {settings.yandex.model} may take a day:"
            " recordings_foreign_limit must be 25h at least"
        )


def _shorter(name: str, value_s: float, limit: str, limit_s: float) -> None:
    """What isn't through within a limit would always be stopped by it."""
    if value_s >= limit_s:
        raise CannotWork(
            f"recordings_{name} {value_s:g}s must be shorter than recordings_{limit} {limit_s:g}s"
        )
