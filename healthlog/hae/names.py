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


def canonical_name(sent_as: str) -> str:
    """The name a metric is stored under: blanks folded, lower case, aliases resolved; a name
    nobody knows stays as it is otherwise."""
    name = " ".join(sent_as.split()).lower()
    return ALIASES.get(name, name)
