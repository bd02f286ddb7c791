"""What a look finds wrong, what it finds well, what it can't say."""

from __future__ import annotations

from typing import Any

import pytest

from healthlog.journal.notices import Kept
from healthlog.notices.causes import Cause, Facts, Judged, Sender, Waiting, judged
from healthlog.notices.ledger import step
from healthlog.notices.rhythm import DAY_US, HOUR_US, Rhythm
from healthlog.notices.words import notice, trial

NOW = 100 * DAY_US
HOURLY = Rhythm(10 * HOUR_US, 30 * HOUR_US)


def sender(hours: float = 0, of: str = "A", **more: Any) -> Sender:
    """An automation that has been silent for so many hours."""
    last_us = NOW - round(hours * HOUR_US)
    silent_us = round(hours * HOUR_US)
    plain: dict[str, Any] = {"silent_us": silent_us, "rhythm": HOURLY, **more}
    return Sender(of, f"Name {of}", last_us, **plain)


def look(*senders: Sender, known: dict[str, int] | None = None, **more: Any) -> Judged:
    return judged(Facts(NOW, senders, **more), known or {})


def wrong(found: Judged) -> list[str]:
    return [cause.key for cause in found.causes]


# ---- silence


@pytest.mark.parametrize(("hours", "quiet"), [(0, False), (30, False), (30.1, True), (900, True)])
def test_silence_beyond_the_patience_is_wrong(hours: float, quiet: bool) -> None:
    found = look(sender(hours))
    assert wrong(found) == (["quiet:A"] if quiet else [])
    assert ("quiet:A" in found.well) is not quiet


def test_without_a_rhythm_no_silence_is_wrong() -> None:
    assert wrong(look(sender(9_000, rhythm=None))) == []


def test_whoever_is_nearly_due_is_told_of_together() -> None:
    both = (sender(31), sender(25, "B"), sender(23, "C"))
    assert wrong(look(*both)) == ["quiet:A", "quiet:B"]
    # Of one that was told of before, nobody is told together.
    told = {"quiet:A": NOW - 31 * HOUR_US}
    assert wrong(look(*both, known=told)) == ["quiet:A"]


def test_told_silence_lasts_until_something_is_heard() -> None:
    told = {"quiet:A": NOW - 25 * HOUR_US}
    assert wrong(look(sender(25), known=told)) == ["quiet:A"]
    found = look(sender(1), known=told)
    assert (wrong(found), "quiet:A" in found.well) == ([], True)


# ---- failures


@pytest.mark.parametrize(
    ("failed", "hours", "failing", "well"),
    [(0, 0, False, True), (1, 0.5, False, False), (1, 1.1, True, False), (2, 0, True, False)],
)
def test_failures_are_wrong_again_or_for_an_hour(
    failed: int, hours: float, failing: bool, well: bool
) -> None:
    since_us = NOW - round(hours * HOUR_US)
    found = look(sender(failed=failed, failed_since_us=since_us, failure="malformed"))
    assert ("failing:A" in wrong(found), "failing:A" in found.well) == (failing, well)


@pytest.mark.parametrize(
    ("waiting", "known", "said"),
    [
        (None, {}, "well"),
        (Waiting(NOW - 3 * HOUR_US, NOW - 2 * HOUR_US), {}, "wrong"),
        (Waiting(NOW - 3 * HOUR_US, NOW), {}, "well"),
        # After a start the one that was told of still waits.
        (Waiting(NOW - 3 * HOUR_US, NOW), {"waiting": NOW - 3 * HOUR_US}, "open"),
        (Waiting(NOW - HOUR_US, NOW), {"waiting": NOW - 3 * HOUR_US}, "well"),
    ],
)
def test_a_delivery_that_waits_for_an_hour_is_wrong(
    waiting: Waiting | None, known: dict[str, int], said: str
) -> None:
    found = look(waiting=waiting, known=known)
    assert ("waiting" in wrong(found), "waiting" in found.well) == (said == "wrong", said == "well")


@pytest.mark.parametrize(
    ("last_h", "listening_h", "said"),
    [(1, 0, "wrong"), (25, 100, "well"), (None, 100, "well"), (None, 1, "open"), (25, 1, "open")],
)
def test_refusals_are_wrong_for_a_day(last_h: int | None, listening_h: int, said: str) -> None:
    refused = {} if last_h is None else {413: NOW - last_h * HOUR_US}
    found = look(refused_us=refused, listening_since_us=NOW - listening_h * HOUR_US)
    key = "refused:413"
    assert (key in wrong(found), key in found.well) == (said == "wrong", said == "well")


