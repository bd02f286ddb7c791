"""The sink of an import beside a running service: bodies go in through its door."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from healthlog.accept import Facts
from healthlog.base.clock import text_us
from healthlog.base.db import Database
from healthlog.base.errors import Circumstance
from healthlog.calling import Line
from healthlog.imports.door import JOURNAL, SAID_AT, journal_mark
from healthlog.journal import rows
from healthlog.setting_places import Address

PATH = "/api/v1/import"

_PATIENCE = 900
"""How often it is asked again in a row by a service that has to fold first."""


class NotTakenIn(Circumstance):
    """The service didn't take the body; the message says why."""


class RemoteSink:
    """Hands bodies to the service that holds the lock. `pause` waits so many seconds before a body
    is offered again. `journal` is that of the service, opened to look; `tls_cert` its certificate,
    if it speaks TLS."""

    def __init__(
        self,
        address: Address,
        token: str,
        journal: Database,
        journal_path: Path,
        *,
        pause: Callable[[float], object],
        tls_cert: Path | None = None,
    ) -> None:
        self._line = Line(address, tls_cert)
        self._token = token
        self._journal = journal
        self._mark = journal_mark(journal_path)
        self._pause = pause
        self._connection: http.client.HTTPConnection | None = None

    def holds(self, sha256: str, aggregation: str | None) -> bool:
        return self._journal.read(lambda c: rows.holds(c, sha256, aggregation))

    def take(self, content: bytes, facts: Facts) -> bool:
        """Raises NotTakenIn."""
        headers = self._headers(facts)
        for _ in range(_PATIENCE):
            status, answer, retry_after = self._posted(content, headers)
            if status == http.HTTPStatus.OK:
                return answer.get("known") is not True
            if status != http.HTTPStatus.SERVICE_UNAVAILABLE:
                break
            self._pause(retry_after)
        raise NotTakenIn(f"the service at {self._where} says: {answer.get('detail', status)}")

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    @property
    def _where(self) -> str:
        return self._line.where

    def _posted(
        self, content: bytes, headers: dict[str, str]
    ) -> tuple[int, dict[str, object], float]:
        again = self._connection is not None
        if self._connection is None:
            self._connection = self._line.connection()
        try:
            self._connection.request("POST", PATH, content, headers)
            response = self._connection.getresponse()
            answer = json.loads(response.read())
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.close()
            if again:
                # A connection kept open may have been closed meanwhile; a body is never taken
                # twice, so that it may be offered again.
                return self._posted(content, headers)
            raise NotTakenIn(
                f"no answer from a service at {self._where}, which holds the lock: {error}"
                " (name its address with --listen)"
            ) from None
        if response.will_close:
            self.close()
        wait_s = response.headers.get("Retry-After", "1")
        said = answer if isinstance(answer, dict) else {}
        return response.status, said, float(wait_s) if wait_s.isdigit() else 1.0

    def _headers(self, facts: Facts) -> dict[str, str]:
        headers = {
            "Authorization": f"Bearer {self._token}",
            "Content-Type": facts.content_type or "application/json",
            JOURNAL: self._mark,
        }
        if facts.said_at_us is not None:
            headers[SAID_AT] = text_us(facts.said_at_us)
        if facts.aggregation is not None:
            headers["automation-aggregation"] = _field(facts.aggregation)
        if facts.automation_name is not None:
            headers["automation-name"] = _field(facts.automation_name)
        return headers


def _field(text: str) -> str:
    """Text as a header can carry it: UTF-8, read as such by the service."""
    plain = " ".join(text.split())
    try:
        return plain.encode("utf-8").decode("latin-1")
    except UnicodeEncodeError:  # a file's name that is no text
        return quote(plain, errors="surrogateescape")
