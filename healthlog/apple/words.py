"""HealthKit's words for what is no number, as the live feed says them in English."""

from __future__ import annotations

from collections.abc import Mapping

from healthlog.apple.names import bare, spelled_out

SLEEP_STAGES: Mapping[str, str] = {
    "InBed": "In Bed",
    "Asleep": "Asleep",
    "AsleepUnspecified": "Asleep",
    "AsleepCore": "Core",
    "AsleepDeep": "Deep",
    "AsleepREM": "REM",
    "Awake": "Awake",
}

SYMPTOMS: Mapping[str, str] = {
    "AbdominalCramps": "Abdominal Cramps",
    "Acne": "Acne",
    "AppetiteChanges": "Appetite Changes",
    "BladderIncontinence": "Bladder Incontinence",
    "Bloating": "Bloating",
    "BreastPain": "Breast Pain",
    "ChestTightnessOrPain": "Chest Tightness or Pain",
    "Chills": "Chills",
    "Constipation": "Constipation",
    "Coughing": "Coughing",
    "Diarrhea": "Diarrhea",
    "Dizziness": "Dizziness",
    "DrySkin": "Dry Skin",
    "Fainting": "Fainting",
    "Fatigue": "Fatigue",
    "Fever": "Fever",
    "GeneralizedBodyAche": "Body and Muscle Ache",
    "HairLoss": "Hair Loss",
    "Headache": "Headache",
    "Heartburn": "Heartburn",
    "HotFlashes": "Hot Flashes",
    "LossOfSmell": "Loss of Smell",
    "LossOfTaste": "Loss of Taste",
    "LowerBackPain": "Lower Back Pain",
    "MemoryLapse": "Memory Lapse",
    "MoodChanges": "Mood Changes",
    "Nausea": "Nausea",
    "NightSweats": "Night Sweats",
    "PelvicPain": "Pelvic Pain",
    "RapidPoundingOrFlutteringHeartbeat": "Rapid, Pounding or Fluttering Heartbeat",
    "RunnyNose": "Runny Nose",
    "ShortnessOfBreath": "Shortness of Breath",
    "SinusCongestion": "Congestion",
    "SkippedHeartbeat": "Skipped Heartbeat",
    "SleepChanges": "Sleep Changes",
    "SoreThroat": "Sore Throat",
    "VaginalDryness": "Vaginal Dryness",
    "Vomiting": "Vomiting",
    "Wheezing": "Wheezing",
}

CYCLE: Mapping[str, str] = {
    "BleedingAfterPregnancy": "Bleeding After Pregnancy",
    "BleedingDuringPregnancy": "Bleeding During Pregnancy",
    "CervicalMucusQuality": "Cervical Mucus Quality",
    "Contraceptive": "Contraceptive",
    "InfrequentMenstrualCycles": "Infrequent Menstrual Cycles",
    "IntermenstrualBleeding": "Intermenstrual Bleeding",
    "IrregularMenstrualCycles": "Irregular Menstrual Cycles",
    "Lactation": "Lactation",
    "MenstrualFlow": "Menstrual Flow",
    "OvulationTestResult": "Ovulation Test Result",
    "PersistentIntermenstrualBleeding": "Persistent Intermenstrual Bleeding",
    "Pregnancy": "Pregnancy",
    "PregnancyTestResult": "Pregnancy Test Result",
    "ProgesteroneTestResult": "Progesterone Test Result",
    "ProlongedMenstrualPeriods": "Prolonged Menstrual Periods",
}

HEART: Mapping[str, str] = {
    "HighHeartRateEvent": "high_heart_rate_notification",
    "LowHeartRateEvent": "low_heart_rate_notification",
    "IrregularHeartRhythmEvent": "irregular_rhythm_notification",
}

NO_VALUE = "NotApplicable"

_VALUE = "HKCategoryValue"
# A value names its own kind before it says anything, and that kind is not always the type's.
_KINDS = (
    "SleepAnalysis",
    "AppleStandHour",
    "Severity",
    "Presence",
    "AppetiteChanges",
    "VaginalBleeding",
    "MenstrualFlow",
    "CervicalMucusQuality",
    "OvulationTestResult",
    "Contraceptive",
    "PregnancyTestResult",
    "ProgesteroneTestResult",
    "LowCardioFitnessEvent",
    "AppleWalkingSteadinessEvent",
    "EnvironmentalAudioExposureEvent",
    "HeadphoneAudioExposureEvent",
    "AudioExposureEvent",
)

# HealthKit's names of workouts that the phone calls otherwise.
_WORKOUTS: Mapping[str, str] = {
    "MindAndBody": "Mind and Body",
    "MixedMetabolicCardioTraining": "Mixed Metabolic Cardio Training",
    "TrackAndField": "Track and Field",
}
_PLACED: Mapping[str, str] = {
    "Cycling": "Cycling",
    "Rowing": "Rowing",
    "Running": "Run",
    "Walking": "Walk",
}


def category_value(text: str) -> str:
    """`HKCategoryValueSeverityMild` as `Mild`; what is no such word as it is."""
    if not text.startswith(_VALUE):
        return text
    word = text.removeprefix(_VALUE)
    kind = next((one for one in _KINDS if word.startswith(one) and word != one), "")
    return word.removeprefix(kind)


def workout_name(activity: str, *, indoor: bool | None, pool: bool | None) -> str:
    """`HKWorkoutActivityTypeRunning` as `Outdoor Run`, as far as it is known where it was."""
    kind = activity.removeprefix("HKWorkoutActivityType")
    if kind == "Swimming" and pool is not None:
        return "Pool Swim" if pool else "Open Water Swim"
    if kind in _PLACED and indoor is not None:
        return f"{'Indoor' if indoor else 'Outdoor'} {_PLACED[kind]}"
    return _WORKOUTS.get(kind) or spelled_out(bare(kind))
