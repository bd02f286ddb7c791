"""HealthKit's names for what it measures, as the phone's live feed names them."""

from __future__ import annotations

import re
from collections.abc import Mapping

_PREFIX = re.compile(
    r"\AHK(?:Quantity|Category|Correlation|Data|Characteristic)?(?:Type)?(?:Identifier)?"
)
# Where a word begins: a capital after a small letter or digit, the last of several capitals, and a
# number that is no part of a short name such as B12.
_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[a-z])(?=[0-9])")

METRICS: Mapping[str, str] = {
    # Activity
    "ActiveEnergyBurned": "active_energy",
    "AppleExerciseTime": "apple_exercise_time",
    "AppleMoveTime": "apple_move_time",
    "AppleStandHour": "apple_stand_hour",
    "AppleStandTime": "apple_stand_time",
    "BasalEnergyBurned": "basal_energy_burned",
    "CrossCountrySkiingSpeed": "cross_country_skiing_speed",
    "CyclingCadence": "cycling_cadence",
    "CyclingFunctionalThresholdPower": "cycling_functional_threshold_power",
    "CyclingPower": "cycling_power",
    "CyclingSpeed": "cycling_speed",
    "DistanceCrossCountrySkiing": "distance_cross_country_skiing",
    "DistanceCycling": "cycling_distance",
    "DistanceDownhillSnowSports": "distance_downhill_snow_sports",
    "DistancePaddleSports": "distance_paddle_sports",
    "DistanceRowing": "distance_rowing",
    "DistanceSkatingSports": "distance_skating_sports",
    "DistanceSwimming": "swimming_distance",
    "DistanceWalkingRunning": "walking_running_distance",
    "DistanceWheelchair": "wheelchair_distance",
    "EstimatedWorkoutEffortScore": "estimated_workout_effort_score",
    "FlightsClimbed": "flights_climbed",
    "NikeFuel": "nike_fuel",
    "PaddleSportsSpeed": "paddle_sports_speed",
    "PhysicalEffort": "physical_effort",
    "PushCount": "wheelchair_push_count",
    "RowingSpeed": "rowing_speed",
    "RunningPower": "running_power",
    "RunningSpeed": "running_speed",
    "StepCount": "step_count",
    "SwimmingStrokeCount": "swimming_stroke_count",
    "UnderwaterDepth": "underwater_depth",
    "WorkoutEffortScore": "workout_effort_score",
    # Body
    "AppleSleepingWristTemperature": "apple_sleeping_wrist_temperature",
    "BasalBodyTemperature": "basal_body_temperature",
    "BodyFatPercentage": "body_fat_percentage",
    "BodyMass": "weight_body_mass",
    "BodyMassIndex": "body_mass_index",
    "BodyTemperature": "body_temperature",
    "ElectrodermalActivity": "electrodermal_activity",
    "Height": "height",
    "LeanBodyMass": "lean_body_mass",
    "WaistCircumference": "waist_circumference",
    # Hearing
    "EnvironmentalAudioExposure": "environmental_audio_exposure",
    "EnvironmentalSoundReduction": "environmental_sound_reduction",
    "HeadphoneAudioExposure": "headphone_audio_exposure",
    # Heart
    "AtrialFibrillationBurden": "atrial_fibrillation_burden",
    "BloodPressure": "blood_pressure",
    "BloodPressureDiastolic": "blood_pressure_diastolic",
    "BloodPressureSystolic": "blood_pressure_systolic",
    "HeartRate": "heart_rate",
    "HeartRateRecoveryOneMinute": "cardio_recovery",
    "HeartRateVariabilitySDNN": "heart_rate_variability",
    "PeripheralPerfusionIndex": "peripheral_perfusion_index",
    "RestingHeartRate": "resting_heart_rate",
    "VO2Max": "vo2_max",
    "WalkingHeartRateAverage": "walking_heart_rate_average",
    # Mobility
    "AppleWalkingSteadiness": "apple_walking_steadiness",
    "RunningGroundContactTime": "running_ground_contact_time",
    "RunningStrideLength": "running_stride_length",
    "RunningVerticalOscillation": "running_vertical_oscillation",
    "SixMinuteWalkTestDistance": "six_minute_walking_test_distance",
    "StairAscentSpeed": "stair_speed_up",
    "StairDescentSpeed": "stair_speed_down",
    "WalkingAsymmetryPercentage": "walking_asymmetry_percentage",
    "WalkingDoubleSupportPercentage": "walking_double_support_percentage",
    "WalkingSpeed": "walking_speed",
    "WalkingStepLength": "walking_step_length",
    # Nutrition
    "DietaryBiotin": "dietary_biotin",
    "DietaryCaffeine": "dietary_caffeine",
    "DietaryCalcium": "calcium",
    "DietaryCarbohydrates": "carbohydrates",
    "DietaryChloride": "chloride",
    "DietaryCholesterol": "dietary_cholesterol",
    "DietaryChromium": "chromium",
    "DietaryCopper": "copper",
    "DietaryEnergyConsumed": "dietary_energy",
    "DietaryFatMonounsaturated": "monounsaturated_fat",
    "DietaryFatPolyunsaturated": "polyunsaturated_fat",
    "DietaryFatSaturated": "saturated_fat",
    "DietaryFatTotal": "total_fat",
    "DietaryFiber": "fiber",
    "DietaryFolate": "folate",
    "DietaryIodine": "iodine",
    "DietaryIron": "iron",
    "DietaryMagnesium": "magnesium",
    "DietaryManganese": "manganese",
    "DietaryMolybdenum": "molybdenum",
    "DietaryNiacin": "niacin",
    "DietaryPantothenicAcid": "pantothenic_acid",
    "DietaryPhosphorus": "phosphorus",
    "DietaryPotassium": "potassium",
    "DietaryProtein": "protein",
    "DietaryRiboflavin": "riboflavin",
    "DietarySelenium": "selenium",
    "DietarySodium": "sodium",
    "DietarySugar": "dietary_sugar",
    "DietaryThiamin": "thiamin",
    "DietaryVitaminA": "vitamin_a",
    "DietaryVitaminB12": "vitamin_b12",
    "DietaryVitaminB6": "vitamin_b6",
    "DietaryVitaminC": "vitamin_c",
    "DietaryVitaminD": "vitamin_d",
    "DietaryVitaminE": "vitamin_e",
    "DietaryVitaminK": "vitamin_k",
    "DietaryWater": "dietary_water",
    "DietaryZinc": "zinc",
    # Other
    "AppleSleepingBreathingDisturbances": "breathing_disturbances",
    "BloodAlcoholContent": "blood_alcohol_content",
    "BloodGlucose": "blood_glucose",
    "ForcedExpiratoryVolume1": "forced_expiratory_volume_1",
    "ForcedVitalCapacity": "forced_vital_capacity",
    "HandwashingEvent": "handwashing",
    "InhalerUsage": "inhaler_usage",
    "InsulinDelivery": "insulin_delivery",
    "MindfulSession": "mindful_minutes",
    "NumberOfAlcoholicBeverages": "alcohol_consumption",
    "NumberOfTimesFallen": "number_of_times_fallen",
    "OxygenSaturation": "blood_oxygen_saturation",
    "PeakExpiratoryFlowRate": "peak_expiratory_flow_rate",
    "RespiratoryRate": "respiratory_rate",
    "SexualActivity": "sexual_activity",
    "SleepAnalysis": "sleep_analysis",
    "TimeInDaylight": "time_in_daylight",
    "ToothbrushingEvent": "toothbrushing",
    "UVExposure": "uv_exposure",
    "WaterTemperature": "underwater_temperature",
}
"""Every quantity of HealthKit up to iOS 18 and the categories that the live feed sends as numbers,
by their identifiers without `HKQuantityTypeIdentifier` and the like."""

_UNITS: Mapping[str, str] = {"Cal": "kcal", "mL/min\u00b7kg": "ml/(kg\u00b7min)"}
# Which substance a mole is of stands in its unit: `mmol<180.1558800000541>/L`.
_MOLE = re.compile(r"mol<[^>]*>")


def bare(identifier: str) -> str:
    """`HKQuantityTypeIdentifierStepCount` as `StepCount`."""
    return _PREFIX.sub("", identifier) or identifier


def metric_name(identifier: str) -> str:
    """Name of the metric; what nobody knows is spelled in the same manner."""
    name = bare(identifier)
    return METRICS.get(name) or "_".join(_WORD.sub(" ", name).split()).lower()


def unit_name(unit: str) -> str:
    """A unit as the live feed spells it."""
    return _UNITS.get(unit) or _MOLE.sub("mol", unit)


def spelled_out(name: str) -> str:
    """`OvulationTestResult` as `Ovulation Test Result`."""
    return " ".join(_WORD.sub(" ", name).split())
