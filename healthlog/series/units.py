"""Units of measurement: how they are spelled, what one is in another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

Convert = Callable[[float], float | None]
"""A value in another unit; None where a double can't hold it."""

GLUCOSE = "blood_glucose"
_MG_DL_PER_MMOL_L = Fraction("18.0182")
"""Of glucose alone: other substances have other molar masses."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit: its name, what it measures, its size in the dimension's first unit, the zero of
    its scale in that unit."""

    name: str
    dimension: str
    size: Fraction = Fraction(1)
    zero: Fraction = Fraction(0)


_POUND, _INCH, _KCAL = Fraction("0.45359237"), Fraction("0.0254"), Fraction("4184")
_GALLON_US, _GALLON_UK = Fraction("3.785411784"), Fraction("4.54609")

# Name, size in the dimension's own measure, spellings. Names are the phone's where it has one.
_UNITS: tuple[tuple[str, str, Fraction, tuple[str, ...]], ...] = (
    ("count", "number", Fraction(1), ("counts", "steps", "step", "times")),
    ("%", "share", Fraction(1), ("percent", "pct")),
    ("IU", "dose", Fraction(1), ("international unit", "international units")),
    ("kcal", "energy", _KCAL, ("Cal", "Calories", "kilocalories")),
    ("cal", "energy", _KCAL / 1000, ()),
    ("kJ", "energy", Fraction(1000), ("kilojoules",)),
    ("J", "energy", Fraction(1), ("joules",)),
    ("kg", "mass", Fraction(1), ("kgs", "kilograms")),
    ("g", "mass", Fraction(1, 1000), ("gram", "grams")),
    ("mg", "mass", Fraction(1, 10**6), ("milligrams",)),
    ("mcg", "mass", Fraction(1, 10**9), ("µg", "ug", "micrograms")),
    ("lb", "mass", _POUND, ("lbs", "pound", "pounds")),
    ("oz", "mass", _POUND / 16, ("ounces",)),
    ("st", "mass", _POUND * 14, ("stone",)),
    ("m", "length", Fraction(1), ("meter", "meters", "metres")),
    ("km", "length", Fraction(1000), ("kilometers", "kilometres")),
    ("cm", "length", Fraction(1, 100), ("centimeters", "centimetres")),
    ("mm", "length", Fraction(1, 1000), ()),
    ("mi", "length", _INCH * 63_360, ("mile", "miles")),
    ("yd", "length", _INCH * 36, ("yard", "yards")),
    ("ft", "length", _INCH * 12, ("foot", "feet")),
    ("in", "length", _INCH, ("inch", "inches")),
    ("L", "volume", Fraction(1), ("liter", "liters", "litres")),
    ("dL", "volume", Fraction(1, 10), ()),
    ("cL", "volume", Fraction(1, 100), ()),
    ("mL", "volume", Fraction(1, 1000), ("milliliters", "millilitres", "cc")),
    ("fl_oz_us", "volume", _GALLON_US / 128, ("fl oz", "fl. oz.", "fl_oz", "floz", "fl oz us")),
    ("fl_oz_imp", "volume", _GALLON_UK / 160, ("fl oz imp", "imp fl oz")),
    ("cup_us", "volume", _GALLON_US / 16, ("cup", "cups")),
    ("cup_imp", "volume", _GALLON_UK / 16, ()),
    ("pt_us", "volume", _GALLON_US / 8, ("pt", "pint", "pints")),
    ("pt_imp", "volume", _GALLON_UK / 8, ()),
    ("s", "time", Fraction(1), ("sec", "second", "seconds")),
    ("ms", "time", Fraction(1, 1000), ("msec", "milliseconds")),
    ("min", "time", Fraction(60), ("minute", "minutes", "mins")),
    ("hr", "time", Fraction(3600), ("h", "hour", "hours", "hrs")),
    ("d", "time", Fraction(86_400), ("day", "days")),
    ("count/min", "rate", Fraction(1), ("bpm", "rpm", "spm", "/min", "breaths/min", "beats/min")),
    ("count/s", "rate", Fraction(60), ("Hz", "/s")),
    ("km/hr", "speed", Fraction(1000, 3600), ("km/h", "kmph", "kph")),
    ("m/s", "speed", Fraction(1), ("m/sec",)),
    ("mi/hr", "speed", _INCH * 63_360 / 3600, ("mph", "mi/h")),
    ("ft/s", "speed", _INCH * 12, ()),
    ("mmHg", "pressure", Fraction("133.322387415"), ("mm Hg",)),
    ("Pa", "pressure", Fraction(1), ()),
    ("hPa", "pressure", Fraction(100), ("mbar",)),
    ("kPa", "pressure", Fraction(1000), ()),
    ("cmAq", "pressure", Fraction("98.0665"), ("cmH2O",)),
    ("inHg", "pressure", Fraction("133.322387415") * Fraction("25.4"), ()),
    ("mg/dL", "mass in volume", Fraction(1), ()),
    ("mmol/L", "amount in volume", Fraction(1), ("mmol<180.1558800000541>/L",)),
    ("W", "power", Fraction(1), ("watt", "watts")),
    ("kW", "power", Fraction(1000), ()),
    ("ml/(kg·min)", "oxygen", Fraction(1), ("mL/min·kg", "mL/kg/min", "mL/kg·min", "mL/(min·kg)")),
    ("kcal/hr·kg", "effort", Fraction(1), ("kcal/(kg·hr)", "kcal/kg·hr", "kcal/(hr·kg)", "MET")),
    ("dBASPL", "sound", Fraction(1), ("dB(A)", "dBA")),
    ("dBHL", "hearing", Fraction(1), ()),
    ("S", "conductance", Fraction(1), ()),
    ("mcS", "conductance", Fraction(1, 10**6), ("µS",)),
    ("L/min", "flow", Fraction(1), ()),
    ("L/s", "flow", Fraction(60), ()),
)
_TEMPERATURES = (
    (Unit("degC", "temperature"), ("°C", "C", "celsius")),
    (Unit("degF", "temperature", Fraction(5, 9), Fraction(-160, 9)), ("°F", "F", "fahrenheit")),
    (Unit("K", "temperature", Fraction(1), Fraction("-273.15")), ("kelvin",)),
)


