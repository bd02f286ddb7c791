"""The page by which a browser logs in with the read token."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from urllib.parse import quote

from healthlog.base.web import Request, Response
from healthlog.web.forms import fields
from healthlog.web.frame import page, see_other
from healthlog.web.html import tag

PATH = "/login"
BODY_MAX = 4096

_FIELDS_MAX = 8
_START = "/"
# A page of ours: anything else could be an address of another site.
_LOCAL = re.compile(r"/(?:[A-Za-z0-9_~.-][A-Za-z0-9_~.|/%-]*)?(?:\?[A-Za-z0-9_~./%&=+:,;-]*)?")
_WRONG = "That is not the read token."


@dataclass(frozen=True, slots=True)
class Door:
    """The handlers. `is_read` tells whether a text is the read token, `wrong` how long the answer
    to a wrong one is held back (s); `begun` and `ended` give the headers of the cookie, for TLS or
    without."""

    is_read: Callable[[str], bool]
    wrong: Callable[[str], float]
    begun: Callable[[bool], tuple[str, str]]
    ended: Callable[[bool], tuple[str, str]]

    def login(self, request: Request) -> Response:
        """The form as it was sent: the token, the page to go to."""
        given = fields(request, _FIELDS_MAX)
        wanted = local(given.get("next", ""))
        if self.is_read(given.get("token", "").strip()):
            return see_other(wanted, self.begun(request.secure))
        refused = _page(wanted, 401, _WRONG)
        return replace(refused, reason=_WRONG, delay_s=self.wrong(request.remote))

    def logout(self, request: Request) -> Response:
        return see_other(PATH, self.ended(request.secure))


def form(request: Request) -> Response:
    """The empty form."""
    return _page(local(request.query.get("next") or ""))


def address(path: str, query: str) -> str:
    """The address of the form that leads on to a page."""
    wanted = local(f"{path}?{query}" if query else path)
    return PATH if wanted == _START else f"{PATH}?next={quote(wanted, safe='/')}"


def local(address: str) -> str:
    """The address, path and query, if it is one of ours, else that of the first page."""
    return address if _LOCAL.fullmatch(address) else _START


def _page(wanted: str, status: int = 200, error: str | None = None) -> Response:
    said = None if error is None else tag("p", error, id="error", class_="error", role="alert")
    token = tag(
        "input",
        id="token",
        name="token",
        type="password",
        autocomplete="current-password",
        required=True,
        maxlength=256,
        autofocus=True,
        aria_describedby="hint" if error is None else "error hint",
        aria_invalid=None if error is None else "true",
    )
    # Unseen: password managers keep a word better that has a name.
    name = tag(
        "input", name="name", value="healthlog", autocomplete="username", readonly=True, hidden=True
    )
    command = tag("code", "python -m healthlog token read")
    return page(
        "Log in",
        tag(
            "form",
            said,
            name,
            tag("label", "Read token", for_="token"),
            token,
            tag("p", command, " on the machine of the service prints it.", id="hint"),
            tag("input", type="hidden", name="next", value=wanted),
            tag("button", "Log in", type="submit"),
            method="post",
            action=PATH,
            class_="stacked",
        ),
        status=status,
    )
