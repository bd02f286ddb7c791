"""A question to the service that has the lock, from a command on the same machine."""

from __future__ import annotations

import http.client
import json

from healthlog.base.errors import Circumstance
from healthlog.calling import Line


class NotAnswered(Circumstance):
    """The service can't be asked, or says no; the message says why."""


class RunningService:
    """The service at the end of a line. `token` is that for reading, `mark` tells the journal that
    is meant, as the header called `mark_header`."""

    def __init__(self, line: Line, token: str, *, mark_header: str, mark: str) -> None:
        self._line = line
        self._headers = {"Authorization": f"Bearer {token}", mark_header: mark}

    def post(self, path: str) -> dict[str, object]:
        """The JSON of its answer to a POST without a body. NotAnswered for any but a 200."""
        where, connection = self._line.where, self._line.connection()
        try:
            connection.request("POST", path, headers=self._headers)
            response = connection.getresponse()
            told = json.loads(response.read())
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise NotAnswered(
                f"no answer from a service at {where}, which holds the lock: {error}"
                " (name its address with --listen)"
            ) from None
        finally:
            connection.close()
        said = told if isinstance(told, dict) else {}
        if response.status != http.HTTPStatus.OK:
            detail = said.get("detail", response.status)
            raise NotAnswered(f"the service at {where} says: {detail}")
        return said
