"""Names of workouts in the owner's language."""

from __future__ import annotations

import random

import pytest

from healthlog.hae import gym_words, sport_words, workout_types, workout_words
from healthlog.hae.vocabulary import folded, listed
from healthlog.hae.workout_types import TYPES, type_of

# HealthKit's enumeration up to iOS 18.
_HEALTHKIT = """
    AmericanFootball Archery AustralianFootball Badminton Barre Baseball Basketball Bowling Boxing
    CardioDance Climbing Cooldown CoreTraining Cricket CrossCountrySkiing CrossTraining Curling
    Cycling Dance DanceInspiredTraining DiscSports DownhillSkiing Elliptical EquestrianSports
    Fencing Fishing FitnessGaming Flexibility FunctionalStrengthTraining Golf Gymnastics HandCycling
    Handball HighIntensityIntervalTraining Hiking Hockey Hunting JumpRope Kickboxing Lacrosse
    MartialArts MindAndBody MixedCardio MixedMetabolicCardioTraining Other PaddleSports Pickleball
    Pilates Play PreparationAndRecovery Racquetball Rowing Rugby Running Sailing SkatingSports
    SnowSports Snowboarding Soccer SocialDance Softball Squash StairClimbing Stairs StepTraining
    SurfingSports SwimBikeRun Swimming TableTennis TaiChi Tennis TrackAndField
    TraditionalStrengthTraining Transition UnderwaterDiving Volleyball Walking WaterFitness
    WaterPolo WaterSports WheelchairRunPace WheelchairWalkPace Wrestling Yoga
""".split()  # noqa: SIM905 - words are read more easily than a list of texts

# By language: a walk and a run with their place before or behind them, a swim in a pool.
_PLACED = {
    "English": ("Outdoor Walk", "Indoor Run", "Pool Swim"),
    "German": ("Innenräume Spaziergang", "Outdoor Ausführen", "Schwimmbad Schwimmen"),
    "French": ("Marche en extérieur", "Course à pied en salle", "Natation en piscine"),
    "Spanish": ("Caminata al aire libre", "Carrera en interiores", "Natación en piscina"),
    "Italian": ("Camminata all'aperto", "Corsa indoor", "Nuoto in piscina"),
    "Portuguese": ("Caminhada ao ar livre", "Corrida em ambiente interno", "Natação em piscina"),
    "Dutch": ("Buiten wandelen", "Binnen hardlopen", "Zwemmen in zwembad"),
    "Polish": ("Chód na dworze", "Bieg w pomieszczeniu", "Pływanie w basenie"),
    "Russian": ("Ходьба на улице", "Бег в помещении", "Плавание в бассейне"),
    "Ukrainian": ("Ходьба надворі", "Біг у приміщенні", "Плавання в басейні"),
    "Swedish": ("Promenad utomhus", "Löpning inomhus", "Simning i bassäng"),
    "Norwegian": ("Gange utendørs", "Løping innendørs", "Svømming i basseng"),
    "Danish": ("Gang udendørs", "Løb indendørs", "Svømning i bassin"),
    "Finnish": ("Kävely ulkona", "Juoksu sisällä", "Uinti altaassa"),
    "Czech": ("Chůze venku", "Běh uvnitř", "Plavání v bazénu"),
    "Turkish": ("Açık Alanda Yürüyüş", "Kapalı Alanda Koşu", "Havuzda Yüzme"),
    "Japanese": ("屋外ウォーキング", "室内ランニング", "プールスイミング"),
    "Korean": ("실외 걷기", "실내 달리기", "수영장 수영"),
    "Chinese, simplified": ("户外步行", "室内跑步", "泳池游泳"),
    "Chinese, traditional": ("戶外步行", "室內跑步", "泳池游泳"),
}

# By language: cycling, hiking, strength, high intensity intervals, cooling down, all else.
_PLAIN = {
    "English": ("Cycling", "Hiking", "Traditional Strength Training", "HIIT", "Cooldown", "Other"),
    "German": (
        *("Radfahren", "Wandern", "Traditionelles Krafttraining"),
        *("Hochintensives Intervalltraining", "Abkühlen", "Sonstige"),
    ),
    "French": (
        *("Cyclisme", "Randonnée", "Musculation traditionnelle"),
        *("Entraînement fractionné de haute intensité", "Récupération", "Autre"),
    ),
    "Spanish": (
        *("Ciclismo", "Senderismo", "Entrenamiento de fuerza tradicional"),
        *("Entrenamiento en intervalos de alta intensidad", "Enfriamiento", "Otro"),
    ),
    "Russian": (
        *("Велосипед", "Поход", "Традиционная силовая тренировка"),
        *("Высокоинтенсивная интервальная тренировка", "Заминка", "Другое"),
    ),
    "Japanese": (
        *("サイクリング", "ハイキング", "従来の筋力トレーニング"),
        *("高強度インターバルトレーニング", "クールダウン", "その他"),
    ),
    "Chinese, traditional": ("騎車", "健行", "傳統肌力訓練", "高強度間歇訓練", "緩和運動", "其他"),
}


@pytest.mark.parametrize("language", _PLACED)
def test_a_kind_is_one_wherever_it_was_done(language: str) -> None:
    assert [*map(type_of, _PLACED[language])] == ["walking", "running", "swimming"]


@pytest.mark.parametrize("language", _PLAIN)
def test_kinds_are_known_in_many_languages(language: str) -> None:
    assert [*map(type_of, _PLAIN[language])] == [
        *("cycling", "hiking", "traditional_strength_training"),
        *("high_intensity_interval_training", "cooldown", "other"),
    ]


@pytest.mark.parametrize("kind", _HEALTHKIT)
def test_every_kind_of_healthkit_is_one(kind: str) -> None:
    found = type_of(f"HKWorkoutActivityType{kind}")
    assert found is not None
    assert folded(found) == kind.lower()


def test_there_are_no_other_kinds() -> None:
    assert {folded(one) for one in TYPES} == {kind.lower() for kind in _HEALTHKIT}


@pytest.mark.parametrize(
    "name",
    [
        "Outdoor Run",
        "outdoor run",
        "Outdoor_Run",
        "OUTDOOR-RUN",
        "Run, outdoor",
        "Outdoor\u202fRun",
    ],
)
def test_spelling_does_not_matter(name: str) -> None:
    assert type_of(name) == "running"


@pytest.mark.parametrize("name", ["Quidditch", "Outdoor", "Outdoor Quidditch", "", "?", "37"])
def test_a_name_that_nobody_knows_means_nothing(name: str) -> None:
    assert type_of(name) is None


def test_no_name_means_two_kinds() -> None:
    meant: dict[str, set[str]] = {}
    for words in (workout_words.WORDS, gym_words.WORDS, sport_words.WORDS):
        for kind, names in words.items():
            for name in (folded(kind), *listed(names)):
                meant.setdefault(name, set()).add(kind)
    assert {name: found for name, found in meant.items() if len(found) > 1 or not name} == {}


def test_a_place_changes_no_name() -> None:
    chance = random.Random(82)
    places, names = workout_types._PLACE_WORDS, [*workout_types._TYPE_OF.items()]
    pairs = [(place, *chance.choice(names)) for place in places for _ in range(5)]
    pairs += [(chance.choice(places), *name) for name in names]
    for place, name, kind in pairs:
        assert {type_of(place + name), type_of(name + place)} == {kind}
