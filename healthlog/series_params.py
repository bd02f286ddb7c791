"""What the parameters of a series, or of a coordinate, ask for."""

from __future__ import annotations

from datetime import tzinfo

from healthlog.hae.names import canonical_name
from healthlog.layer import LAYERS
from healthlog.params import Params
from healthlog.read.series import Question
from healthlog.read.why import Coordinate
from healthlog.series.buckets import BUCKETS
from healthlog.series.series import LAYERS_OF
from healthlog.series.source_order import SourceOrder

SERIES = (
    *("metric", "bucket", "from", "to", "layer", "unit", "tz"),
    *("limit", "cursor", "format"),
)
WHY = ("metric", "layer", "at", "limit", "cursor", "format")

WHY_LIMIT = 20


def question(params: Params, zone: tzinfo, order: SourceOrder) -> Question:
    """The series asked for. `zone` is that of dates where `tz` names no other."""
    bucket = _needed(params, "bucket", BUCKETS)
    layer = params.choice("layer", LAYERS)
    if layer is not None and layer not in LAYERS_OF[bucket]:
        params.refuse("layer", "is none that such buckets can be made from")
    unit = params.text("unit") if "unit" in params.given else None
    return Question(
        canonical_name(params.text("metric")),
        bucket,
        params.span(params.zone("tz", zone)),
        layer,
        unit,
        order,
    )


def coordinate(params: Params, zone: tzinfo) -> Coordinate:
    """The coordinate asked for; a date is one of `zone`."""
    metric, layer = canonical_name(params.text("metric")), _needed(params, "layer", LAYERS)
    at, is_date = params.when("at", zone)
    return Coordinate(metric, layer, at, is_date)


def _needed(params: Params, name: str, words: tuple[str, ...]) -> str:
    params.text(name)
    chosen = params.choice(name, words)
    assert chosen is not None
    return chosen
