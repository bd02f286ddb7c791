"""What a person writes down: moods, doses, symptoms, the cycle; also warnings of the watch."""

from __future__ import annotations

import uuid
from datetime import date
from typing import Any

from tests.demo.life import HOUR, Day, drawn
from tests.demo.pulse import resting
from tests.demo.wall import Wall

Element = dict[str, Any]

_MOODS = (
    (-0.6, "very_unpleasant"), (-0.3, "unpleasant"), (-0.1, "slightly_unpleasant"),
    (0.1, "neutral"), (0.35, "slightly_pleasant"), (0.65, "pleasant"), (2.0, "very_pleasant"),
)  # fmt: skip
_LABELS = {False: ("stressed", "drained", "worried"), True: ("content", "calm", "grateful")}
_ABOUT = ("work", "family", "fitness", "friends", "weather")
_CYCLE_DAYS, _FLOW = 28, ("Light", "Medium", "Heavy", "Medium", "Light")
_PILLS = (("Vitamin D", 8 * HOUR, 12), ("Antihistamine ", 20 * HOUR, 5))
"""Name as the phone has it, time of the day, for how many months: all, or from April on."""


def moods(seed: int, day: Day, wall: Wall) -> list[Element]:
    """A mood of the day on three evenings in five, now and then a feeling of the moment."""
    chance = drawn(seed, day.date, "mood")
    found = []
    for kind, minute, likely in (
        ("momentary_emotion", 13 * HOUR + 20, 0.2), ("daily_mood", 21 * HOUR + 5, 0.6),
    ):  # fmt: skip
        if chance.random() > likely:
            continue
        valence = 0.22 + 0.12 * day.summer - 0.5 * day.ill + 0.15 * day.is_weekend
        valence = round(max(-1.0, min(1.0, chance.gauss(valence, 0.3))), 3)
        at = wall.utc((minute + chance.randrange(25)) * 60)
        found.append({
            "id": str(uuid.UUID(int=chance.getrandbits(128), version=4)).upper(),
            "start": at, "end": at, "kind": kind, "valence": valence,
            "valenceClassification": next(word for most, word in _MOODS if valence <= most),
            "labels": [chance.choice(_LABELS[valence > 0])],
            "associations": chance.sample(_ABOUT, chance.randint(0, 2)),
        })  # fmt: skip
    return found


def doses(seed: int, day: Day, wall: Wall) -> list[Element]:
    """Taken, mostly; skipped or not answered at times, also with a dosage, as the phone has it."""
    chance = drawn(seed, day.date, "doses")
    found = []
    for name, minute, months in _PILLS:
        if months < 12 and not 4 <= day.date.month < 4 + months:
            continue
        status = chance.choices(("Taken", "Skipped", "Not Interacted"), (88, 8, 4))[0]
        scheduled = wall.text(minute * 60)
        at = wall.text((minute + chance.randrange(40)) * 60) if status == "Taken" else scheduled
        found.append({
            "displayText": name, "start": at, "end": at, "scheduledDate": scheduled,
            "scheduledDosage": 1, "dosage": 1, "units": "count", "form": None, "status": status,
            "isArchived": False, "codings": [],
        })  # fmt: skip
    return found


def symptoms(seed: int, day: Day, wall: Wall) -> list[Element]:
    """A cold's, when ill; a headache now and then; cramps at the beginning of a cycle."""
    chance = drawn(seed, day.date, "symptoms")
    likely = {"Headache": 0.5 if day.ill else 0.05, "Fatigue": 0.9 if day.ill else 0.03}
    if day.ill:
        likely |= {"Sore Throat": 0.7, "Coughing": 0.6}
    if flow(seed, day.date) in {0, 1}:
        likely["Abdominal Cramps"] = 0.8
    found = []
    for name, chances in likely.items():
        if chance.random() < chances:
            begin = chance.randrange(9 * HOUR, 19 * HOUR)
            found.append({
                "start": wall.text(begin * 60),
                "end": wall.text((begin + chance.choice((0, 90, 180))) * 60),
                "name": name,
                "severity": chance.choice(("Mild", "Mild", "Moderate", "Severe")),
                "userEntered": True,
                "source": "Health",
            })  # fmt: skip
    return found


def flow(seed: int, day: date) -> int | None:
    """Which day of the bleeding it is, from 0; None on the other days of the cycle."""
    # A cycle is up to two days early or late, each for itself: neighbours stay apart.
    nearest = round(day.toordinal() / _CYCLE_DAYS)
    for number in (nearest - 1, nearest):
        shift = drawn(seed, None, f"cycle {number}").randint(-2, 2)
        into = (day - date.fromordinal(number * _CYCLE_DAYS + shift)).days
        if 0 <= into < len(_FLOW):
            return into
    return None


def cycle(seed: int, day: Day, wall: Wall) -> list[Element]:
    """The flow on the days of bleeding."""
    into = flow(seed, day.date)
    if into is None:
        return []
    at = wall.text(8 * HOUR * 60)
    return [{"start": at, "end": at, "name": "Menstrual Flow", "value": _FLOW[into],
             "isCycleStart": into == 0}]  # fmt: skip


def warnings(seed: int, day: Day, wall: Wall) -> list[Element]:
    """A high heart rate at rest, now and then in an illness."""
    if not (day.ill and day.worn) or drawn(seed, day.date, "warned").random() < 0.7:
        return []
    minute = 15 * HOUR + 12
    rest = resting(seed, day)
    return [{
        "start": wall.text(minute * 60), "end": wall.text((minute + 10) * 60),
        "heartNotification": "high_heart_rate_notification", "threshold": 100,
        "heartRateData": [
            {"date": wall.us((minute + n) * 60) / 1_000_000, "qty": rest + 38 + n % 4,
             "units": "count/min"}
            for n in range(0, 10, 2)
        ],
        "source": {"name": "Apple\u00a0Watch"},
    }]  # fmt: skip
