"""Who may pass: a program by its token, a browser by its cookie from a page of ours."""

from __future__ import annotations

from healthlog.access.sessions import Sessions
from healthlog.base.http1 import Headers
from healthlog.base.log import Log
from healthlog.base.sites import Sites, from_own_page
from healthlog.base.strikes import Strikes
from healthlog.base.web import Problem, Visit, unauthorized
from healthlog.tokens import INGEST, Tokens

UNKNOWN_HOST = "The service is not known by this name: add it to the setting hosts."
OTHER_SITE = (
    "This was not sent by a page of this service; a proxy before it must pass on the header Host."
)
_ASKING = ("GET", "HEAD")


class Doorkeeper:
    """The check of every route. May be asked by many threads."""

    def __init__(
        self, tokens: Tokens, sessions: Sessions, sites: Sites, strikes: Strikes, log: Log
    ) -> None:
        self._tokens = tokens
        self._sessions = sessions
        self._sites = sites
        self._strikes = strikes
        self._log = log

    def check(self, visit: Visit) -> None:
        """Raises the Problem of whoever may not pass.

        Host and Origin are asked for of browsers alone: no page can make one show a token.
        """
        headers, scope = visit.head.headers, visit.route.scope
        if scope is not None:
            if self._tokens.shown(headers):
                return self._check_token(headers, scope, visit.remote)
            if scope == INGEST or not self._sessions.shown(headers):
                raise unauthorized()
        if not self._sites.knows(headers.get("Host")):
            raise Problem(421, UNKNOWN_HOST)
        if scope is not None and not self._sessions.valid(headers):
            raise unauthorized()
        if visit.head.method not in _ASKING and not from_own_page(headers, secure=visit.secure):
            raise Problem(403, OTHER_SITE)
        return None

    def wrong(self, remote: str) -> float:
        """A wrong token came from there: how long its answer is to be held back, seconds."""
        strike = self._strikes.failed(remote)
        if strike.told:
            self._log.warn(
                "wrong token", remote=remote, failures=strike.failures, delay_s=strike.delay_s
            )
        return strike.delay_s

    def _check_token(self, headers: Headers, scope: str, remote: str) -> None:
        if self._tokens.authorized(headers, scope):
            return
        # One that opens other calls was not guessed.
        known = self._tokens.known(headers)
        raise unauthorized(0.0 if known else self.wrong(remote))
