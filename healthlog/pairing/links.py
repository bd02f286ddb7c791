"""The automations that a phone is to be given, as deep links of Health Auto Export.

The app documents the form at https://help.healthyapps.dev/en/health-auto-export/automations/deep-link:
`com.HealthExport://automation?…` makes a REST API automation. `name` and `url` must be there, names
of parameters may be in any case, `headers` are keys and values in turn with commas between.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

SCHEME = "com.HealthExport://automation"

_NAMED = "healthlog"
"""With what the names of our automations begin, by which the journal tells them."""

_EVERY = (
    ("format", "json"),
    # The day before with today: what a watch or another app writes late still comes along.
    ("period", "none"),
    ("exportversion", "v2"),
    ("syncinterval", "hours"),
    ("syncquantity", "1"),
    ("requesttimeout", "60"),
    ("notifyonupdate", "false"),
    ("notifywhenrun", "false"),
)
"""What all automations have in common; a data type may say otherwise."""

_AT_ONCE = ("enabled", "true")


@dataclass(frozen=True, slots=True)
class DataType:
    """One automation. `title` is what the app calls the data; `by_hand` tells that the app
    documents no parameter for it: the link makes an automation that is switched off, in which a
    person chooses the data type."""

    name: str
    title: str
    what: str
    parameters: tuple[tuple[str, str], ...] = ()
    by_hand: bool = False

    @property
    def automation(self) -> str:
        """The name of the automation."""
        return f"{_NAMED} {self.name.replace('_', ' ')}"


METRICS = DataType(
    "metrics",
    "Health Metrics",
    "every metric by the minute, nights with their stages",
    (
        ("datatype", "healthMetrics"),
        ("interval", "minutes"),
        ("aggregatedata", "true"),
        ("aggregatesleep", "true"),
        ("batchrequests", "false"),
        _AT_ONCE,
    ),
)

TYPES: tuple[DataType, ...] = (
    METRICS,
    DataType(
        "days",
        "Health Metrics",
        "totals of the last seven days once a day, which heal what came late",
        (
            ("datatype", "healthMetrics"),
            ("period", "previous7days"),
            ("interval", "days"),
            ("aggregatedata", "true"),
            ("aggregatesleep", "true"),
            ("syncinterval", "days"),
            ("batchrequests", "false"),
            _AT_ONCE,
        ),
    ),
    DataType(
        "workouts",
        "Workouts",
        "workouts with route, heart rate",
        (
            ("datatype", "workouts"),
            ("includeroutes", "true"),
            ("includeworkoutmetadata", "true"),
            ("workoutsmetadatainterval", "minutes"),
            ("batchrequests", "true"),
            _AT_ONCE,
        ),
    ),
    DataType("symptoms", "Symptoms", "symptoms", (("datatype", "symptoms"), _AT_ONCE)),
    DataType("state_of_mind", "State of Mind", "moods", by_hand=True),
    DataType("medications", "Medications", "doses, taken or not", by_hand=True),
    DataType("cycle", "Cycle Tracking", "what is noted about a cycle", by_hand=True),
    DataType("ecg", "ECG", "electrocardiograms", (("batchrequests", "true"),), by_hand=True),
    DataType(
        "heart_notifications", "Heart Rate Notifications", "warnings of the watch", by_hand=True
    ),
)

BY_NAME = {one.name: one for one in TYPES}
_BY_AUTOMATION = {one.automation: one for one in TYPES}


@dataclass(frozen=True, slots=True)
class Pairing:
    """What a phone must know to deliver. The token is not shown when this is printed or logged by
    accident."""

    url: str
    token: str

    def __repr__(self) -> str:
        return f"Pairing(url={self.url!r})"

    @property
    def headers(self) -> tuple[tuple[str, str], ...]:
        """Names and values of the headers that every request needs."""
        return (("Authorization", f"Bearer {self.token}"),)

    def fields(self, data_type: DataType) -> dict[str, str]:
        """Parameters of the link, before they are encoded."""
        own = dict(data_type.parameters)
        if data_type.by_hand:
            own["enabled"] = "false"
        return {
            "url": self.url,
            "name": data_type.automation,
            "headers": ",".join(part for header in self.headers for part in header),
            **dict(_EVERY),
            **own,
        }

    def link(self, data_type: DataType) -> str:
        """What makes the automation when it is opened on the phone."""
        fields = self.fields(data_type).items()
        return SCHEME + "?" + "&".join(f"{name}={quote(value, safe='')}" for name, value in fields)


def type_of(automation_name: str | None) -> DataType | None:
    """Which of our automations has this name; None for one that its owner named."""
    return None if automation_name is None else _BY_AUTOMATION.get(automation_name)
