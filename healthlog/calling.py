"""A connection from a command to the service on the same machine, with TLS where it speaks that."""

from __future__ import annotations

import http.client
import ssl
from pathlib import Path

from healthlog.config import BadSetting
from healthlog.setting_places import Address

_ANYWHERE = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - looked up
_TIMEOUT_S = 60.0


class Line:
    """The way to whoever listens at an address. `tls_cert` is its certificate, if it speaks TLS;
    BadSetting for one that can't be read."""

    def __init__(self, address: Address, tls_cert: Path | None = None) -> None:
        self._tls = None if tls_cert is None else _trusting(tls_cert)
        self._host = _ANYWHERE.get(address.host, address.host)
        self._port = address.port

    @property
    def where(self) -> str:
        """Host and port, for messages."""
        return f"{self._host}:{self._port}"

    def connection(self) -> http.client.HTTPConnection:
        """Not connected yet."""
        if self._tls is None:
            return http.client.HTTPConnection(self._host, self._port, timeout=_TIMEOUT_S)
        return http.client.HTTPSConnection(
            self._host, self._port, timeout=_TIMEOUT_S, context=self._tls
        )


def _trusting(cert: Path) -> ssl.SSLContext:
    """TLS with whoever has this very certificate, by whatever name it is asked for: the service
    listens on this machine, its certificate is made for another name."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    try:
        context.load_verify_locations(cert)
    except (OSError, ssl.SSLError):
        raise BadSetting(f"tls_cert {cert} holds no certificate that can be read") from None
    return context
