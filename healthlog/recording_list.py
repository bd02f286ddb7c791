"""The list of the recordings, in the forms that all lists of the log have."""

from __future__ import annotations

from urllib.parse import urlencode

from healthlog import formats
from healthlog.base.web import Request, Response
from healthlog.columns import RECORDING_COLUMNS
from healthlog.formats import Listing
from healthlog.params import Params, cursor_text
from healthlog.spoken import Spoken
from healthlog.voice import REASONS, STAGES

PARAMETERS = ("stage", "stopped", "q", "limit", "cursor", "format")
YES, NO = "true", "false"
STOPPED = (YES, NO, *REASONS)
"""Whether a recording is stopped, or for which reason it was."""


def recording_list(spoken: Spoken, request: Request) -> Response:
    """`q` are words that a recording holds, all of them."""
    params = Params(request.query, PARAMETERS)
    stage, said = params.choice("stage", STAGES), params.choice("stopped", STOPPED)
    form, limit, cursor = params.format(), params.limit(), params.cursor("v", str)
    words = params.text("q") if "q" in params.given else None
    stopped = {YES: True, NO: False}.get(said, said) if said is not None else None
    page = spoken.page(stage, stopped, words, behind=cursor[0] if cursor else "", limit=limit)
    if page is None:
        params.refuse("q", "holds no word")
    items, following = page
    after = None if following is None else cursor_text("v", following)
    next_page = None
    if after is not None:
        next_page = f"{request.path}?{urlencode({**params.given, 'cursor': after})}"
    return formats.answer(Listing(items, after, RECORDING_COLUMNS), form, next_page)
