"""Electrocardiograms of half a minute."""

from __future__ import annotations

import math
from typing import Any

from tests.demo.life import Day, drawn
from tests.demo.nights import WATCH
from tests.demo.pulse import resting
from tests.demo.wall import Wall

HERTZ = 512
SAMPLES = 15_379
"""As many as a phone sends for its thirty seconds."""

# Waves of one beat: place from the R wave in seconds, width in seconds, height in microvolts.
_WAVES = (
    (-0.17, 0.024, 95.0),
    (-0.026, 0.009, -85.0),
    (0.0, 0.0105, 880.0),
    (0.027, 0.010, -190.0),
    (0.27, 0.045, 210.0),
)
_REACH_S = 0.45


def electrocardiogram(seed: int, day: Day, minute: int, wall: Wall) -> dict[str, Any]:
    """One that was taken at a minute of a day."""
    chance = drawn(seed, day.date, "trace")
    rate = resting(seed, day) + 9
    began = wall.us(minute * 60) / 1_000_000 + 0.094
    beats, at = [], 0.3
    while at < SAMPLES / HERTZ + 1:
        beats.append(at)
        at += 60 / rate * (1 + 0.035 * math.sin(at / 1.9) + chance.gauss(0, 0.012))
    voltages = [chance.gauss(0, 5) + 22 * math.sin(n / HERTZ / 3.7) for n in range(SAMPLES)]
    for beat in beats:
        first = max(0, int((beat - _REACH_S) * HERTZ))
        for n in range(first, min(SAMPLES, int((beat + _REACH_S) * HERTZ))):
            voltages[n] += _beat(n / HERTZ - beat)
    return {
        "start": wall.text(minute * 60),
        "end": wall.text(minute * 60 + 30),
        "classification": "Sinus Rhythm",
        "severity": "Normal",
        "averageHeartRate": rate,
        "numberOfVoltageMeasurements": SAMPLES,
        "samplingFrequency": HERTZ,
        "source": WATCH,
        "voltageMeasurements": [
            {"date": round(began + n / HERTZ, 6), "voltage": round(voltage, 3), "units": "mcV"}
            for n, voltage in enumerate(voltages)
        ],
    }


def _beat(away_s: float) -> float:
    return sum(
        height * math.exp(-(((away_s - place) / width) ** 2) / 2)
        for place, width, height in _WAVES
        if abs(away_s - place) < 5 * width
    )
