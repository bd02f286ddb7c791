"""Those who use a service over many lives of it: senders, readers, somebody who holds locks."""

from __future__ import annotations

import hashlib
import http.client
import json
import random
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty

from tests.support.patience import PATIENCE_S
from tests.support.phone import Automation, Push
from tests.support.process import INGEST, READ, Child

REFUSED = {503, 507}
ANSWERED = {200, 404, 410, 503}
ADDRESSES = (
    "/healthz",
    "/stats",
    "/api/v1/metrics",
    "/api/v1/points?metric=heart_rate&layer=minute&limit=500",
    "/api/v1/points?metric=step_count&layer=day",
    "/api/v1/series?metric=step_count&bucket=day&from=2026-05-01&to=2026-06-01",
    "/api/v1/series?metric=heart_rate&bucket=hour&from=2026-05-03&to=2026-05-06",
    "/api/v1/days/2026-05-04",
    "/api/v1/records?kind=workout",
    "/api/v1/records?kind=sleep&limit=20",
    "/api/v1/why?metric=step_count&layer=day&at=2026-05-04",
    "/api/v1/deliveries?limit=50",
    "/api/v1/deliveries?status=pending",
    "/api/v1/changes",
)
UNWANTED = {"request failed", "thread died", "delivery failed", "connection failed",
            "answer broke off", "journal damaged", "disk failed"}  # fmt: skip
"""Lines that no kill and no lock may lead to."""


@dataclass(slots=True)
class Ledger:
    """What was sent, what was answered 200 (id to checksum), what must not have happened."""

    sent: int = 0
    refused: int = 0
    read: int = 0
    answered: dict[str, str] = field(default_factory=dict)
    wrong: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, push: Push, status: int, text: bytes) -> None:
        """The answer to a delivery; status 0 if there was none."""
        sha256 = hashlib.sha256(push.body).hexdigest()
        with self.lock:
            self.sent += 1
            if status == 200:
                answer = json.loads(text)
                self.answered[answer["delivery_id"]] = answer["sha256"]
                self.wrong["another checksum was answered"] += answer["sha256"] != sha256
            elif status in REFUSED:
                self.refused += 1
            elif status:
                self.wrong[f"POST answered {status}"] += 1

    def note_read(self, path: str, status: int) -> None:
        with self.lock:
            self.read += status in ANSWERED
            if status and status not in ANSWERED:
                self.wrong[f"{path} answered {status}"] += 1


class Stage:
    """The service of the moment: lives come and go, everybody works with the one that is there."""

    def __init__(self, data: Path, ledger: Ledger, seed: int) -> None:
        self.data = data
        self.ledger = ledger
        self.over = threading.Event()
        self._seed = seed
        self._port: int | None = None
        self._ended = False
        self._changed = threading.Condition()

    def dice(self, name: str) -> random.Random:
        return random.Random(f"{self._seed}/{name}")

    @contextmanager
    def life(self) -> Iterator[Child]:
        """A service that is being started. The log is followed by a thread."""
        self._set_port(None)
        child = Child(self.data)
        follower = threading.Thread(target=self._follow, args=(child,), daemon=True)
        follower.start()
        try:
            yield child
        finally:
            self._set_port(None)
            child.process.kill()
            child.process.wait(PATIENCE_S)
            follower.join(PATIENCE_S)
            child.close()

    def is_open(self) -> bool:
        """Whether the door of the life of the moment opens, in time and before its end."""
        with self._changed:
            self._changed.wait_for(lambda: self._port or self._ended, PATIENCE_S)
            return self._port is not None

    def end(self) -> None:
        """Nobody is to begin anything any more."""
        self.over.set()
        with self._changed:
            self._changed.notify_all()

    def ask(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, bytes]
    ) -> tuple[int, bytes] | None:
        """Status and answer, status 0 where a life ended before it was there; None if there was
        nobody to ask any more."""
        with self._changed:
            self._changed.wait_for(lambda: self._port or self.over.is_set(), PATIENCE_S)
            port = self._port
        if port is None:
            return None
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        try:
            connection.request(method, path, body, dict(headers))
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException):
            return 0, b""
        finally:
            connection.close()

    def _follow(self, child: Child) -> None:
        while True:
            try:
                line = child.following()
            except Empty:
                continue
            if line is None:
                self._set_port(None, ended=True)
                return
            if line["msg"] == "service started":
                self._set_port(child.port)
            if line["msg"] in UNWANTED:
                with self.ledger.lock:
                    self.ledger.wrong[f"{line['msg']}: {line.get('error')}"] += 1

    def _set_port(self, port: int | None, *, ended: bool = False) -> None:
        with self._changed:
            self._port, self._ended = port, ended
            self._changed.notify_all()


def send(stage: Stage, number: int, per_second: float) -> None:
    """An automation that pushes until it is over, in bursts with pauses between them."""
    dice, automation = stage.dice(f"sender {number}"), Automation(number, number // 6)
    while not stage.over.is_set():
        push = automation.push()
        headers = {name: value.encode() for name, value in push.headers.items()}
        headers["Authorization"] = f"Bearer {INGEST}".encode()
        answer = stage.ask("POST", "/ingest", push.body, headers)
        if answer is not None:
            stage.ledger.note(push, *answer)
        if dice.random() < 0.5:
            stage.over.wait(dice.expovariate(per_second / 2))


def read(stage: Stage, number: int) -> None:
    """Somebody who looks at everything."""
    dice, token = stage.dice(f"reader {number}"), {"Authorization": f"Bearer {READ}".encode()}
    while not stage.over.is_set():
        path = dice.choice(ADDRESSES)
        answer = stage.ask("GET", path, None, token)
        if answer is not None:
            stage.ledger.note_read(path, answer[0])
        stage.over.wait(dice.expovariate(20))


def hold_locks(stage: Stage) -> None:
    """Somebody who locks the databases for longer than anybody waits, or reads for long."""
    dice = stage.dice("outsider")
    while not stage.over.wait(dice.expovariate(1)):
        path = stage.data / dice.choice(("journal.db", "mart.db"))
        begin = dice.choice(("BEGIN IMMEDIATE", "BEGIN EXCLUSIVE", "BEGIN"))
        try:
            with closing(sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True, timeout=0,
                                         isolation_level=None)) as connection:  # fmt: skip
                connection.execute(begin)
                connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
                stage.over.wait(dice.choice((0.05, 0.3, 1.0, 2.5)))
        except sqlite3.Error:  # there is no file yet, or somebody else has the lock
            continue
