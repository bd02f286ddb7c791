"""Electrocardiograms: a CSV of Apple's export as the live feed's element.

The words of the file are in the phone's language, so that what each line holds is told by its
place and its form: dates, a rate, a unit, then one voltage a line.
"""

from __future__ import annotations

import csv
import io
import re

from healthlog.moment import Moment, instant_text, parse

_VOLTAGE = re.compile(r"\s*([+-]?\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?)\s*\Z")
_RATE = re.compile(r"\s*(\d+(?:[.,]\d+)?)\s*[^\d\s]+.*\Z")
_MICROVOLT = frozenset(("\u00b5V", "\u03bcV", "uV", "mcV"))
_MOST_HEADS, _LONGEST_HEAD = 40, 1_000
_LEAST_HZ, _MOST_HZ = 50.0, 5_000.0


def element(text: str) -> dict[str, object] | None:
    """The recording as the live feed would send it, its samples counted from its start; None where
    the file doesn't say when it was made."""
    heads, voltages = _parts(text)
    dated = [(index, at) for index, (_, value) in enumerate(heads) if (at := _moment(value))]
    if not dated:
        return None
    index, at = dated[0]
    assert at.at_ms is not None
    said: dict[str, object] = {"start": heads[index][1]}
    # The line after the date says what the watch made of it.
    if index + 1 < len(heads):
        said["classification"] = heads[index + 1][1]
    rate = _rate(heads[index + 1 :])
    unit = next((value for _, value in heads if value in _MICROVOLT), None)
    said["numberOfVoltageMeasurements"] = len(voltages)
    if rate is not None:
        said["samplingFrequency"] = rate
        lasts_ms = round(len(voltages) * 1000 / rate)
        said["end"] = instant_text(at.at_ms + lasts_ms, at.offset_min)
        units = "mcV" if unit in _MICROVOLT else unit
        said["voltageMeasurements"] = [
            {"date": at.at_ms / 1000 + place / rate, "voltage": voltage, "units": units}
            for place, voltage in enumerate(voltages)
        ]
    return said


def _parts(text: str) -> tuple[list[tuple[str, str]], list[float]]:
    """Lines of a name with a value, then the voltages."""
    heads: list[tuple[str, str]] = []
    voltages: list[float] = []
    for line in text.splitlines():
        voltage = _VOLTAGE.match(line)
        if voltage is not None:
            voltages.append(float(voltage[1].replace(",", ".")))
        elif (
            not voltages and line.strip() and len(heads) < _MOST_HEADS and len(line) < _LONGEST_HEAD
        ):
            row = next(csv.reader(io.StringIO(line)), [])
            heads.append((row[0], ",".join(row[1:]).strip()) if row else ("", ""))
    return heads, voltages


def _moment(text: str) -> Moment | None:
    try:
        found = parse(text)
    except ValueError:
        return None
    # A date of birth has no time.
    return found if found.at_ms is not None else None


def _rate(heads: list[tuple[str, str]]) -> float | None:
    for _, value in heads:
        found = _RATE.match(value)
        rate = float(found[1].replace(",", ".")) if found else 0.0
        if _LEAST_HZ <= rate <= _MOST_HZ:
            return rate
    return None
