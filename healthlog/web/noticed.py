"""The pages of being told: what each address asks for, what the button does."""

from __future__ import annotations

from healthlog.base.web import Request, Response
from healthlog.journal import notices as told
from healthlog.notices.trying import tried
from healthlog.params import Params
from healthlog.parts import Parts
from healthlog.web import notices
from healthlog.web.frame import page


def notices_page(parts: Parts, request: Request) -> Response:
    Params(request.query, ())
    last_us = parts.journal.read(told.noticed_at_us)
    wrong = parts.journal.read(told.kept)
    ways = [one.name for one in parts.channels]
    return page("Notices", notices.show(ways, last_us, wrong), here=notices.PATH)


def tried_page(parts: Parts, request: Request) -> Response:
    """A trial on every way; the page says what became of it."""
    return page("Trial of notices", notices.outcome(list(tried(parts.channels))), here=notices.PATH)
