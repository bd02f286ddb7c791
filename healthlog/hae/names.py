"""Spellings of metric names: one canonical name for each metric."""

from __future__ import annotations

from collections.abc import Mapping

# The vendor's server and its bodies spell these differently.
ALIASES: Mapping[str, str] = {
    "vo2max": "vo2_max",
    "walking_heart_rate": "walking_heart_rate_average",
    "environmental_audio": "environmental_audio_exposure",
    "headphone_audio": "headphone_audio_exposure",
    "number_of_time_fallen": "number_of_times_fallen",
    "monosaturated_fat": "monounsaturated_fat",
    "six-minute_walking_test_distance": "six_minute_walking_test_distance",
    "stair_speed:_up": "stair_speed_up",
    "stair_speed:_down": "stair_speed_down",
    "swim_stroke_count": "swimming_stroke_count",
    "downhill_snow_sports_distance": "distance_downhill_snow_sports",
    "downhill_snow_sports": "distance_downhill_snow_sports",
    "biotin": "dietary_biotin",
    "caffeine": "dietary_caffeine",
    "cholesterol": "dietary_cholesterol",
    "forced_expiratory_volume": "forced_expiratory_volume_1",
    "number_of_alcoholic_beverages": "alcohol_consumption",
    "under_water_temperature": "underwater_temperature",
    "under_water_depth": "underwater_depth",
}


KNOWN = frozenset(
    """
    active_energy alcohol_consumption apple_exercise_time apple_move_time
    apple_sleeping_wrist_temperature apple_stand_hour apple_stand_time
    atrial_fibrillation_burden basal_body_temperature basal_energy_burned blood_alcohol_content
    blood_glucose blood_oxygen_saturation blood_pressure body_fat_percentage body_mass_index
    body_temperature breathing_disturbances calcium carbohydrates cardio_recovery chloride
    chromium copper cycling_cadence cycling_distance cycling_functional_threshold_power
    cycling_power cycling_speed dietary_biotin dietary_caffeine dietary_cholesterol
    dietary_energy dietary_sugar dietary_water distance_downhill_snow_sports
    electrodermal_activity environmental_audio_exposure fiber flights_climbed folate
    forced_expiratory_volume_1 forced_vital_capacity handwashing headphone_audio_exposure
    heart_rate heart_rate_variability height high_heart_rate_notifications inhaler_usage
    insulin_delivery iodine iron irregular_heart_rate_notifications lean_body_mass
    low_heart_rate_notifications magnesium manganese mindful_minutes molybdenum
    monounsaturated_fat niacin number_of_times_fallen pantothenic_acid peak_expiratory_flow_rate
    peripheral_perfusion_index phosphorus physical_effort polyunsaturated_fat potassium protein
    push_count respiratory_rate resting_heart_rate riboflavin running_ground_contact_time
    running_power running_speed running_stride_length running_vertical_oscillation saturated_fat
    selenium sexual_activity six_minute_walking_test_distance sleep_analysis sodium
    stair_speed_down stair_speed_up step_count swimming_distance swimming_stroke_count thiamin
    time_in_daylight toothbrushing total_fat underwater_depth underwater_temperature uv_exposure
    vitamin_a vitamin_b12 vitamin_b6 vitamin_c vitamin_d vitamin_e vitamin_k vo2_max
    waist_circumference walking_asymmetry_percentage walking_double_support_percentage
    walking_heart_rate_average walking_running_distance walking_speed walking_step_length
    weight_body_mass wheelchair_distance wheelchair_push_count zinc
    """.split()  # noqa: SIM905 - words are read more easily than a list of texts
)
"""Names the phone has been seen to send, or its vendor names."""


def canonical_name(sent_as: str) -> str:
    """The name a metric is stored under: without regard to blanks around it or case where it is
    known, by one of its spellings; a name nobody knows stays as it is."""
    name = " ".join(sent_as.split()).lower()
    name = ALIASES.get(name, name)
    return name if name in KNOWN else sent_as.strip()