@pytest.mark.parametrize(
    ("free", "said"), [(99, "wrong"), (100, "open"), (124, "open"), (125, "well"), (None, "open")]
)
def test_a_disk_is_well_again_with_some_room(free: int | None, said: str) -> None:
    found = look(free=free, low=100)
    assert ("disk" in wrong(found), "disk" in found.well) == (said == "wrong", said == "well")


# ---- what is told


def kept(key: str, told_us: int | None) -> dict[str, Kept]:
    return {key: Kept(key, key.partition(":")[0], "Name A", NOW - 40 * HOUR_US, told_us)}


QUIET = Cause("quiet:A", "quiet", NOW - 40 * HOUR_US, "Name A")


def test_a_new_cause_is_kept_and_told() -> None:
    found = step({}, Judged((QUIET,), frozenset()))
    assert found.tell == (QUIET,)
    assert [one.key for one in found.keep] == ["quiet:A"]
    assert (found.forget, found.over) == ((), ())


def test_a_cause_is_told_until_it_was_told() -> None:
    assert step(kept("quiet:A", None), Judged((QUIET,), frozenset())).tell == (QUIET,)
    assert step(kept("quiet:A", 7), Judged((QUIET,), frozenset())).tell == ()


def test_what_is_over_is_told_if_it_was_told_before() -> None:
    well = Judged((), frozenset(("quiet:A",)))
    assert [one.key for one in step(kept("quiet:A", 7), well).over] == ["quiet:A"]
    found = step(kept("quiet:A", None), well)
    assert (found.forget, found.over) == (("quiet:A",), ())


def test_what_nothing_is_said_of_stays() -> None:
    found = step(kept("quiet:A", 7), Judged((), frozenset()))
    assert (found.keep, found.forget, found.tell, found.over) == ((), (), (), ())


def test_words_say_what_when_and_nothing_else() -> None:
    causes = [
        Cause("quiet:A", "quiet", NOW - 31 * HOUR_US, "My\n phone", 10 * HOUR_US),
        Cause("quiet:B", "quiet", NOW - 100 * HOUR_US, None),
        Cause("failing:A", "failing", NOW - HOUR_US, "A", number=3, word="malformed"),
        Cause("failing:B", "failing", NOW, "B", number=1, word="deadline"),
        Cause("waiting", "waiting", NOW - 2 * HOUR_US),
        Cause("refused:415", "refused", NOW, number=415, word="no JSON"),
        Cause("disk", "disk", NOW, number=300 * 1024**2),
    ]
    said = notice(causes, [], NOW)
    assert said.title == "healthlog: 7 things need a look"
    assert said.lines == [
        "“My phone” has sent nothing for 31 hours; usually it is silent for 10 hours at most.",
        "A sender without a name has sent nothing for 4 days.",
        "The last 3 deliveries of “A” could not be taken (malformed), for an hour now.",
        "The last delivery of “B” could not be taken (deadline), for less than an hour now.",
        "A delivery has waited for 2 hours to be taken in; see the log.",
        "Deliveries are refused with status 415: no JSON.",
        "300 MiB are left on the disk that the log is on.",
    ]
    assert said.urgent
    assert [one["kind"] for one in said.members["causes"]] == [one.kind for one in causes]
    assert notice(causes[-1:], [], NOW).title == "healthlog: the disk is nearly full"
    roomy = Cause("disk", "disk", NOW, number=5 * 1024**3)
    assert notice([roomy], [], NOW).lines == ["5.0 GiB are left on the disk that the log is on."]


def test_words_say_what_is_over() -> None:
    over = [
        Kept(f"{kind}:A", kind, "A", NOW - 40 * HOUR_US, 7)
        for kind in ("quiet", "failing", "waiting", "refused", "disk")
    ]
    said = notice([], over, NOW)
    assert (said.title, said.urgent) == ("healthlog: all is well again", False)
    assert said.lines[0] == "“A” sends again, after 40 hours."
    assert len(said.lines) == 5
    assert notice([], over[:1], NOW).title == "healthlog: it is well again"
    assert notice([QUIET], over[1:], NOW).urgent
    assert trial().title.isascii()
