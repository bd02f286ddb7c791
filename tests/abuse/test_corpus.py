"""One journal of everything there is, folded in many orders: always the mart of a rebuild."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pytest

from healthlog import planning
from healthlog.base.clock import parse_us
from healthlog.base.db import Database
from healthlog.base.errors import Refusal
from healthlog.fold import Folder
from healthlog.layer import LAYERS
from healthlog.mart.digest import Digest, digest
from healthlog.mart.remembered import Remembered
from healthlog.model import Delivery
from healthlog.planning import Overdue, Plan
from healthlog.prefix import Prefix
from healthlog.records.record import KINDS
from tests import test_law, test_law_records
from tests.support import apple, history, record_history
from tests.support.clock import FakeClock
from tests.support.engine import Engine, open_engine
from tests.support.folding import CASES, MemoryMart, no_check, overdue_after

pytestmark = pytest.mark.slow

T = TypeVar("T")

SEED = 20_261_201
OF_RECORDS = 25
"""So many bodies of a history of records: they take the longest."""

IN_FILES = 10
"""Of so many orders one is folded in a file, by processes that die with a transaction open."""

# When the histories can be believed, and before some of what they speak of is over.
BEGIN_US = parse_us("2026-10-24T22:00:00Z")

Posted = tuple[bytes, dict[str, Any]]
Planned = tuple[Delivery, Plan]
Dump = dict[str, list[Any]]


@dataclass(frozen=True, slots=True)
class Corpus:
    """What of a journal can be folded, with what a rebuild makes of it."""

    bodies: int
    planned: list[Planned]
    digest: Digest
    dump: Dump


@pytest.fixture
def engine(data: Path) -> Iterator[Engine]:
    with open_engine(data, FakeClock(wall_us=BEGIN_US)) as opened:
        yield opened


def test_the_corpus_ends_in_one_mart_that_is_a_rebuild(
    engine: Engine, new: Path, tmp_path: Path, rounds: int
) -> None:
    corpus = _corpus(engine, new)
    orders, broken, killed = rounds * 2, 0, 0
    for number in range(orders):
        order = Order(corpus.planned, random.Random(SEED + number))
        if number % IN_FILES:
            found, digested = _in_memory(order, number)
        else:
            dying = DyingMart(tmp_path / f"{number}.db")
            order.fold_all(partial(Folder, dying, FakeClock()))
            found, digested = dying.read(dump), dying.read(digest)
            dying.close()
            killed += dying.deaths
        broken += order.broken
        assert digested == corpus.digest, f"order {number}"
        assert found == corpus.dump, f"order {number}"
    print(
        f"\n{orders} orders of {len(corpus.planned)} deliveries ({corpus.bodies} bodies):"
        f" one digest over {corpus.digest.points} points, {corpus.digest.records} records;"
        f" {broken} folds broken off, {killed} of them by a death of their process"
    )
    assert broken > orders * 10
    assert killed > orders // IN_FILES


def _in_memory(order: Order, number: int) -> tuple[Dump, Digest]:
    """What one process makes of it that remembers more or less, and may write late by whose word
    all stands."""
    mart = MemoryMart()
    remembered = Remembered(late=number % 2 == 1, most_rows=(100, 50_000)[number // 2 % 2])
    folder = Folder(mart, FakeClock(), remembered=remembered)
    order.fold_all(lambda: folder)
    folder.settle()
    with closing(mart.connection) as connection:
        return dump(connection), digest(connection)


def dump(connection: sqlite3.Connection) -> Dump:
    """Everything derived, of points and of records."""
    of_records = test_law_records.dump(connection)
    return test_law.dump(connection) | {
        f"{name} (records)": of_records[name] for name in of_records
    }


class Order:
    """One way to fold a corpus: shuffled, in slices, with repeats and breaks."""

    def __init__(self, planned: Sequence[Planned], chance: random.Random) -> None:
        self._left = chance.sample(planned, len(planned))
        self._chance = chance
        self.broken = 0

    def fold_all(self, folder_of_process: Callable[[], Folder]) -> None:
        """Fold it; each slice is a process of its own, and what follows a break."""
        done: list[Planned] = []
        while self._left:
            length = self._chance.randint(1, 40)
            slice_, self._left = self._left[:length], self._left[length:]
            done += slice_
            again = self._chance.choices(done, k=3)
            folder = folder_of_process()
            for one, plan in (*slice_, *again):
                if self._chance.random() < 0.2 and self._breaks(folder, one, plan):
                    folder = folder_of_process()
                folder.fold(one, plan, no_check)

    def _breaks(self, folder: Folder, one: Delivery, plan: Plan) -> bool:
        check = overdue_after(self._chance.randrange(10))
        try:
            folder.fold(one, plan, check)
        except Overdue:
            self.broken += 1
            return True
        return False


class DyingMart:
    """A mart in a file. Whoever breaks off in a transaction leaves it as a killed process does:
    with what was written of it in the file, neither committed nor rolled back."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.deaths = 0
        with closing(sqlite3.connect(path)) as empty, closing(MemoryMart().connection) as schema:
            schema.backup(empty)
        self._connection = self._opened()

    def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return work(self._connection)

    def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            result = work(self._connection)
        except Overdue:
            self._die()
            raise
        self._connection.execute("COMMIT")
        return result

    def close(self) -> None:
        self._connection.close()

    def _opened(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, isolation_level=None)
        # So little is held that a transaction reaches the file before its end.
        connection.execute("PRAGMA cache_size = 5")
        connection.execute("PRAGMA synchronous = OFF")
        return connection

    def _die(self) -> None:
        """The files as they are now, which a fresh connection takes over."""
        self.deaths += 1
        journal = self._path.with_name(f"{self._path.name}-journal")
        self._path = self._path.with_name(f"{self._path.name}.{self.deaths}")
        left = journal.with_name(f"{self._path.name}-journal")
        was = Path(self._connection.execute("PRAGMA database_list").fetchone()[2])
        self._path.write_bytes(was.read_bytes())
        if journal.exists():
            left.write_bytes(journal.read_bytes())
        self._connection.close()
        was.unlink()
        self._connection = self._opened()


