"""Words in the owner's language."""

from __future__ import annotations

import pytest

from healthlog.hae import words
from healthlog.hae.words import STAGES, STATUSES, stage_of, status_of

# By language: awake, asleep, in bed, core, deep, rem.
_STAGES = {
    "English": ("Awake", "Asleep", "In Bed", "Core", "Deep", "REM"),
    "German": ("Wach", "Schlaf", "Im Bett", "Kern", "Tief", "REM-Schlaf"),
    "French": ("Éveillé(e)", "Endormi", "Au lit", "Sommeil léger", "Profond", "Paradoxal"),
    "Spanish": ("Despierto", "Dormido", "En la cama", "Esencial", "Profundo", "REM"),
    "Italian": ("Sveglio", "Addormentato", "A letto", "Essenziale", "Profondo", "REM"),
    "Portuguese": ("Acordado", "Adormecido", "Na cama", "Núcleo", "Profundo", "REM"),
    "Dutch": ("Wakker", "Slaap", "In bed", "Kern", "Diep", "Remslaap"),
    "Polish": ("Czuwanie", "Sen", "W łóżku", "Podstawowy", "Głęboki", "REM"),
    "Russian": ("Бодрствование", "Сон", "В кровати", "Базовый", "Глубокий", "Быстрый"),
    "Ukrainian": ("Неспання", "Спить", "У ліжку", "Базовий", "Глибокий", "Швидкий"),
    "Swedish": ("Vaken", "Sover", "I sängen", "Kärna", "Djup", "REM-sömn"),
    "Norwegian": ("Våken", "Søvn", "I sengen", "Kjerne", "Dyp", "REM-søvn"),
    "Danish": ("Vågen", "Sover", "I sengen", "Kerne", "Dyb", "REM"),
    "Finnish": ("Hereillä", "Unessa", "Sängyssä", "Ydinuni", "Syvä uni", "REM-uni"),
    "Czech": ("Vzhůru", "Spánek", "V posteli", "Základní", "Hluboký", "REM"),
    "Turkish": ("Uyanık", "Uykuda", "Yatakta", "Çekirdek", "Derin", "REM"),
    "Japanese": ("覚醒", "睡眠", "就寝", "コア", "深い", "レム"),
    "Korean": ("깨어 있음", "수면", "침대에 있음", "코어 수면", "깊은 수면", "REM 수면"),
    "Chinese, simplified": ("清醒", "睡眠", "卧床", "核心", "深度", "快速动眼"),
    "Chinese, traditional": ("清醒", "睡著", "臥床", "核心", "深層", "快速動眼"),
}

# By language: taken, skipped, snoozed, not logged.
_DOSES = {
    "English": ("Taken", "Skipped", "Snoozed", "Not Logged"),
    "German": ("Eingenommen", "Übersprungen", "Zurückgestellt", "Nicht protokolliert"),
    "French": ("Pris", "Ignoré", "Reporté", "Non consigné"),
    "Spanish": ("Tomado", "Omitido", "Pospuesto", "No registrado"),
    "Italian": ("Preso", "Saltato", "Posticipato", "Non registrato"),
    "Portuguese": ("Tomado", "Ignorado", "Adiado", "Não registado"),
    "Dutch": ("Ingenomen", "Overgeslagen", "Uitgesteld", "Niet geregistreerd"),
    "Polish": ("Przyjęto", "Pominięto", "Odłożono", "Nie zarejestrowano"),
    "Russian": ("Принято", "Пропущено", "Отложено", "Не записано"),
    "Ukrainian": ("Прийнято", "Пропущено", "Відкладено", "Не записано"),
    "Swedish": ("Tagen", "Överhoppad", "Snoozad", "Inte loggad"),
    "Norwegian": ("Tatt", "Hoppet over", "Utsatt", "Ikke loggført"),
    "Danish": ("Taget", "Sprunget over", "Udsat", "Ikke registreret"),
    "Finnish": ("Otettu", "Ohitettu", "Torkutettu", "Ei kirjattu"),
    "Czech": ("Užito", "Vynecháno", "Odloženo", "Nezaznamenáno"),
    "Turkish": ("Alındı", "Atlandı", "Ertelendi", "Kaydedilmedi"),
    "Japanese": ("服用済み", "スキップ", "スヌーズ", "未記録"),
    "Korean": ("복용함", "건너뜀", "미룸", "기록되지 않음"),
    "Chinese, simplified": ("已服用", "已跳过", "已推迟", "未记录"),
    "Chinese, traditional": ("已服用", "已跳過", "已延後", "未記錄"),
}


@pytest.mark.parametrize("language", _STAGES)
def test_the_stages_are_known_in_every_language(language: str) -> None:
    found = [stage_of(word) for word in _STAGES[language]]
    assert found == ["awake", "asleep", "in_bed", "core", "deep", "rem"]


@pytest.mark.parametrize("language", _DOSES)
def test_fates_of_a_dose_are_known_in_every_language(language: str) -> None:
    found = [status_of(word) for word in _DOSES[language]]
    assert found == ["taken", "skipped", "snoozed", "not_logged"]


@pytest.mark.parametrize(
    "word",
    ["In Bed", "in bed", "INBED", "in_bed", "In\u00a0Bed", "HKCategoryValueSleepAnalysisInBed"],
)
def test_spelling_does_not_matter(word: str) -> None:
    assert stage_of(word) == "in_bed"


@pytest.mark.parametrize("stage", ["Core", "Deep", "REM", "Unspecified"])
def test_names_of_apple_s_export_are_known(stage: str) -> None:
    meant = "asleep" if stage == "Unspecified" else stage.lower()
    assert stage_of(f"HKCategoryValueSleepAnalysisAsleep{stage}") == meant


@pytest.mark.parametrize("word", ["Schlummertrunk", "", "?", "42"])
def test_a_word_that_nobody_knows_means_nothing(word: str) -> None:
    assert stage_of(word) is None
    assert status_of(word) is None


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ("Not Interacted", "not_interacted"),
        ("Notification Not Sent", "notification_not_sent"),
        ("Unspecified", "unspecified"),
    ],
)
def test_the_rarer_fates_of_a_dose_are_known(word: str, status: str) -> None:
    assert status_of(word) == status


@pytest.mark.parametrize("table", [words._STAGE_WORDS, words._STATUS_WORDS])
def test_no_word_means_two_things(table: dict[str, str]) -> None:
    meant: dict[str, set[str]] = {}
    for meaning, text in table.items():
        for word in text.replace(";", ",").split(","):
            meant.setdefault(words._folded(word), set()).add(meaning)
    assert {word: found for word, found in meant.items() if len(found) > 1 or not word} == {}


def test_everything_has_words() -> None:
    assert set(words._STAGE_WORDS) == set(STAGES)
    assert set(words._STATUS_WORDS) == set(STATUSES)
