"""Words for what was found, in the owner's language."""

from __future__ import annotations

import pytest

from healthlog.hae import finding_words
from healthlog.hae.finding_words import flow_of, rhythm_of, severity_of
from healthlog.hae.vocabulary import listed

# By language: a rhythm, two severities, a flow.
_FOUND = {
    "English": ("Atrial Fibrillation", "Mild", "Severe", "Heavy"),
    "German": ("Vorhofflimmern", "Leicht", "Schwer", "Stark"),
    "French": ("Fibrillation auriculaire", "Léger", "Sévère", "Abondant"),
    "Spanish": ("Fibrilación auricular", "Leve", "Grave", "Abundante"),
    "Italian": ("Fibrillazione atriale", "Lieve", "Grave", "Abbondante"),
    "Portuguese": ("Fibrilação atrial", "Leve", "Grave", "Intenso"),
    "Dutch": ("Atriumfibrilleren", "Licht", "Ernstig", "Zwaar"),
    "Polish": ("Migotanie przedsionków", "Łagodne", "Ciężkie", "Obfite"),
    "Russian": ("Мерцательная аритмия", "Слабая", "Сильная", "Обильные"),
    "Ukrainian": ("Фібриляція передсердь", "Легкий", "Сильний", "Рясні"),
    "Swedish": ("Förmaksflimmer", "Lindrig", "Svår", "Riklig"),
    "Norwegian": ("Atrieflimmer", "Mild", "Alvorlig", "Kraftig"),
    "Danish": ("Atrieflimren", "Let", "Svær", "Stærk"),
    "Finnish": ("Eteisvärinä", "Lievä", "Vaikea", "Runsas"),
    "Czech": ("Fibrilace síní", "Mírná", "Závažná", "Silné"),
    "Turkish": ("Atriyal Fibrilasyon", "Hafif", "Şiddetli", "Yoğun"),
    "Japanese": ("心房細動", "軽度", "重度", "多い"),
    "Korean": ("심방세동", "가벼움", "심함", "많음"),
    "Chinese, simplified": ("房颤", "轻度", "重度", "大量"),
    "Chinese, traditional": ("心房顫動", "輕度", "重度", "較多"),
}


@pytest.mark.parametrize("language", _FOUND)
def test_findings_are_known_in_every_language(language: str) -> None:
    rhythm, mild, severe, flow = _FOUND[language]
    assert (rhythm_of(rhythm), flow_of(flow)) == ("atrial_fibrillation", "heavy")
    assert (severity_of(mild), severity_of(severe)) == ("mild", "severe")


def test_words_of_apple_s_export_are_known() -> None:
    assert severity_of("HKCategoryValueSeverityModerate") == "moderate"
    assert severity_of("NotPresent") == "not_present"
    assert flow_of("HKCategoryValueVaginalBleedingMedium") == "medium"


@pytest.mark.parametrize("word", ["Schlummertrunk", "", "?", "42"])
def test_a_word_that_nobody_knows_means_nothing(word: str) -> None:
    assert (rhythm_of(word), severity_of(word), flow_of(word)) == (None, None, None)


@pytest.mark.parametrize(
    "table",
    [finding_words._RHYTHM_WORDS, finding_words._SEVERITY_WORDS, finding_words._FLOW_WORDS],
)
def test_no_word_means_two_things(table: dict[str, str]) -> None:
    meant: dict[str, set[str]] = {}
    for meaning, words in table.items():
        for word in listed(words):
            meant.setdefault(word, set()).add(meaning)
    assert {word: found for word, found in meant.items() if len(found) > 1 or not word} == {}
