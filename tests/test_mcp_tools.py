"""What the tools tell of a log."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest

from healthlog.mcp.fitting import MOST_CHARACTERS
from healthlog.mcp.messages import text_of
from healthlog.mcp.tools import TOOLS
from healthlog.setting_kinds import known_zone
from tests.support.mcp import Talk, request, talk_of
from tests.support.reading import DAYS, MINUTES, SECONDS, Desk, body, metric, steps
from tests.support.records import night, nights, sections, workout

# The desk's clock stands at 2026-08-02T08:01:42Z.
JULY = [n for n in range(1, 32) if n not in {10, 11, 20}]
EMPTY: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("list_metrics", {}, "The log is empty"),
    ("get_latest", {}, "Nothing that adds up"),
    ("get_day", {"day": "today"}, "Nothing is known of 2026-08-02."),
    ("get_nights", {"from_": "2026-08-01"}, "0 nights"),
    ("list_workouts", {"from_": "2026-08-01"}, "No workout was ever recorded."),
    ("list_records", {"kind": "ecg", "from_": "2026-08-01"}, "No ecg was ever recorded."),
    ("find_gaps", {"from_": "2026-08-01"}, "nothing is missing"),
)


@pytest.fixture
def talk(desk: Desk) -> Talk:
    return talk_of(desk)


def days(*dates: int, month: str = "2026-07", qty: float = 8000) -> bytes:
    return steps(*((f"{month}-{n:02} 00:00:00 +0200", qty + n) for n in dates))


def weights(*dates: str) -> bytes:
    data = [{"date": f"{one} 07:00:05 +0200", "qty": 80} for one in dates]
    return body(metric("weight_body_mass", "kg", *data))


# ---- the list of tools


def test_every_tool_has_a_name_a_schema_and_words() -> None:
    assert len({tool.name for tool in TOOLS}) == len(TOOLS) == 8
    for tool in TOOLS:
        assert re.fullmatch(r"[a-z_]{1,40}", tool.name)
        assert tool.title
        assert tool.description.endswith(".")
        assert set(tool.needed) <= tool.properties.keys()
        assert all("description" in one for one in tool.properties.values())
    assert len(text_of([tool.schema for tool in TOOLS])) < 6_000


@pytest.mark.parametrize("tool", TOOLS, ids=[tool.name for tool in TOOLS])
def test_what_a_tool_needs_it_asks_for(talk: Talk, tool: Any) -> None:
    good = {"metric": "step_count", "bucket": "day", "from": "2026-07-01", "day": "2026-07-01"}
    given = {**good, "kind": "ecg"}
    for name in tool.needed:
        others = {one: given[one] for one in tool.needed if one != name}
        assert name in talk.refused(tool.name, **others)
    assert "is no argument" in talk.refused(tool.name, nonsense=1)
    assert inspect.isfunction(tool.call)


@pytest.mark.parametrize(("name", "given", "said"), EMPTY)
def test_an_empty_log_says_so(talk: Talk, name: str, given: dict[str, Any], said: str) -> None:
    text, _ = talk.told(name, **given)
    assert said in text


# ---- metrics


def test_metrics_are_listed_with_units_and_ages(desk: Desk, talk: Talk) -> None:
    desk.send(steps(("2026-08-02 09:00:00 +0200", 50)), MINUTES)
    desk.send(weights("2026-07-01"), SECONDS)
    desk.send(sections(workouts=[workout()]), DAYS)
    text, content = talk.told("list_metrics")
    assert "2 metrics" in text
    assert "1 workout" in text
    first, second = content["metrics"]
    assert (first["metric"], first["unit"], first["aggregate"]) == ("step_count", "count", "sum")
    assert (second["unit"], second["aggregate"]) == ("kg", "last")
    assert first["age_s"] == 3702
    assert content["records"] == {"workout": 1}
    text, content = talk.told("list_metrics", contains="WEIGHT")
    assert [one["metric"] for one in content["metrics"]] == ["weight_body_mass"]
    assert "None of the 2 metrics" in talk.told("list_metrics", contains="zzz")[0]


@pytest.mark.scenario("mcp", "Series of a tool is that of the API")
def test_the_series_is_that_of_the_api(desk: Desk, talk: Talk) -> None:
    desk.send(days(*JULY), DAYS)
    desk.send(steps(*((f"2026-08-02 09:{n:02}:00 +0200", n) for n in range(30))), MINUTES)
    asked = {"metric": "step_count", "bucket": "day", "from_": "2026-07-01"}
    text, content = talk.told("get_series", **asked)
    items = desk.items("/api/v1/series", **asked)
    assert [{**one, "sources": []} for one in content["items"]] == items
    assert (content["unit"], content["aggregate"]) == ("count", "sum")
    assert items[-1]["open"]
    closed = [one["value"] for one in items if not one["open"]]
    summary = content["summary"]
    assert (summary["values"], summary["sum"]) == (len(closed), sum(closed))
    assert summary["mean"] == pytest.approx(sum(closed) / len(closed))
    assert (summary["least"], summary["greatest"]) == (min(closed), max(closed))
    assert summary["open_left_out"] == 1
    assert "435 count, which may still grow" in text
    _, content = talk.told("get_series", **{**asked, "bucket": "month"})
    assert [one["value"] for one in content["items"]] == [sum(closed), 435]


def test_a_series_is_given_in_the_unit_asked_for(desk: Desk, talk: Talk) -> None:
    desk.send(weights("2026-07-01"), SECONDS)
    asked = {"metric": "weight_body_mass", "bucket": "day", "from_": "2026-07-01"}
    _, content = talk.told("get_series", **asked, unit="lb")
    assert content["items"][0]["value"] == pytest.approx(176.37, abs=0.01)
    assert "unit mi is none" in talk.refused("get_series", **asked, unit="mi")


def test_fields_of_a_metric_are_told_side_by_side(desk: Desk, talk: Talk) -> None:
    pair = {"date": "2026-08-02 09:00:00 +0200", "systolic": 120, "diastolic": 80}
    desk.send(body(metric("blood_pressure", "mmHg", pair)), SECONDS)
    asked = {"metric": "blood_pressure", "bucket": "day", "from_": "today"}
    text, content = talk.told("get_series", **asked)
    assert content["items"][0]["value"] == {"systolic": 120, "diastolic": 80}
    assert "systolic 120, diastolic 80 mmHg" in text
    assert "summary" not in content


@pytest.mark.scenario("mcp", "Nothing in a span")
def test_nothing_in_a_span_is_said_plainly(desk: Desk, talk: Talk) -> None:
    desk.send(days(*JULY), DAYS)
    asked = {"metric": "Step_Count", "bucket": "day", "from_": "2025-02-01", "to": "2025-03-01"}
    text, content = talk.told("get_series", **asked)
    assert text == (
        "No reading of step_count in that span. The first one ever is of"
        " 2026-07-01T00:00:00+02:00, the last one of 2026-07-31T00:00:00+02:00, 2 days ago."
    )
    assert content["items"] == []
    assert content["absent"] == [{"first": "2025-02-01", "last": "2025-02-28", "buckets": 28}]


@pytest.mark.scenario("mcp", "Days without a value are named")
def test_days_without_a_value_are_named(desk: Desk, talk: Talk) -> None:
    desk.send(days(*JULY), DAYS)
    every = [
        night(f"2026-07-{n:02} 00:10:00 +0200", f"2026-07-{n:02} 07:00:00 +0200", totalSleep=6)
        for n in JULY
    ]
    desk.send(nights(*every), DAYS)
    asked = {"metric": "step_count", "bucket": "day", "from_": "2026-07-01", "to": "2026-08-01"}
    _, content = talk.told("get_series", **asked)
    two = [("2026-07-10", "2026-07-11"), ("2026-07-20", "2026-07-20")]
    assert [(one["first"], one["last"]) for one in content["absent"]] == two
    assert content["absent_buckets"] == 3
    text, content = talk.told("get_nights", from_="2026-07-01", to="2026-08-01")
    assert [(one["first"], one["last"]) for one in content["absent"]] == two
    assert content["summary"] == {"nights": 28, "mean_total_h": 6.0}
    assert "3 dates" in text
    text, content = talk.told("find_gaps", from_="2026-07-01", to="2026-08-01")
    [one] = content["items"]
    assert (one["metric"], one["usually_every_days"]) == ("step_count", 1)
    assert [(gap["first"], gap["last"]) for gap in one["missing"]] == two
    assert text == "Missing by their own rhythm: step_count 3 days."


def test_today_is_never_missing_of_a_daily_metric(desk: Desk, talk: Talk) -> None:
    desk.send(days(*range(1, 32)), DAYS)
    desk.send(days(1, month="2026-08"), DAYS)
    text, content = talk.told("find_gaps", metric="step_count", from_="2026-07-20")
    assert content["items"][0]["missing"] == []
    assert text.endswith("nothing is missing in that span.")


@pytest.mark.scenario("mcp", "Days without a value are named")
def test_what_comes_now_and_then_is_missed_after_more_than_twice_its_time(
    desk: Desk, talk: Talk
) -> None:
    weekly = ("2026-05-01", "2026-05-08", "2026-05-15", "2026-05-22", "2026-05-30", "2026-06-06")
    desk.send(weights(*weekly, "2026-06-27"), SECONDS)
    asked = {"metric": "weight_body_mass", "from_": "2026-05-01", "to": "2026-07-05"}
    text, content = talk.told("find_gaps", **asked)
    [one] = content["items"]
    assert (one["usually_every_days"], one["days_with_readings"]) == (8, 7)
    # The week behind the last weight is missing, too, as none has come to this day.
    assert one["missing"] == [
        {"first": "2026-06-07", "last": "2026-06-26"},
        {"first": "2026-06-28", "last": "2026-07-04"},
    ]
    assert "usually every 8 days" in text
    assert "did you mean weight_body_mass?" in talk.refused(
        "find_gaps", metric="weight", from_="today"
    )


def test_the_stages_of_a_night_are_told_as_measured(desk: Desk, talk: Talk) -> None:
    one = night("2026-07-31 23:00:00 +0200", "2026-08-01 07:00:00 +0200", totalSleep=7, deep=1)
    desk.send(nights(one), DAYS)
    text, content = talk.told("get_nights", from_="yesterday", to="today")
    [item] = content["items"]
    assert (item["day"], item["total_h"], item["deep_h"]) == ("2026-08-01", 7, 1)
    assert "rem_h" not in item
    assert "keys" not in item
    assert text == "1 night; 7 h of sleep on average."


# ---- days


@pytest.mark.scenario("mcp", "Day says what was not measured")
def test_a_day_says_what_was_not_measured(desk: Desk, talk: Talk) -> None:
    desk.send(weights("2026-07-01"), SECONDS)
    desk.send(days(4), DAYS)
    text, content = talk.told("get_day", day="2026-07-04")
    assert content["absent"] == {"weight_body_mass": "2026-07-01"}
    assert content["totals"]["step_count"]["value"] == 8004
    assert "not on this one: weight_body_mass." in text
    text, content = talk.told("get_day", day="2026-05-01")
    assert text == "Nothing is known of 2026-05-01."
    assert content["absent"] == {}


def test_a_running_day_is_told_as_such(desk: Desk, talk: Talk) -> None:
    desk.send(steps(("2026-08-02 09:00:00 +0200", 50)), MINUTES)
    text, content = talk.told("get_day", day="today")
    assert (content["day"], content["over"]) == ("2026-08-02", False)
    assert "The day is not over yet." in text
    assert "No night is known to have ended on it." in text


def test_today_is_the_day_where_the_phone_is(desk: Desk) -> None:
    talk = talk_of(desk, known_zone("Pacific/Kiritimati"))
    desk.house.clock.advance(3 * 3600)
    # Nobody has named the clock: the setting's zone, 14 hours ahead, is all there is.
    assert talk.told("get_day", day="today")[1]["day"] == "2026-08-03"
    desk.send(steps(("2026-08-01 20:00:00 -1100", 50)), MINUTES)
    assert talk.told("get_day", day="today")[1]["day"] == "2026-08-02"
    assert talk.told("get_day", day="yesterday")[1]["day"] == "2026-08-01"


# ---- now


@pytest.mark.scenario("mcp", "How things stand")
def test_now_is_told_with_ages(desk: Desk, talk: Talk) -> None:
    pulse = [{"date": "2026-08-02 05:01:00 +0200", "Min": 50, "Avg": 60, "Max": 70}]
    desk.send(body(metric("heart_rate", "count/min", *pulse)), MINUTES)
    desk.send(steps(("2026-08-02 09:00:00 +0200", 50)), MINUTES)
    desk.house.clock.advance(18)
    text, content = talk.told("get_latest")
    assert (content["at"], content["day"]) == ("2026-08-02T10:02:00+02:00", "2026-08-02")
    total = content["totals"]["step_count"]
    assert (total["value"], total["unit"], total["open"], total["age_s"]) == (50, "count", True, 18)
    pulse_now = content["latest"]["heart_rate"]
    assert (pulse_now["value"], pulse_now["age_s"]) == (60, 18_060)
    assert "5 hours old" in text
    asked = ["step_count", "heart_rate", "weight_body_mass"]
    text, content = talk.told("get_latest", metrics=asked)
    assert content["absent"] == {"weight_body_mass": "never recorded"}
    assert "weight_body_mass: never recorded." in text
    desk.house.clock.advance(86_400)
    _, content = talk.told("get_latest", metrics="step_count")
    assert content["totals"] == {}
    assert content["absent"]["step_count"].startswith("nothing today; the last reading is of 2026")


# ---- records


@pytest.mark.scenario("mcp", "Workouts without their series")
def test_workouts_are_listed_without_their_series(desk: Desk, talk: Talk) -> None:
    series = [{"date": "2026-06-01 12:00:00 +0200", "Avg": 100}] * 50
    more = {"duration": 1700, "distance": {"qty": 2.5, "units": "km"}, "heartRateData": series}
    desk.send(sections(workouts=[workout(1, **more), workout(2, name="Cycling")]), DAYS)
    text, content = talk.told("list_workouts", from_="2026-06-01", to="2026-06-02")
    assert text == "2 workouts (1 × Walking, 1 × Cycling)."
    one = content["items"][0]
    assert (one["name"], one["start"]) == ("Walking", "2026-06-01T12:00:00+02:00")
    assert (one["duration"], one["distance"]) == (1700, {"qty": 2.5, "units": "km"})
    assert one["series"] == {"heartRateData": 50}
    _, content = talk.told("list_workouts", from_="2026-06-01", name="cycl")
    assert [one["name"] for one in content["items"]] == ["Cycling"]
    text, content = talk.told("list_workouts", from_="2026-07-01")
    assert text == "No workout in that span; the last one is of 2026-06-01."
    assert content["items"] == []


def test_records_of_a_kind_are_listed(desk: Desk, talk: Talk) -> None:
    at = "2026-07-05 10:00:00 +0200"
    symptom = {"name": "Fatigue", "start": at, "end": at, "severity": "Mild"}
    desk.send(sections(symptoms=[symptom]), DAYS)
    text, content = talk.told("list_records", kind="symptom", from_="2026-07-05")
    assert text == "1 symptom (1 × Fatigue)."
    assert content["items"][0]["severity"] == "Mild"
    assert "kind must be one of" in talk.refused("list_records", kind="sleep", from_="today")


# ---- what is wrong, what is too much


@pytest.mark.scenario("mcp", "Metric nobody recorded")
def test_a_metric_nobody_recorded_is_an_error_that_helps(desk: Desk, talk: Talk) -> None:
    desk.send(days(1), DAYS)
    asked = {"bucket": "day", "from_": "2026-07-01"}
    said = talk.refused("get_series", metric="step_cont", **asked)
    assert said == "no reading of step_cont was ever recorded; did you mean step_count?"
    assert "list_metrics" in talk.refused("get_series", metric="zzz", **asked)
    assert "was ever recorded" in talk.refused("find_gaps", metric="zzz", from_="today")


@pytest.mark.scenario("mcp", "Wrong argument")
@pytest.mark.parametrize(
    ("tool", "given", "named"),
    [
        ("get_day", {"day": "soon"}, "day"),
        ("get_day", {"day": 7}, "day"),
        ("get_day", {"day": "2026-02-30"}, "day"),
        ("get_nights", {"from_": "2026-07-02", "to": "2026-07-02"}, "to"),
        ("get_nights", {"from_": "2026-07-02", "limit": 0}, "limit"),
        ("get_nights", {"from_": "2026-07-02", "limit": True}, "limit"),
        ("get_nights", {"from_": "1980-01-01"}, "from"),
        ("list_workouts", {"from_": "2026-07-02", "limit": 201}, "limit"),
        ("find_gaps", {"from_": "2025-07-02"}, "from"),
        ("get_latest", {"metrics": [7]}, "metrics"),
        ("list_metrics", {"contains": " "}, "contains"),
    ],
)
def test_a_wrong_argument_is_named(
    talk: Talk, tool: str, given: dict[str, Any], named: str
) -> None:
    assert talk.refused(tool, **given).startswith(f"{named} ")


@pytest.mark.scenario("mcp", "Wrong argument")
@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"bucket": "fortnight"}, "bucket"),
        ({"from_": "soon"}, "from"),
        ({"from_": "2026-07-02T10:00:00Z", "to": "2026-07-02T09:00:00Z"}, "to"),
        ({"limit": 401}, "limit"),
        ({"metric": ""}, "metric"),
        ({"from_": None}, "from"),
    ],
)
def test_a_wrong_argument_of_a_series_is_named(
    desk: Desk, talk: Talk, change: dict[str, Any], named: str
) -> None:
    desk.send(days(1), DAYS)
    good = {"metric": "step_count", "bucket": "day", "from_": "2026-07-01"}
    assert talk.refused("get_series", **{**good, **change}).startswith(f"{named} ")


@pytest.mark.scenario("mcp", "Answer of bounded size")
def test_a_long_series_is_read_piece_by_piece(desk: Desk, talk: Talk) -> None:
    many = [(f"2026-08-01 {n // 60:02}:{n % 60:02}:00 +0200", n + 0.25) for n in range(1, 1200)]
    desk.send(steps(*many), MINUTES)
    asked = {"metric": "step_count", "bucket": "minute", "limit": 400}
    first: str | None = "2026-08-01T00:00:00+02:00"
    found, answers = [], 0
    while first is not None:
        text, content = talk.told("get_series", **asked, from_=first)
        assert len(content["items"]) <= 400
        assert len(text_of(content["items"])) <= MOST_CHARACTERS + 500
        found += content["items"]
        first = content.get("next_from")
        answers += 1
        assert (first is not None) == ("ask again from there" in text)
    assert [one["value"] for one in found] == [qty for _, qty in many]
    assert answers > 3


@pytest.mark.scenario("mcp", "Answer of bounded size")
def test_records_with_long_texts_are_cut(desk: Desk, talk: Talk) -> None:
    many = [
        workout(n, start=f"2026-06-{n:02} 12:00:00 +0200", end=f"2026-06-{n:02} 12:30:00 +0200",
                **{f"note{k}": "long " * 400 for k in range(10)})
        for n in range(1, 21)
    ]  # fmt: skip
    desk.send(sections(workouts=many), DAYS)
    first: str | None = "2026-06-01"
    seen: list[str] = []
    while first:
        result = talk.send(
            request("tools/call", {"name": "list_workouts", "arguments": {"from": first}})
        )
        assert len(text_of(result)) < 3 * MOST_CHARACTERS
        content = result["result"]["structuredContent"]
        seen += [one["day"] for one in content["items"]]
        first = content.get("next_from")
    assert seen == [f"2026-06-{n:02}" for n in range(1, 21)]


@pytest.mark.scenario("mcp", "Answer of bounded size")
def test_records_of_one_day_are_read_piece_by_piece(desk: Desk, talk: Talk) -> None:
    many = [
        workout(n, start=f"2026-06-01 {n // 60:02}:{n % 60:02}:00 +0200",
                end=f"2026-06-01 {n // 60:02}:{n % 60:02}:30 +0200")
        for n in range(120)
    ]  # fmt: skip
    desk.send(sections(workouts=many), DAYS)
    first: str | None = "2026-06-01"
    starts: list[str] = []
    while first:
        text, content = talk.told("list_workouts", from_=first, to="2026-06-02", limit=50)
        starts += [one["start"] for one in content["items"]]
        first = content.get("next_from")
        assert ("ask again" in text) == (first is not None)
    assert len(starts) == len(set(starts)) == 120


def test_values_that_cannot_be_converted_stay_with_their_bucket(desk: Desk, talk: Talk) -> None:
    for n in (1, 2, 3):
        at = f"2026-07-{n:02} 12:00:00 +0200"
        for unit in ("count/min", "furlong"):
            desk.send(body(metric("heart_rate", unit, {"date": at, "qty": 60})), SECONDS)
            at = f"2026-07-{n:02} 13:00:00 +0200"
    asked = {"metric": "heart_rate", "bucket": "day", "to": "2026-07-04", "limit": 1}
    first: str | None = "2026-07-01"
    starts: list[tuple[str, str | None]] = []
    while first:
        _, content = talk.told("get_series", **asked, from_=first)
        starts += [(one["start"], one.get("unit")) for one in content["items"]]
        first = content.get("next_from")
    assert starts == [(f"2026-07-0{n}", unit) for n in (1, 2, 3) for unit in (None, "furlong")]
