"""The n-th call of one kind fails, n = 1, 2, 3 …, until a delivery passes without having met it."""

from __future__ import annotations

from datetime import date
from itertools import count
from pathlib import Path

import pytest

from tests.support.aftermath import restarted
from tests.support.bodies import days
from tests.support.faults import Faults
from tests.support.process import Child, serving
from tests.support.telling import Tell

pytestmark = pytest.mark.slow

CALLS = ("create", "open", "read", "write", "fsync", "rename", "unlink", "truncate")
FIRST = date(2001, 1, 1)
MOST = 100
"""Calls of one kind that a delivery never comes to."""


class Sender:
    """Sends bodies that have nothing in common, two points in each."""

    def __init__(self, child: Child) -> None:
        self._child = child
        self._weeks = count(FIRST.toordinal(), 7)
        self.acknowledged: list[str] = []

    def post(self) -> int:
        first = next(self._weeks)
        dates = [date.fromordinal(first + at).isoformat() for at in range(2)]
        status, answer = self._child.post(days(dict.fromkeys(dates, 1)))
        if status == 200:
            self.acknowledged.append(answer["delivery_id"])
        return status

    def waiting(self) -> bool:
        """Whether a delivery may not be folded yet."""
        status, told = self._child.get("/stats")
        return status != 200 or bool(told["deliveries"]["pending"])


@pytest.mark.scenario("faults", "Any call to the file system may fail")
@pytest.mark.parametrize("error", ["EIO", "ENOSPC", "EACCES"])
def test_any_call_to_the_file_system_may_fail(
    data: Path, tmp_path: Path, error: str, tell: Tell
) -> None:
    faults = Faults(tmp_path)
    with serving(data, program=faults.program) as child:
        sender = Sender(child)
        for call in CALLS:
            for skip in range(MOST):
                before = faults.failed()
                faults.begin(f"{call} {error} {data}", skip=skip, times=1)
                status = sender.post()
                assert status in {200, 503, 507}, (call, skip)
                while sender.waiting() and faults.failed() == before:
                    pass
                faults.end()
                if status == 200 and faults.failed() == before:
                    break
                if sender.waiting():
                    assert sender.post() == 200, (call, skip)  # which wakes the worker
                    child.settled()
            else:
                raise AssertionError(f"{call} is called too often")
        assert child.stop() == 0
    assert child.said("request failed") == child.said("thread died") == []
    assert child.said("delivery failed") == []
    digest = restarted(data, *sender.acknowledged)
    bodies = len(list(data.glob("archive/*/*/*/*.json.gz")))
    assert digest.points == 2 * bodies
    tell(
        f"{error}: {faults.failed()} calls failed, {len(sender.acknowledged)} answered 200,"
        f" {bodies} in the archive"
    )
