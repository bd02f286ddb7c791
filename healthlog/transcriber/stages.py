"""The stages of a recording: the one declaration from which everything else about them follows.

A stage names what has been reached, never what comes next. Selection, claim, lease, time limits,
the choice of the step, the schema's CHECK all derive from `STAGES`; tests hold the SQL files to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Work(Enum):
    """Whose work a recording waits for; each has its limit of time in one stage."""

    OWN = "own"
    FOREIGN = "foreign"


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage: `step` leads on from it (None: there is nothing left to do), to `next` if all goes
    its usual way. `lease_s` is how long a claim of a recording standing here lasts: longer than the
    step may take on the longest input that is permitted."""

    name: str
    step: str | None
    lease_s: float
    work: Work
    next: str | None


UPLOADED, NORMALIZED, SUBMITTED = "uploaded", "normalized", "submitted"
TRANSCRIBED, DONE = "transcribed", "done"

STAGES: tuple[Stage, ...] = (
    Stage(UPLOADED, "normalise", 1800.0, Work.OWN, NORMALIZED),
    Stage(NORMALIZED, "submit", 2700.0, Work.OWN, SUBMITTED),
    Stage(SUBMITTED, "poll", 2700.0, Work.FOREIGN, TRANSCRIBED),
    Stage(TRANSCRIBED, "finish", 300.0, Work.OWN, DONE),
    Stage(DONE, None, 0.0, Work.OWN, None),
)

NAMES = tuple(stage.name for stage in STAGES)
WORKING = tuple(stage for stage in STAGES if stage.step is not None)

_BY_NAME = {stage.name: stage for stage in STAGES}


def stage_of(name: str) -> Stage:
    """The stage of that name. KeyError when there is none."""
    return _BY_NAME[name]


def working_list() -> str:
    """The names of the stages that wait for work, as an SQL list without its brackets."""
    return ", ".join(f"'{stage.name}'" for stage in WORKING)


def lease_case_us() -> str:
    """An SQL expression for the lease of a row's stage, in microseconds."""
    cases = " ".join(f"WHEN '{s.name}' THEN {round(s.lease_s * 1_000_000)}" for s in WORKING)
    return f"CASE stage {cases} END"
