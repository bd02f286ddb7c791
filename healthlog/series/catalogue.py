"""The table of metrics: how many readings become one value, in which unit it is given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from healthlog.series import units

_EVENING_MIN = 6 * 60
_AT_ONSET = frozenset(("apple_sleeping_wrist_temperature", "breathing_disturbances"))
"""Metrics of a night that carry the time of falling asleep, mostly the evening before."""

SUM, AVG, LAST = "sum", "avg", "last"
"""Amounts add up, levels are averaged, of a state the latest counts."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A metric: its aggregate function (SUM, AVG, LAST), and its canonical unit, None where it
    has none.

    `fields` are the members that hold its numbers, where `qty` doesn't. They are values of their
    own, unless the metric is a sum: then they are added, too.
    """

    metric: str
    aggregate: str
    unit: str | None
    fields: tuple[str, ...] = ()

    @property
    def by_field(self) -> tuple[str, ...]:
        """Names of the values that an answer has side by side; none where it has one."""
        return () if self.aggregate == SUM else self.fields

    @property
    def ahead_min(self) -> int:
        """How many minutes before midnight its days begin: what was measured in a night is of the
        day of waking, so that such a day lasts from 18:00 to 18:00."""
        return _EVENING_MIN if self.metric in _AT_ONSET else 0


_SUMS: Mapping[str, str] = {
    "kcal": "active_energy basal_energy_burned dietary_energy",
    "km": "walking_running_distance cycling_distance wheelchair_distance"
    " distance_downhill_snow_sports cross_country_skiing_distance rowing_distance"
    " paddle_sports_distance skating_sports_distance",
    "m": "swimming_distance",
    "count": "step_count flights_climbed apple_stand_hour push_count wheelchair_push_count"
    " swimming_stroke_count alcohol_consumption inhaler_usage number_of_times_fallen uv_exposure"
    " high_heart_rate_notifications low_heart_rate_notifications"
    " irregular_heart_rate_notifications",
    "min": "apple_exercise_time apple_stand_time apple_move_time mindful_minutes time_in_daylight",
    "s": "handwashing toothbrushing",
    "g": "carbohydrates fiber protein total_fat saturated_fat monounsaturated_fat"
    " polyunsaturated_fat dietary_sugar",
    "mg": "calcium chloride copper iron magnesium manganese niacin pantothenic_acid phosphorus"
    " potassium riboflavin sodium thiamin vitamin_b6 vitamin_c vitamin_e zinc"
    " dietary_caffeine dietary_cholesterol",
    "mcg": "chromium dietary_biotin folate iodine molybdenum selenium vitamin_a vitamin_b12"
    " vitamin_d vitamin_k",
    "mL": "dietary_water",
    "IU": "insulin_delivery",
}
_LEVELS: Mapping[str, str] = {
    "count/min": "heart_rate resting_heart_rate walking_heart_rate_average respiratory_rate"
    " cardio_recovery cycling_cadence",
    "ms": "heart_rate_variability running_ground_contact_time",
    "%": "blood_oxygen_saturation blood_alcohol_content walking_asymmetry_percentage"
    " walking_double_support_percentage apple_walking_steadiness atrial_fibrillation_burden"
    " peripheral_perfusion_index",
    "km/hr": "walking_speed running_speed cycling_speed",
    "m/s": "stair_speed_up stair_speed_down",
    "cm": "walking_step_length running_vertical_oscillation",
    "m": "running_stride_length six_minute_walking_test_distance underwater_depth",
    "W": "running_power cycling_power cycling_functional_threshold_power",
    "degC": "body_temperature basal_body_temperature apple_sleeping_wrist_temperature"
    " underwater_temperature",
    "dBASPL": "environmental_audio_exposure headphone_audio_exposure environmental_sound_reduction",
    "L": "forced_expiratory_volume_1 forced_vital_capacity",
    "L/min": "peak_expiratory_flow_rate",
    "mg/dL": "blood_glucose",
    "ml/(kg·min)": "vo2_max",
    "kcal/hr·kg": "physical_effort",
    "count": "breathing_disturbances",
    "mcS": "electrodermal_activity",
}
_STATES: Mapping[str, str] = {
    "kg": "weight_body_mass lean_body_mass",
    "%": "body_fat_percentage",
    "count": "body_mass_index",
    "cm": "height waist_circumference",
}
_BY_FIELD = (
    Entry("blood_pressure", AVG, "mmHg", ("systolic", "diastolic")),
    Entry(
        "sexual_activity", SUM, "count", ("Unspecified", "Protection Used", "Protection Not Used")
    ),
)
KNOWN: Mapping[str, Entry] = {
    name: Entry(name, aggregate, unit)
    for aggregate, table in ((SUM, _SUMS), (AVG, _LEVELS), (LAST, _STATES))
    for unit, names in table.items()
    for name in names.split()
} | {entry.metric: entry for entry in _BY_FIELD}
"""Every metric that the phone is known to send, by its canonical name."""

_AMOUNTS = frozenset(("count", "kcal", "kJ", "g", "mg", "mcg", "mL", "IU", "min"))


def entry(metric: str, sent_unit: str | None) -> Entry:
    """What is known of a metric. One that nobody knows is given in the unit it was sent in, and
    is a level unless that is a unit of amounts."""
    found = KNOWN.get(metric)
    if found is not None:
        return found
    unit = units.spelled(sent_unit)
    return Entry(metric, SUM if unit in _AMOUNTS else AVG, unit)
