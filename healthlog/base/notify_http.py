"""Notices over HTTP: to a webhook, to ntfy."""

from __future__ import annotations

import http.client
import json
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from healthlog.base.notify import TIMEOUT_S, Notice, NotSent, reason

_ANSWER_READ = 64 * 1024
_HIGH, _USUAL = "4", "3"


@dataclass(frozen=True, slots=True)
class Web:
    """Where a POST goes: an address of http or https, a token for it, the certificates to trust
    (None: those of the system)."""

    url: str
    token: str | None = field(default=None, repr=False)
    trusted: ssl.SSLContext | None = None
    timeout_s: float = TIMEOUT_S

    def post(self, body: bytes, headers: Mapping[str, str]) -> None:
        """One POST, answered 2xx; redirects are not followed. NotSent."""
        parts = urlsplit(self.url)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        authorization = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        connection = self._connection(parts.scheme, parts.hostname or "", parts.port)
        try:
            connection.request("POST", path, body, {**headers, **authorization})
            answer = connection.getresponse()
            answer.read(_ANSWER_READ)
            status = answer.status
        except OSError as error:
            raise NotSent(reason(error)) from error
        except http.client.HTTPException as error:
            raise NotSent(f"it doesn't speak HTTP: {type(error).__name__}") from error
        finally:
            connection.close()
        if not 200 <= status < 300:
            raise NotSent(f"it answered {status}")

    def _connection(self, scheme: str, host: str, port: int | None) -> http.client.HTTPConnection:
        if scheme == "https":
            context = self.trusted or ssl.create_default_context()
            return http.client.HTTPSConnection(host, port, timeout=self.timeout_s, context=context)
        return http.client.HTTPConnection(host, port, timeout=self.timeout_s)


@dataclass(frozen=True, slots=True)
class Webhook:
    """A POST of JSON: title, text, whether it is urgent, then what programs want to know."""

    web: Web
    name: str = "webhook"

    def send(self, notice: Notice) -> None:
        said = {"title": notice.title, "text": notice.text, "urgent": notice.urgent}
        body = json.dumps({**said, **notice.members}).encode()
        self.web.post(body, {"Content-Type": "application/json"})


@dataclass(frozen=True, slots=True)
class Ntfy:
    """A POST to a topic of ntfy, whichever server that is on."""

    web: Web
    name: str = "ntfy"

    def send(self, notice: Notice) -> None:
        self.web.post(
            notice.text.encode(),
            {
                "Content-Type": "text/plain; charset=utf-8",
                "Title": notice.title,
                "Priority": _HIGH if notice.urgent else _USUAL,
                "Tags": "warning" if notice.urgent else "white_check_mark",
            },
        )
