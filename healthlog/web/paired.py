"""What pairing reads for its page."""

from __future__ import annotations

import re
from collections.abc import Sequence

from healthlog.base.web import Request, Response, json_response
from healthlog.journal import rows
from healthlog.pairing.addresses import here
from healthlog.pairing.heard import Heard, Refused, heard
from healthlog.pairing.links import BY_NAME, METRICS, Pairing
from healthlog.pairing.reach import Unreachable, of_settings
from healthlog.params import Params
from healthlog.parts import Parts
from healthlog.web import pair
from healthlog.web.frame import page

_INGEST = "/ingest"
_STAMP = re.compile(r"[0-9]{1,17}")


def pair_page(parts: Parts, request: Request) -> Response:
    """What the phone must be told; `since` keeps the wait from one look to the next."""
    params = Params(request.query, ("type", "since"))
    chosen = BY_NAME[params.choice("type", tuple(BY_NAME)) or METRICS.name]
    since_us = _since_us(parts, params)
    try:
        found = of_settings(parts.settings, here())
    except Unreachable as error:
        return page("Pair the phone", pair.unreachable(str(error)), here=pair.PATH)
    pairing = Pairing(found[0], parts.ingest_token())
    shown = pair.show(pairing, found[1:], chosen, _heard(parts, since_us), since_us)
    return page("Pair the phone", shown, here=pair.PATH)


def heard_answer(parts: Parts, request: Request) -> Response:
    """What the page asks while it waits: `{"text", "kind"}`."""
    params = Params(request.query, ("since",))
    text, kind = pair.said(_heard(parts, _since_us(parts, params)))
    return json_response({"text": text, "kind": kind})


def _since_us(parts: Parts, params: Params) -> int:
    """When the wait began: at the journal's last delivery, as of the first look."""
    given = params.given.get("since")
    if given is None:
        return parts.journal.read(rows.last_stamp) or parts.clock.now_us() - 1
    if _STAMP.fullmatch(given) is None:
        params.refuse("since", "must be a whole number of microseconds")
    return int(given)


def _heard(parts: Parts, since_us: int) -> Heard:
    def refused(since_us: int) -> Sequence[Refused]:
        return [
            Refused(one.last_at_us, one.status)
            for one in reversed(parts.refusals())
            if one.path == _INGEST and one.last_at_us > since_us
        ]

    return heard(parts.journal, since_us, refused)
