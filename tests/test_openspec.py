"""The specifications' form, with the scenarios on one side against the tests on the other."""

from __future__ import annotations

import pytest

from tests.support.openspec import Spec, faults, marks, read, specs
from tests.support.sources import source, sources

SPECS = specs()
SCENARIOS = {
    (spec.capability, s.name) for spec in SPECS for r in spec.requirements for s in r.scenarios
}
MARKS = [
    (capability, name, f"{file.path}:{line}")
    for file in sources("tests")
    for capability, name, line in marks(file)
]


def test_there_are_specifications() -> None:
    assert SPECS


@pytest.mark.parametrize("spec", SPECS, ids=[spec.capability for spec in SPECS])
def test_a_specification_is_well_formed(spec: Spec) -> None:
    assert list(faults(spec)) == []


def test_every_scenario_has_a_test() -> None:
    marked = {(capability, name) for capability, name, _ in MARKS}
    missing = [f'@pytest.mark.scenario("{c}", "{n}")' for c, n in sorted(SCENARIOS - marked)]
    assert not missing, "\n".join(["scenarios without a test:", *missing])


def test_every_mark_names_a_scenario() -> None:
    unknown = [f"{place} {c}: {n}" for c, n, place in MARKS if (c, n) not in SCENARIOS]
    assert not unknown, "\n".join(["marks without a scenario in openspec/specs:", *unknown])


# The rest asks whether the tests above could fail at all.

GOOD = """# door Specification

## Purpose
The door takes what the phone sends, whatever it is, and answers once it is safe.

## Requirements

### Requirement: A name
The door SHALL open.

#### Scenario: It opens
- **WHEN** somebody knocks
- **THEN** it opens

```
#### Scenario: An example in a fence is none
```
"""


def test_a_good_specification_has_no_faults() -> None:
    spec = read("door", GOOD)
    assert [[s.name for s in r.scenarios] for r in spec.requirements] == [["It opens"]]
    assert list(faults(spec)) == []


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("SHALL open", "opens", "A name: neither SHALL nor MUST"),
        ("#### Scenario: It opens", "", "A name: no scenario"),
        ("#### Scenario: It", "### Scenario: It", "a heading out of place: Scenario: It opens"),
        ("- **THEN** it opens", "", "A name: It opens lacks WHEN or THEN"),
        (
            ", whatever it is, and answers once it is safe",
            "",
            "the purpose has less than 50 characters",
        ),
        ("### Requirement: A name", "", "no requirement"),
    ],
)
def test_a_fault_is_named(old: str, new: str, fault: str) -> None:
    assert fault in list(faults(read("door", GOOD.replace(old, new))))


def test_two_of_one_name_are_named() -> None:
    twice = GOOD + GOOD[GOOD.index("### Requirement") :]
    found = list(faults(read("door", twice)))
    assert found == ["two requirements are called A name", "two scenarios are called It opens"]


def test_marks_are_found_on_functions_and_on_parameters() -> None:
    text = (
        "@pytest.mark.scenario('door', 'It opens')\ndef test_a(): ...\n"
        "@pytest.mark.parametrize('x', [\n"
        "    pytest.param(1, marks=pytest.mark.scenario('door', 'It shuts'))])\n"
        "def test_b(x): ...\n"
    )
    assert list(marks(source("tests/x.py", text))) == [
        ("door", "It opens", 1),
        ("door", "It shuts", 4),
    ]


def test_a_mark_that_is_computed_is_refused() -> None:
    with pytest.raises(ValueError, match="two written-out strings"):
        list(marks(source("tests/x.py", "m = pytest.mark.scenario('door', NAME)\n")))
