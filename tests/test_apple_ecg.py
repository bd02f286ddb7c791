"""Electrocardiograms of Apple's export."""

from __future__ import annotations

import pytest

from healthlog.apple.ecg import element
from tests.support.apple import START, ecg

GERMAN = "\n".join(
    (
        "Name,",
        'Geburtsdatum,"1. Jan. 1980"',
        f"Aufzeichnungsdatum,{START}",
        "Klassifizierung,Sinusrhythmus",
        "Symptome,",
        "Softwareversion,1.90",
        'Ger\u00e4t,"Watch6,7"',
        "Messrate,512\u00a0Hertz",
        "",
        "Ableitung,Ableitung I",
        "Einheit,\u00b5V",
        "",
        "-265,868",
        "12",
        "0,5",
    )
)


def test_a_recording_has_its_samples_in_time() -> None:
    found = element(ecg("-48.673", "12", "1e2", rate="2000 hertz"))
    assert found is not None
    samples = found.pop("voltageMeasurements")
    assert found == {
        "start": START,
        "end": "2026-05-03T08:00:00.002+02:00",
        "classification": "Sinus Rhythm",
        "samplingFrequency": 2000.0,
        "numberOfVoltageMeasurements": 3,
    }
    assert samples == [
        {"date": 1777788000.0, "voltage": -48.673, "units": "mcV"},
        {"date": 1777788000.0005, "voltage": 12.0, "units": "mcV"},
        {"date": 1777788000.001, "voltage": 100.0, "units": "mcV"},
    ]


@pytest.mark.scenario("import", "Electrocardiogram is read in any language")
def test_the_words_may_be_of_any_language() -> None:
    found = element(GERMAN)
    assert found is not None
    assert (found["start"], found["classification"]) == (START, "Sinusrhythmus")
    assert found["samplingFrequency"] == 512.0
    samples = found["voltageMeasurements"]
    assert isinstance(samples, list)
    assert [sample["voltage"] for sample in samples] == [-265.868, 12.0, 0.5]


def test_without_a_rate_the_samples_have_no_times() -> None:
    found = element(ecg("1", rate="?"))
    assert found is not None
    assert "voltageMeasurements" not in found
    assert found["numberOfVoltageMeasurements"] == 1


@pytest.mark.parametrize(
    "text", ["", "1\n2\n3", "Name,x\nDate of Birth,1980-01-01\n1\n", "\x00," * 9]
)
def test_a_recording_without_a_date_is_none(text: str) -> None:
    assert element(text) is None


def test_endless_lines_are_no_heads() -> None:
    assert element(f"a,{'x' * 500_000}\n{ecg('1')}") is not None
