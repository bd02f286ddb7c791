"""What must hold after any accident, once a log has been started again."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from healthlog.base.db import Database
from healthlog.check import check_accounts, check_archive, check_journal
from healthlog.databases import open_to_look
from healthlog.mart.digest import Digest, digest
from tests.support.clock import FakeClock
from tests.support.engine import Engine, open_engine

LATER_US = 4_000_000_000_000_000
"""A clock that no delivery of a test is ahead of."""


def restarted(data: Path, *acknowledged: str) -> Digest:
    """Starts the log of a killed process in this one, folds what waits, holds everything against
    everything; the digest. `acknowledged` are the ids that were answered 200."""
    with open_engine(data, FakeClock(LATER_US)) as engine:
        engine.restart()
        engine.fold_all()
        assert engine.said("mart set aside") == []
        assert engine.said("delivery left pending") == []
        assert set(acknowledged) <= set(engine.house.rows())
        assert_whole(engine)
        return engine.digest()


def assert_whole(engine: Engine) -> None:
    """Nothing waits, nothing is half done, a replay comes to the same."""
    archive, clock = engine.house.archive, engine.clock
    assert engine.house.rows() == engine.house.bodies()
    assert list(archive.incoming.iterdir()) == []
    assert list(check_archive(archive, lambda _done, _total: None)) == []
    assert list(check_journal(archive, engine.journal)) == []
    with closing(open_to_look(engine.mart.path, "mart", clock)) as mart:
        assert list(check_accounts(engine.journal, mart)) == []
    for delivery_id in engine.house.rows():
        delivery = engine.find(delivery_id)
        assert delivery is not None
        assert engine.entry(delivery).parse_status != "pending"
    replayed = engine.house.data / "replayed.db"
    engine.replay().into(replayed)
    with closing(Database(replayed, clock=clock, readonly=True)) as mart:
        assert mart.read(digest) == engine.digest()
    replayed.unlink()
