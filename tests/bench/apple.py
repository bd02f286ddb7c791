"""Makes an `export.xml` of any size, such as a phone exports after years, of nobody.

python -m tests.bench.apple FILE [--mib 200] [--seed 1]
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import BinaryIO, NamedTuple

PROLOG = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE HealthData [
<!-- HealthKit Export Version: 14 -->
<!ELEMENT HealthData (ExportDate,Me,(Record|Correlation|Workout|ActivitySummary)*)>
<!ATTLIST HealthData
  locale CDATA #REQUIRED
>
<!ELEMENT ExportDate EMPTY>
<!ATTLIST ExportDate
  value CDATA #REQUIRED
>
]>
<HealthData locale="en_US">
 <ExportDate value="2026-06-01 09:00:00 +0200"/>
 <Me HKCharacteristicTypeIdentifierBloodType="HKBloodTypeNotSet"/>
"""
END = "</HealthData>\n"

_ZONE = timezone(timedelta(hours=2))
_FIRST = datetime(2016, 1, 1, tzinfo=UTC).astimezone(_ZONE)
_WATCH = (
    'sourceName="Apple\u00a0Watch" sourceVersion="10.6.1"'
    ' device="&lt;&lt;HKDevice: 0x301c2f5e0&gt;,'
    " name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,2, software:10.6.1,"
    ' creation date:2024-09-20 06:12:20 +0000&gt;"'
)
_PHONE = 'sourceName="iPhone" sourceVersion="17.6.1"'
_QUANTITY = "HKQuantityTypeIdentifier"


class _Kind(NamedTuple):
    """One kind of records: `every_s` from one to the next, `share` of 100 bytes."""

    name: str
    unit: str
    source: str
    every_s: int
    lasts_s: int
    least: float
    most: float
    share: int


_KINDS = (
    _Kind("ActiveEnergyBurned", "kcal", _WATCH, 61, 60, 0.1, 9.0, 33),
    _Kind("HeartRate", "count/min", _WATCH, 300, 0, 45, 170, 18),
    _Kind("BasalEnergyBurned", "kcal", _WATCH, 300, 299, 4, 7, 15),
    _Kind("StepCount", "count", _PHONE, 600, 420, 1, 900, 10),
    _Kind("StepCount", "count", _WATCH, 600, 420, 1, 900, 6),
    _Kind("DistanceWalkingRunning", "km", _WATCH, 600, 420, 0.001, 0.9, 6),
    _Kind("PhysicalEffort", "kcal/hr\u00b7kg", _WATCH, 300, 300, 0.8, 12, 5),
    _Kind("OxygenSaturation", "%", _WATCH, 900, 0, 0.9, 1.0, 3),
    _Kind("RespiratoryRate", "count/min", _WATCH, 900, 900, 10, 22, 2),
    _Kind("EnvironmentalAudioExposure", "dBASPL", _WATCH, 1800, 1800, 30, 95, 1),
)
_STAGES = ("Core", "Deep", "REM", "Core")
_MIB = 1024 * 1024


def export(size: int, seed: int = 1) -> Iterator[str]:
    """The document in pieces, of about `size` bytes. Types stand one after the other, as in a real
    export; the same size with the same seed gives the same document."""
    chance = random.Random(seed)
    yield PROLOG
    for kind in _KINDS:
        made, number = 0, 0
        while made < size * kind.share // 101:
            text = "".join(_record(chance, kind, number + index) for index in range(200))
            number += 200
            made += len(text)
            yield text
    made, night = 0, 0
    while made < size // 101:
        text = _night(night) + (_workout(chance, night) if night % 3 == 0 else "")
        night += 1
        made += len(text)
        yield text
    yield END


def write(target: BinaryIO, size: int, seed: int = 1) -> None:
    target.writelines(piece.encode() for piece in export(size, seed))


def _record(chance: random.Random, kind: _Kind, number: int) -> str:
    start = _text(number * kind.every_s)
    end = _text(number * kind.every_s + kind.lasts_s) if kind.lasts_s else start
    text = (
        f' <Record type="{_QUANTITY}{kind.name}" {kind.source} unit="{kind.unit}"'
        f' creationDate="{end}" startDate="{start}" endDate="{end}"'
        f' value="{chance.uniform(kind.least, kind.most):.6g}"'
    )
    if kind.name != "HeartRate":
        return text + "/>\n"
    context = '  <MetadataEntry key="HKMetadataKeyHeartRateMotionContext" value="1"/>'
    return f"{text}>\n{context}\n </Record>\n"


def _text(after_s: int) -> str:
    return f"{_FIRST + timedelta(seconds=after_s):%Y-%m-%d %H:%M:%S} +0200"


def _night(night: int) -> str:
    begin = night * 86_400 + 81_000
    return "".join(
        f' <Record type="HKCategoryTypeIdentifierSleepAnalysis" {_WATCH}'
        f' creationDate="{_text(begin + 30_000)}" startDate="{_text(begin + 1_500 * part)}"'
        f' endDate="{_text(begin + 1_500 * part + 1_500)}"'
        f' value="HKCategoryValueSleepAnalysisAsleep{_STAGES[part % 4]}"/>\n'
        for part in range(16)
    )


def _workout(chance: random.Random, night: int) -> str:
    begin = night * 86_400 + 61_200
    span = f'startDate="{_text(begin)}" endDate="{_text(begin + 1_800)}"'
    statistic = f'  <WorkoutStatistics type="{_QUANTITY}'
    return (
        f' <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="30"'
        f' durationUnit="min" {_WATCH} creationDate="{_text(begin + 1_800)}" {span}>\n'
        f'  <MetadataEntry key="HKIndoorWorkout" value="0"/>\n'
        f'{statistic}ActiveEnergyBurned" {span} sum="{chance.randint(200, 500)}" unit="kcal"/>\n'
        f'{statistic}HeartRate" {span} average="140" maximum="170" unit="count/min"/>\n'
        f" </Workout>\n"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--mib", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with given.file.open("wb") as target:
        write(target, given.mib * _MIB, given.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
