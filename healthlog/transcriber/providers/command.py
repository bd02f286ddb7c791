"""The recogniser that is a program of this machine: PocketSphinx, unless another is set."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from healthlog.base.clock import Clock
from healthlog.transcriber.cancel import Cancel
from healthlog.transcriber.failures import Configuration, Ended, Retry
from healthlog.transcriber.places import Places
from healthlog.transcriber.providers import runner
from healthlog.transcriber.providers.base import Job, NotYet, Parameters
from healthlog.transcriber.providers.heard import AUTO, NotHeard, heard
from healthlog.transcriber.providers.spool import Kind, Spool
from healthlog.transcriber.transcript import Transcript

NAME = "command"
ARGV = "recordings_command_argv"

POCKETSPHINX: tuple[tuple[str, ...], ...] = (
    ("pocketsphinx_continuous", "-infile", "{wav}", "-time", "yes", "-logfn", "/dev/null"),
    ("pocketsphinx", "-loglevel", "FATAL", "live", "{wav}"),
)
"""How it is called: as Debian 12 has it, and in its version 5. It brings English along."""

_PLACEHOLDER = re.compile(r"\{(wav|out|language)\}")
_OUTPUTS = ("out.json", "out.txt", "out")
_CALL_TIMEOUT_S = 60.0
_LARGEST_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Command:
    """`argv` of the program, empty: PocketSphinx; `{wav}`, `{out}`, `{language}` in it stand for
    the audio, for the path without an ending where it may write, for the language. `form` is what
    it prints, or writes there; `parallel` programs run at a time, each for `timeout_s` at most."""

    argv: tuple[str, ...] = ()
    form: str = AUTO
    timeout_s: float = 6 * 3600.0
    parallel: int = 1


class CommandProvider:
    """Implements `Provider` on the spool."""

    def __init__(
        self, command: Command, *, places: Places, language: str | None, clock: Clock
    ) -> None:
        self._command = command
        self._places = places
        self._language = language
        self._spool = Spool(places.operations, places.data, Kind(parallel=command.parallel), clock)

    @property
    def name(self) -> str:
        return NAME

    @property
    def paid(self) -> bool:
        return False

    @property
    def timeout_s(self) -> float:
        """Only the spool is asked, not the program."""
        return _CALL_TIMEOUT_S

    @property
    def ask_timeout_s(self) -> float:
        return _CALL_TIMEOUT_S

    @property
    def bounded_by(self) -> str:
        return ""

    def parameters(self) -> Parameters:
        said = {"program": self._argv()[0], "form": self._command.form}
        return said if self._language is None else {**said, "language": self._language}

    def missing(self) -> tuple[str, ...]:
        program = self._argv()[0]
        if shutil.which(program) is not None:
            return ()
        return (f"The program {program} can't be found: recordings wait until it is installed.",)

    def submit(self, job: Job, cancel: Cancel) -> str:
        argv = self._argv()
        if shutil.which(argv[0]) is None:
            raise Configuration(ARGV, f"the program {argv[0]} can't be found")
        folder = self._places.operations.absolute() / job.key
        language = job.parameters.get("language", "")
        values = {
            "wav": str(job.audio.absolute()),
            "out": str(folder / "out"),
            "language": language,
        }
        filled = filled_in(argv, values)
        request = {"argv": filled, "timeout_s": self._command.timeout_s, "setting": ARGV}
        return self._spool.begin(job.key, request)

    def find(self, key: str) -> str | None:
        return key if self._spool.holds(key) else None

    def poll(self, operation: str, parameters: Parameters, cancel: Cancel) -> NotYet | Transcript:
        found = self._spool.poll(operation)
        if isinstance(found, NotYet):
            return found
        form, language = parameters.get("form", AUTO), parameters.get("language")
        try:
            return heard(_output(found), form, language)
        except NotHeard as error:
            raise Ended(Configuration("recordings_command_format", str(error))) from None

    def forget(self, operation: str) -> None:
        self._spool.remove(operation)

    def stop(self, budget_s: float) -> None:
        self._spool.stop(budget_s)

    def _argv(self) -> Sequence[str]:
        if self._command.argv:
            return self._command.argv
        there = (argv for argv in POCKETSPHINX if shutil.which(argv[0]) is not None)
        return next(there, POCKETSPHINX[0])


def filled_in(argv: Sequence[str], values: Mapping[str, str]) -> list[str]:
    """The words of a command with each `{name}` replaced that is in `values`; what a value holds is
    not looked at again."""
    return [_PLACEHOLDER.sub(lambda m: values.get(m[1], m[0]), word) for word in argv]


def _output(folder: Path) -> str:
    """What the program wrote where it was told to, else what it printed."""
    written = (folder / name for name in _OUTPUTS if (folder / name).is_file())
    path = next(written, folder / runner.PRINTED)
    if path.stat().st_size > _LARGEST_BYTES:
        raise Ended(Retry("the program printed more than a transcript can have"))
    return path.read_text(encoding="utf-8", errors="replace")