def _corpus(engine: Engine, new: Path) -> Corpus:
    bodies = _bodies(random.Random(SEED))
    chance = random.Random(SEED)
    sent = []
    for content, facts in chance.sample(bodies, len(bodies)):
        engine.clock.advance(chance.randrange(1_200))
        sent.append((engine.post(content, **facts), content))
    prefix = engine.stage().prefix
    found = [(one, _plan(one, content, prefix)) for one, content in chance.sample(sent, len(sent))]
    planned = [(one, plan) for one, plan in found if plan is not None]
    report = engine.replay().into(new)
    with closing(Database(new, clock=engine.clock, readonly=True)) as mart:
        corpus = Corpus(len(bodies), planned, mart.read(digest), mart.read(dump))
    outcome = report.outcome
    assert (outcome.folded, outcome.broken) == (len(planned), 0)
    assert outcome.malformed + outcome.layer_unknown == len(bodies) - len(planned) > 3
    least = (outcome.new, outcome.changed, outcome.same, outcome.outdated, outcome.rejected)
    assert min(least) > 10
    assert {line[1] for line in corpus.dump["series"]} == set(LAYERS)
    assert {line[0] for line in corpus.dump["records (records)"]} == set(KINDS)
    return corpus


def _plan(one: Delivery, content: bytes, prefix: Prefix) -> Plan | None:
    """With what the journal passes on, however much of it was worked out before."""
    try:
        heard = planning.hear(one, content, no_check)
        return planning.plan(heard, partial(prefix.inherited, one))
    except Refusal:
        return None


def _bodies(chance: random.Random) -> list[Posted]:
    return [*_cases(chance), *_points(), *_records(chance), *_exports()]


def _cases(chance: random.Random) -> Iterator[Posted]:
    """Each live, each imported."""
    for path in sorted(CASES.glob("*.json")):
        content = path.read_bytes()
        aggregation = chance.choice((None, "Days", "Minutes", "Hours", "Default"))
        yield content, {"aggregation": aggregation, "automation_id": chance.choice("ABCD")}
        yield content, _imported(parse_us("2026-06-01T00:00:00Z") + chance.randrange(10**12))


def _points() -> Iterator[Posted]:
    for one in history.history(SEED):
        told = one.delivery
        facts: dict[str, Any] = {
            "aggregation": told.aggregation,
            "automation_id": told.automation_id,
        }
        yield one.body, facts | (_imported(told.said_at_us) if told.imported else {})


def _records(chance: random.Random) -> Iterator[Posted]:
    for one in record_history.history(SEED)[:OF_RECORDS]:
        facts: dict[str, Any] = {"aggregation": "Minutes", "automation_id": chance.choice("AE")}
        if one.delivery.imported:
            facts |= _imported(BEGIN_US - chance.randrange(10**12))
        yield one.body, facts


def _exports() -> Iterator[Posted]:
    """An export, the same again, a later one that tells more of the same."""
    first = [
        apple.quantity("StepCount", "600"),
        apple.quantity("StepCount", "580", source="iPhone"),
        apple.quantity("HeartRate", "61", unit="count/min", end=apple.START),
        apple.category("SleepAnalysis", "HKCategoryValueSleepAnalysisAsleepCore"),
        apple.workout("Walking", apple.statistic("DistanceWalkingRunning", "km", sum="1.2")),
        apple.record("HKQuantityTypeIdentifierNews", "5"),
    ]
    more = [
        apple.quantity("StepCount", "600"),
        apple.quantity("StepCount", "600"),
        apple.category("SleepAnalysis", "HKCategoryValueSleepAnalysisAwake", start=apple.END),
        apple.workout("Walking", apple.statistic("HeartRate", "count/min", average="99")),
    ]
    times = ("2026-06-01T07:00:00Z", "2026-06-01T07:00:00Z", "2026-07-01T07:00:00Z")
    for inside, at in zip((first, first, [*first, *more]), times, strict=True):
        for chunk in apple.chunks(apple.export(*inside)):
            yield chunk.body, _imported(parse_us(at))


def _imported(said_at_us: int) -> dict[str, Any]:
    return {"imported": True, "said_at_us": said_at_us}
