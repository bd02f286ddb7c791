"""Operations on this machine: their turn, their process, their end, whatever crashes."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from healthlog.base.clock import SystemClock
from healthlog.transcriber.cancel import Cancel
from healthlog.transcriber.failures import Configuration, Ended, Verdict
from healthlog.transcriber.places import Places
from healthlog.transcriber.providers import runner
from healthlog.transcriber.providers.base import Job, NotYet
from healthlog.transcriber.providers.command import Command, CommandProvider
from healthlog.transcriber.providers.spool import Kind, Spool
from healthlog.transcriber.transcript import Transcript
from tests.support import killed
from tests.support.ending import Watched
from tests.support.patience import PATIENCE_S, looked_for

LINES = "quick brown fox"


@dataclass
class Shop:
    """Spools over one folder, each standing for a process of the service."""

    data: Path
    made: list[Spool] = field(default_factory=list)

    def spool(self, **kind: object) -> Spool:
        given = Kind(**kind)  # type: ignore[arg-type]
        self.made.append(Spool(self.root, self.data, given, SystemClock()))
        return self.made[-1]

    @property
    def root(self) -> Path:
        return self.data / "audio" / "work" / "operations"

    def close(self) -> None:
        for spool in self.made:
            spool._kind = Kind()
            spool.stop(5.0)


@pytest.fixture
def shop(data: Path) -> Iterator[Shop]:
    made = Shop(data)
    try:
        yield made
    finally:
        made.close()


def request(script: str, *, timeout_s: float = 60.0) -> dict[str, object]:
    """A program of a few words of shell."""
    return {"argv": ["sh", "-c", script], "timeout_s": timeout_s, "setting": "the.setting"}


def behind(gate: Path) -> str:
    """A program that goes on once the gate is there."""
    return f"while [ ! -e {gate} ]; do sleep 0.01; done"


def ended(spool: Spool, key: str) -> Path:
    """The folder of an operation, once it has come to its end."""

    def look() -> Path | None:
        found = spool.poll(key)
        return found if isinstance(found, Path) else None

    return looked_for(look)


def running(folder: Path) -> Watched:
    """The process of an operation, once it has told its number."""
    return Watched(int(told(folder / "started")))


def told(path: Path) -> str:
    return looked_for(lambda: (path.read_text() if path.exists() else "").strip() or None)


@pytest.mark.scenario("recordings", "Program's operation is found again by its key")
def test_an_operation_runs_once_and_is_found_again(shop: Shop) -> None:
    spool = shop.spool()
    assert not spool.holds("a.1")
    assert spool.begin("a.1", request(f"echo run >> ran; echo {LINES}")) == "a.1"
    assert spool.holds("a.1")
    folder = ended(spool, "a.1")
    assert (folder / "printed").read_text() == f"{LINES}\n"
    assert spool.begin("a.1", request("echo another")) == "a.1"
    assert ended(shop.spool(), "a.1") == folder
    assert (folder / "ran").read_text() == "run\n"


@pytest.mark.scenario("recordings", "Programs wait for their turn")
def test_programs_wait_for_their_turn(shop: Shop) -> None:
    spool = shop.spool(parallel=1)
    gate = shop.data / "gate"
    spool.begin("b.1", request(behind(gate)))
    spool.begin("c.1", request("true"))
    spool.begin("a.1", request("true"))
    told(shop.root / "b.1" / "started")
    assert [spool.poll(key) for key in ("b.1", "c.1", "a.1")] == [NotYet()] * 3
    assert not (shop.root / "a.1" / "started").exists()
    assert not (shop.root / "c.1" / "started").exists()
    gate.touch()
    ended(spool, "b.1")
    ended(spool, "a.1")
    assert (shop.root / "a.1" / "started").exists(), "the oldest recording first"
    ended(spool, "c.1")


@pytest.mark.scenario("recordings", "Program outlives a service that was killed")
def test_a_program_outlives_the_service(shop: Shop) -> None:
    gate = shop.data / "gate"
    shop.spool().begin("a.1", request(f"{behind(gate)}; echo {LINES}"))
    told(shop.root / "a.1" / "started")
    # Another process of the service, which knows only what is on the disk.
    later = shop.spool()
    assert later.poll("a.1") == NotYet()
    gate.touch()
    assert (ended(later, "a.1") / "printed").read_text() == f"{LINES}\n"


@pytest.mark.scenario("recordings", "Program that was killed is no program at work")
def test_a_program_that_was_killed(shop: Shop) -> None:
    spool = shop.spool()
    spool.begin("a.1", request("sleep 60"))
    watched = running(shop.root / "a.1")
    os.killpg(watched.pid, signal.SIGKILL)
    assert watched.has_ended()
    error = failure(spool, "a.1")
    assert (str(error), error.charged, error.cut) == (
        "its process ended without a result", True, False,
    )  # fmt: skip
    with pytest.raises(Ended):
        shop.spool().poll("a.1")


def failure(spool: Spool, key: str) -> Ended:
    with pytest.raises(Ended) as raised:
        ended(spool, key)
    return raised.value


@pytest.mark.parametrize(
    ("script", "timeout_s", "message"),
    [("exit 7", 60, "the program ended with status 7"),
     ("sleep 60 & sleep 60", 0.2, "the program took longer than 0.2 s")],
)  # fmt: skip
def test_a_program_that_fails(shop: Shop, script: str, timeout_s: float, message: str) -> None:
    spool = shop.spool()
    spool.begin("a.1", request(script, timeout_s=timeout_s))
    error = failure(spool, "a.1")
    assert (str(error), error.charged) == (message, False)


def test_a_program_that_is_not_there_any_more(shop: Shop) -> None:
    spool = shop.spool()
    spool.begin("a.1", {"argv": ["/not/there"], "timeout_s": 1, "setting": "the.setting"})
    cause = failure(spool, "a.1").cause
    assert isinstance(cause, Configuration)
    assert str(cause) == ("the.setting: the program can't be started: No such file or directory")


def test_an_operation_that_is_gone(shop: Shop) -> None:
    error = failure(shop.spool(), "a.1")
    assert (str(error), error.charged) == ("the operation is not there any more", True)


def test_a_result_may_be_a_verdict(shop: Shop) -> None:
    spool = shop.spool()
    spool.begin("a.1", request("true"))
    folder = ended(spool, "a.1")
    (folder / "result.json").write_text(json.dumps({"outcome": "verdict", "message": "too long"}))
    with pytest.raises(Verdict, match="too long"):
        spool.poll("a.1")
    retry = {"outcome": "retry", "message": "busy", "retry_after_s": 30, "charged": True}
    (folder / "result.json").write_text(json.dumps(retry))
    error = failure(spool, "a.1")
    assert error.charged
    assert getattr(error.cause, "retry_after_s", 0) == 30


@pytest.mark.scenario("recordings", "Program ends with the service and begins anew")
def test_a_program_ends_with_the_service(shop: Shop) -> None:
    spool = shop.spool()
    pids = shop.data / "pids"
    script = f"[ -e {pids} ] && echo {LINES} && exit; sleep 60 & echo $$ $! > {pids}; wait"
    spool.begin("a.1", request(script))
    spool.begin("b.1", request("true"))
    told(pids)
    watched = [Watched(int(pid)) for pid in (*told(pids).split(), told(shop.root / "a.1/started"))]
    spool.stop(5.0)
    assert all(one.has_ended() for one in watched), "with all that it started"
    assert spool.poll("a.1") == NotYet()
    assert not (shop.root / "b.1" / "started").exists(), "nothing new is begun during a stop"
    later = shop.spool()
    assert (ended(later, "a.1") / "printed").read_text() == f"{LINES}\n"


def test_a_stop_that_comes_while_a_program_is_started_ends_it(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alive, held = os.pipe()
    begin = subprocess.Popen

    def asked_at_once(*arguments: Any, **options: Any) -> Any:
        """It is running, and nobody knows its number yet."""
        process = begin(*arguments, **options, pass_fds=(held,))
        os.kill(os.getpid(), signal.SIGTERM)
        return process

    monkeypatch.setattr(subprocess, "Popen", asked_at_once)
    asked = {"argv": ["sleep", "600"], "timeout_s": 600.0, "setting": "the.setting"}
    assert killed.ended(lambda: runner.run_program(data, asked)) == runner._CUT
    os.close(held)
    ready, _, _ = select.select([alive], [], [], PATIENCE_S)
    os.close(alive)
    assert ready, "it lives on"


@pytest.mark.scenario("recordings", "Paid program is awaited, then cut and marked")
def test_a_paid_program_is_awaited_then_cut(shop: Shop) -> None:
    spool = shop.spool(paid=True, parallel=2)
    spool.begin("a.1", request("sleep 60"))
    spool.begin("b.1", request("sleep 0.1"))
    watched = running(shop.root / "a.1")
    told(shop.root / "b.1" / "started")
    spool.stop(3.0)
    assert watched.has_ended()
    assert isinstance(spool.poll("b.1"), Path)
    error = failure(shop.spool(paid=True), "a.1")
    assert (error.charged, error.cut) == (True, True)


def test_an_operation_is_removed_whatever_it_is_at(shop: Shop) -> None:
    spool = shop.spool()
    spool.begin("a.1", request("sleep 60"))
    spool.begin("b.1", request("true"))
    watched = running(shop.root / "a.1")
    spool.remove("b.1")
    spool.remove("a.1")
    spool.remove("a.1")
    assert watched.has_ended()
    assert list(shop.root.iterdir()) == []


def test_half_an_operation_is_none(shop: Shop) -> None:
    (shop.root / "a.1.new").mkdir(parents=True)
    spool = shop.spool()
    spool.begin("b.1", request("true"))
    assert not spool.holds("a.1")
    assert [path.name for path in shop.root.iterdir()] == ["b.1"]
    ended(spool, "b.1")


def test_a_process_that_can_not_begin_is_not_begun_for_ever(shop: Shop) -> None:
    spool = shop.spool(module="healthlog.transcriber.nothing")
    spool.begin("a.1", request("true"))
    assert str(failure(spool, "a.1")) == "its process ended without a result"


# The recogniser on top of it


@pytest.fixture
def provider(data: Path) -> Iterator[Callable[..., CommandProvider]]:
    made: list[CommandProvider] = []

    def make(*argv: str, form: str = "auto", language: str | None = None) -> CommandProvider:
        made.append(
            CommandProvider(
                Command(argv=argv, form=form),
                places=Places(data),
                language=language,
                clock=SystemClock(),
            )
        )
        return made[-1]

    yield make
    for one in made:
        one.stop(5.0)


def answer(provider: CommandProvider, job: Job) -> Transcript:
    operation = provider.submit(job, Cancel())

    def look() -> Transcript | None:
        found = provider.poll(operation, job.parameters, Cancel())
        return found if isinstance(found, Transcript) else None

    return looked_for(look)


def job(provider: CommandProvider, data: Path) -> Job:
    return Job("a.1", data / "a.wav", 1000, provider.parameters())


def test_a_program_may_print_or_write(provider: Callable[..., CommandProvider], data: Path) -> None:
    printing = provider("sh", "-c", 'echo "$0 $1"', "{wav}", "{language}", language="de")
    assert answer(printing, job(printing, data)) == Transcript(f"{data}/a.wav de", language="de")
    printing.forget("a.1")
    assert printing.find("a.1") is None
    told = json.dumps({"transcription": [{"offsets": {"from": 0, "to": 9}, "text": " ja"}]})
    writing = provider("sh", "-c", f"echo noise; echo '{told}' > $0.json", "{out}")
    assert answer(writing, job(writing, data)).text == "ja"
    assert writing.find("a.1") == "a.1"
    assert (writing.name, writing.paid) == ("command", False)


def test_a_program_that_prints_another_form(
    provider: Callable[..., CommandProvider], data: Path
) -> None:
    wrong = provider("echo", "no json", form="whisper")
    with pytest.raises(Ended) as raised:
        answer(wrong, job(wrong, data))
    assert isinstance(raised.value.cause, Configuration)
    assert raised.value.cause.setting == "recordings_command_format"


@pytest.mark.scenario("recordings", "Missing recogniser is its owner's to put right")
def test_a_program_that_is_missing(provider: Callable[..., CommandProvider], data: Path) -> None:
    absent = provider("no-such-recogniser", "{wav}")
    assert absent.missing() == (
        "The program no-such-recogniser can't be found: recordings wait until it is installed.",
    )
    with pytest.raises(Configuration, match=r"^recordings_command_argv: "):
        absent.submit(job(absent, data), Cancel())
    assert provider(sys.executable).missing() == ()
