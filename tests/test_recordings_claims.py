"""Claims of recordings: one statement, one holder, a lease that comes with the stage."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from healthlog.base.db import Database
from healthlog.transcriber import claims
from healthlog.transcriber.claims import Claim
from healthlog.transcriber.empty import NoWork
from healthlog.transcriber.failures import Retry
from healthlog.transcriber.stages import STAGES, stage_of
from tests.support.accepting import asked, plans
from tests.support.clock import FakeClock
from tests.support.patience import PATIENCE_S
from tests.support.studio import Studio, open_studio, raising

SECOND_US = 1_000_000
RUN = "a run"


def claimed(studio: Studio, run: str = RUN) -> Claim | None:
    """The next claim, None when there is no work."""
    try:
        return studio.write(lambda c: claims.claim(c, studio.clock.now_us(), run))
    except NoWork:
        return None


def at_once(count: int, work: Callable[[], None]) -> None:
    """The same in so many threads, all let go at the same moment."""
    barrier = threading.Barrier(count)

    def run() -> None:
        barrier.wait(PATIENCE_S)
        work()

    threads = [threading.Thread(target=run, daemon=True) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


@pytest.mark.scenario("recordings", "Three come for work at once")
def test_three_come_for_work_at_once(studio: Studio) -> None:
    posted = studio.post()
    got: list[Claim | None] = []
    at_once(3, lambda: got.append(claimed(studio)))
    assert [one.recording_id for one in got if one is not None] == [posted.recording_id]
    assert got.count(None) == 2


@pytest.mark.scenario("recordings", "Eight threads share 120 recordings without a double")
def test_eight_threads_share_120_recordings(studio: Studio) -> None:
    posted = {studio.post().recording_id for _ in range(120)}
    got: list[Claim] = []

    def work() -> None:
        while (one := claimed(studio)) is not None:
            got.append(one)

    at_once(8, work)
    assert len(got) == 120
    assert {one.recording_id for one in got} == posted
    assert len({one.token for one in got}) == 120


@pytest.mark.scenario("recordings", "Claimed recording is not given out again")
def test_a_claimed_recording_is_not_given_out_again(studio: Studio) -> None:
    studio.post()
    assert claimed(studio) is not None
    studio.clock.advance(STAGES[0].lease_s - 1)
    assert claimed(studio) is None


@pytest.mark.scenario("recordings", "Claim gives an id with a token of its own")
def test_a_claim_gives_an_id_with_a_token(studio: Studio) -> None:
    posted = studio.post()
    one = claimed(studio)
    assert one is not None
    assert one == Claim(posted.recording_id, one.token)
    assert studio.rows("SELECT claim FROM recording") == [(one.token,)]
    # What it says of the recording is read by an ordinary read.
    assert studio.row(posted).attempts == 1


@pytest.mark.scenario("recordings", "Token of a claim that was given out again differs")
def test_the_token_of_a_claim_given_out_again_differs(studio: Studio) -> None:
    posted = studio.post()
    first = claimed(studio)
    assert studio.recordings.stopper.stop_by_person(posted.recording_id)
    assert studio.recordings.resumption.one(posted.recording_id)
    second = claimed(studio)
    assert first is not None
    assert second is not None
    assert second.recording_id == first.recording_id
    assert second.token != first.token
    assert len(second.token) == 32


@pytest.mark.scenario("recordings", "Lease ended")
@pytest.mark.scenario("recordings", "Lease comes with the stage")
@pytest.mark.parametrize("stage", [one.name for one in STAGES if one.step is not None])
def test_a_lease_comes_with_the_stage_and_ends(studio: Studio, stage: str) -> None:
    posted = studio.at(studio.post(), stage)
    first = claimed(studio)
    lease_us = round(stage_of(stage).lease_s * SECOND_US)
    assert studio.row(posted).claim_until_us == studio.clock.wall_us + lease_us
    studio.clock.set(studio.clock.wall_us + lease_us - 1)
    assert claimed(studio) is None
    studio.clock.set(studio.clock.wall_us + 1)
    second = claimed(studio)
    assert first is not None
    assert second is not None
    assert second.token != first.token
    # Losing a lease is a failure, and no failure is ever taken back by it.
    assert studio.row(posted).attempts == 2


@pytest.mark.scenario("recordings", "Two stages in one worker's hands have their own leases")
def test_two_stages_have_their_own_leases(studio: Studio) -> None:
    early = studio.post()
    late = studio.at(studio.post(), "transcribed")
    claimed(studio)
    claimed(studio)
    now_us = studio.clock.wall_us
    assert studio.row(early).claim_until_us == now_us + 1800 * SECOND_US
    assert studio.row(late).claim_until_us == now_us + 300 * SECOND_US


@pytest.mark.scenario("recordings", "Lease is compared with instants that the store wrote")
def test_instants_are_compared_as_numbers(studio: Studio) -> None:
    studio.post()
    claimed(studio)
    kinds = studio.rows(
        "SELECT typeof(claim_until_us), typeof(due_at_us), typeof(stage_since_us),"
        " typeof(accepted_at_us) FROM recording"
    )
    assert kinds == [("integer",) * 4]
    names = [name for _, name, *_ in studio.rows("PRAGMA table_info(recording)")]
    instants = [name for name in names if name.endswith(("_us", "_at", "_since", "_until"))]
    assert all(name.endswith("_us") for name in instants)
    # Exactly at its end, and not a microsecond earlier.
    studio.clock.advance(1799)
    assert claimed(studio) is None


@pytest.mark.scenario("recordings", "Clock that goes back takes nothing from its holder")
def test_a_clock_that_goes_back_takes_nothing_from_its_holder(studio: Studio) -> None:
    studio.post()
    first = claimed(studio)
    assert first is not None
    studio.clock.set(studio.clock.wall_us - 3600 * SECOND_US)
    assert claimed(studio) is None
    studio.write(lambda c: claims.require(c, first))
    # And what comes now has an id behind the others all the same.
    earlier = studio.rows("SELECT max(recording_id) FROM recording")[0][0]
    assert studio.post().recording_id > earlier


@pytest.mark.scenario("recordings", "Lease begins once the lock is there")
def test_a_lease_begins_once_the_lock_is_there(data: Path, clock: FakeClock) -> None:
    with open_studio(data, clock) as studio:
        posted = studio.post()
        other = sqlite3.connect(data / "journal.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")

        def pause(seconds: float) -> None:
            clock.advance(600)
            other.execute("ROLLBACK")

        waiting = Database(data / "journal.db", clock=clock, pause=pause)
        try:
            waiting.write(lambda c: claims.claim(c, clock.now_us(), RUN), budget_s=10_000)
        finally:
            waiting.close()
            other.close()
        assert studio.row(posted).claim_until_us == clock.wall_us + 1800 * SECOND_US


# What is looked at, and in which order


@pytest.mark.scenario(
    "recordings", "Condition of the claim knows neither attempts nor owner nor age"
)
def test_the_condition_knows_neither_attempts_nor_owner_nor_age(studio: Studio) -> None:
    studio.post()

    def call(connection: sqlite3.Connection) -> object:
        return claims.claim(connection, studio.clock.now_us(), RUN)

    [(statement, _)] = studio.write(lambda c: asked(c, call))
    condition = statement[statement.index("SELECT") :]
    for word in ("attempts", "owner", "stage_since", "run", "accepted_at"):
        assert word not in condition


@pytest.mark.scenario("recordings", "Recording far over its limit of attempts is still claimed")
def test_a_recording_far_over_its_limit_is_still_claimed(studio: Studio) -> None:
    posted = studio.at(studio.post(), "uploaded", attempts=99)
    one = claimed(studio)
    assert one is not None
    assert one.recording_id == posted.recording_id


@pytest.mark.scenario("recordings", "Claim is found in its partial index")
def test_a_claim_is_found_in_its_partial_index(studio: Studio) -> None:
    studio.post()

    def call(connection: sqlite3.Connection) -> object:
        return claims.claim(connection, studio.clock.now_us(), RUN)

    # Explained without being carried out: the connection of a reader can't write.
    [statement, values] = studio.write(lambda c: asked(c, call))[0]
    plan = studio.journal.read(
        lambda c: "; ".join(
            row[3] for row in c.execute(f"EXPLAIN QUERY PLAN {statement}", values).fetchall()
        )
    )
    assert "SEARCH recording USING INDEX recording_due (due_at_us<?)" in plan
    assert "TEMP B-TREE" not in plan
    [waiting] = plans(studio.journal, claims.next_due_us)
    assert "INDEX recording_due" in waiting


@pytest.mark.scenario("recordings", "Recordings of two owners go through one worker")
@pytest.mark.scenario("recordings", "Recording without an owner is worked on")
def test_owners_make_no_difference(studio: Studio) -> None:
    posted = [studio.post(owner="ann"), studio.message(), studio.post(owner="bob"), studio.post()]
    got = [claimed(studio) for _ in posted]
    assert [one.recording_id for one in got if one] == [one.recording_id for one in posted]


@pytest.mark.scenario("recordings", "Failing recordings go behind those that wait")
def test_failing_recordings_go_behind_those_that_wait(data: Path, clock: FakeClock) -> None:
    with open_studio(data, clock, acts={"normalise": raising(Retry("not now"))}) as studio:
        failing = [studio.post() for _ in range(20)]
        for _ in failing:
            assert studio.step() is not None
        late = studio.post()
        clock.advance(3600)
        first = studio.step()
        assert first is not None
        assert first.recording_id == late.recording_id
        ran = [studio.step() for _ in failing]
        assert {one.recording_id for one in ran if one} == {one.recording_id for one in failing}


def test_equal_instants_are_ordered_by_id(studio: Studio) -> None:
    posted = [studio.post() for _ in range(5)]
    studio.write(lambda c: c.execute("UPDATE recording SET due_at_us = 1").rowcount)
    got = [claimed(studio) for _ in posted]
    assert [one.recording_id for one in got if one] == [one.recording_id for one in posted]


# An earlier process


@pytest.mark.scenario("recordings", "Start gives back what a dead process held")
def test_a_start_gives_back_what_a_dead_process_held(studio: Studio) -> None:
    posted = studio.post()
    dead = claimed(studio)
    assert dead is not None
    assert studio.write(lambda c: claims.release_dead(c, studio.clock.now_us())) == 1
    row = studio.row(posted)
    assert row.claim_until_us is None
    assert row.attempts == 1
    assert claimed(studio) is None, "after the pause that the failure has earned"
    studio.clock.advance(12)
    assert claimed(studio, "another run") is not None
    assert studio.row(posted).attempts == 2


def test_a_worker_that_throws_leaves_its_claim_to_the_lease(studio: Studio) -> None:
    studio.post()
    assert claimed(studio) is not None
    studio.clock.advance(1800)
    assert claimed(studio) is not None
