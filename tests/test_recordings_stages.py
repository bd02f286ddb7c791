"""The one declaration of the stages, with everything that follows from it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from healthlog.transcriber.limits import Limits
from healthlog.transcriber.settings import CannotWork, Settings, check
from healthlog.transcriber.stages import NAMES, STAGES, WORKING, Work, stage_of, working_list
from healthlog.transcriber.steps.chain import Chain
from tests.support.clock import FakeClock
from tests.support.sources import ROOT, sources
from tests.support.studio import Studio, on, open_studio, scripted

MIGRATION = (ROOT / "migrations" / "journal" / "0004_recordings.sql").read_text(encoding="utf-8")


@pytest.mark.scenario("recordings", "Schema, claim and index follow from one declaration")
def test_the_schema_follows_from_the_declaration(studio: Studio) -> None:
    assert f"CHECK (stage IN ({', '.join(repr(name) for name in NAMES)}))" in MIGRATION
    assert f"stopped_at_us IS NULL AND stage IN ({working_list()})" in MIGRATION
    assert f"DEFAULT '{NAMES[0]}'" in MIGRATION
    assert [stage.next for stage in STAGES] == [*NAMES[1:], None]
    assert [stage.name for stage in STAGES if stage not in WORKING] == ["done"]


@pytest.mark.scenario("recordings", "Schema, claim and index follow from one declaration")
def test_no_other_place_lists_the_stages() -> None:
    listing = re.compile(r"['\"]uploaded['\"].{0,80}['\"]normalized['\"]", re.DOTALL)
    found = [f.path for f in sources("healthlog") if listing.search(f.text)]
    assert found in ([], ["healthlog/transcriber/stages.py"])


@pytest.mark.scenario("recordings", "Every stage with work to do is given out")
@pytest.mark.parametrize("stage", [one.name for one in WORKING])
def test_every_stage_with_work_is_given_out(studio: Studio, stage: str) -> None:
    posted = studio.at(studio.post(), stage)
    ran = studio.step()
    assert ran is not None
    assert (ran.recording_id, ran.stage) == (posted.recording_id, stage)
    assert studio.row(posted).stage == stage_of(stage).next


@pytest.mark.scenario("recordings", "Stage names what was done")
@pytest.mark.scenario("recordings", "Next step follows from the stage")
def test_a_stage_names_what_was_done(data: Path, clock: FakeClock) -> None:
    run: list[str] = []
    steps = [stage.step for stage in WORKING if stage.step is not None]
    acts = {name: (lambda _r, _h, name=name: run.append(name)) for name in steps}
    with open_studio(data, clock, acts=acts) as studio:
        posted = studio.post()
        studio.step()
        assert (studio.row(posted).stage, run) == ("normalized", ["normalise"])
        studio.step()
        assert (studio.row(posted).stage, run) == ("submitted", ["normalise", "submit"])
        studio.steps()
        assert run == steps


def test_a_stage_without_a_step_is_a_mistake() -> None:
    steps = scripted({stage.step: on for stage in WORKING if stage.step is not None})
    del steps["poll"]
    with pytest.raises(ValueError, match="poll"):
        Chain(steps)


def test_the_limits_part_own_work_from_others() -> None:
    limits = Limits(own_s=1, foreign_s=2, max_attempts=5, configuration_delay_s=3)
    assert {stage.name: limits.stage_s(stage) for stage in WORKING} == {
        "uploaded": 1, "normalized": 1, "submitted": 2, "transcribed": 1,
    }  # fmt: skip
    assert [stage.name for stage in STAGES if stage.work is Work.FOREIGN] == ["submitted"]


# Settings that can't work


@pytest.mark.scenario("recordings", "Setting that can't work stops the start")
@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (
            Settings(normalise_timeout=1800),
            (
                "recordings_normalise_timeout: the step normalise could take 1860 s,"
                " but a claim at its stage lasts 1800 s"
            ),
        ),
        (
            Settings(own_limit=600),
            "recordings_configuration_delay 900s must be shorter than recordings_own_limit 600s",
        ),
        (
            Settings(foreign_limit=6 * 3600),
            (
                "recordings_command_timeout 21600s must be shorter than"
                " recordings_foreign_limit 21600s"
            ),
        ),
        (
            Settings(poll_delay=86_400),
            "recordings_poll_delay 86400s must be shorter than recordings_foreign_limit 86400s",
        ),
    ],
)
def test_a_setting_that_can_not_work_stops_the_start(
    data: Path, clock: FakeClock, settings: Settings, told: str
) -> None:
    with pytest.raises(CannotWork) as raised, open_studio(data, clock, settings=settings, acts={}):
        pass
    assert str(raised.value) == told


@pytest.mark.scenario("recordings", "Every lease outlasts its step")
def test_every_lease_outlasts_its_step(data: Path, clock: FakeClock) -> None:
    with open_studio(data, clock, acts={}) as studio:
        chain = studio.recordings.chain
        for stage in WORKING:
            step = chain.step_from(stage)
            assert 0 < step.timeout_s < stage.lease_s
        check(Settings(), chain)
