"""Errors in the form that a browser's user can read."""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus

from healthlog.base.http1 import Head
from healthlog.base.web import Response
from healthlog.web import login
from healthlog.web.frame import page, see_other
from healthlog.web.html import tag

_KEPT = frozenset(("allow", "retry-after"))
_FORMS = frozenset((login.PATH, "/logout"))


def dressed(head: Head, response: Response) -> Response:
    """An error as a page, if it is a browser that asked for a page: whoever has to log in is led
    there. Programs get it as it is."""
    if not _is_browser(head):
        return response
    if response.status == HTTPStatus.UNAUTHORIZED and head.method != "POST":
        return see_other(login.address(head.path, head.query))
    kept = tuple(one for one in response.headers if one[0].lower() in _KEPT)
    made = page(
        HTTPStatus(response.status).phrase,
        tag("p", response.reason),
        tag("p", tag("a", "To the first page", href="/")),
        status=response.status,
        headers=kept,
    )
    return replace(made, reason=response.reason, delay_s=response.delay_s)


def _is_browser(head: Head) -> bool:
    headers = head.headers
    # Also a program may take HTML; one that shows a token is told what programs are told.
    if headers.get("Authorization") is not None or headers.get("X-API-Key") is not None:
        return False
    asks = head.method in {"GET", "HEAD"} or head.path in _FORMS
    return asks and "text/html" in (headers.get("Accept") or "").lower()