def _compact(text: str) -> str:
    """A spelling without what carries nothing: blanks, which of the dots, which of the mus."""
    plain = "".join(text.split()).replace("\u03bc", "\u00b5")
    for dot in "⋅∙•*":
        plain = plain.replace(dot, "·")
    return plain


def _spellings() -> tuple[Mapping[str, Unit], Mapping[str, Unit]]:
    """Units by their spellings, letter by letter, then with any case of letters."""
    units = [(Unit(name, of, size), words) for name, of, size, words in _UNITS]
    exact = {
        _compact(word): unit
        for unit, words in (*units, *_TEMPERATURES)
        for word in (unit.name, *words)
    }
    folded: dict[str, Unit] = {}
    for word, unit in exact.items():
        folded.setdefault(word.casefold(), unit)
    return exact, folded


_EXACT, _FOLDED = _spellings()


def known(text: str | None) -> Unit | None:
    """The unit spelled so; None where nobody knows it. `Cal` is not `cal`, and `S` not `s`;
    otherwise the case of letters says nothing."""
    if text is None:
        return None
    compact = _compact(text)
    return _EXACT.get(compact) or _FOLDED.get(compact.casefold())


def spelled(text: str | None) -> str | None:
    """The one spelling of a unit; of one that nobody knows, as it was sent."""
    unit = known(text)
    return text if unit is None else unit.name


def converter(metric: str, sent: str | None, wanted: str | None) -> Convert | None:
    """How values of a metric become those of another unit; None where they can't."""
    if spelled(sent) == spelled(wanted):
        return _as_it_is
    source, target = known(sent), known(wanted)
    if source is None or target is None:
        return None
    factor, shift = source.size / target.size, (source.zero - target.zero) / target.size
    if source.dimension != target.dimension:
        molar = _molar(metric, source, target)
        if molar is None:
            return None
        factor, shift = molar, Fraction(0)
    return lambda value: _converted(value, factor, shift)


def _molar(metric: str, source: Unit, target: Unit) -> Fraction | None:
    if metric != GLUCOSE:
        return None
    if (source.name, target.name) == ("mmol/L", "mg/dL"):
        return _MG_DL_PER_MMOL_L
    if (source.name, target.name) == ("mg/dL", "mmol/L"):
        return 1 / _MG_DL_PER_MMOL_L
    return None


def _as_it_is(value: float) -> float | None:
    return value


def _converted(value: float, factor: Fraction, shift: Fraction) -> float | None:
    # In fractions, so that there is one rounding, the last: 16 oz are 1 lb to the last digit.
    try:
        return float(Fraction(value) * factor + shift)
    except OverflowError:
        return None
