"""Instants as a person reads them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo

from healthlog.base.clock import text_us
from healthlog.web.html import Html, tag

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def moment(at_us: int, zone: tzinfo) -> Html:
    """An instant (microseconds since 1970 UTC) as its wall time in `zone`."""
    local = (_EPOCH + timedelta(microseconds=at_us)).astimezone(zone)
    return tag("time", f"{local:%Y-%m-%d %H:%M:%S}", datetime=text_us(at_us))
