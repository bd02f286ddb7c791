"""The certificate that TLS is spoken with, read from its files."""

from __future__ import annotations

import ssl
import threading
from pathlib import Path

from healthlog.base.errors import Refusal
from healthlog.base.log import Log

Stamp = tuple[tuple[int, int, int], ...]


class CertificateUnusable(Refusal):
    """Certificate or key can't be used; `key` tells which of the files, `problem` why."""

    def __init__(self, problem: str, *, key: bool) -> None:
        super().__init__(problem)
        self.problem = problem
        self.key = key


class Certificates:
    """The certificate in force, read anew when its files change: whoever renews it needs to tell
    nobody. While the new files are unusable the old one stays in force.

    CertificateUnusable when made with files that can't be used. May be used by many threads.
    """

    def __init__(self, cert: Path, key: Path | None, log: Log) -> None:
        self._cert = cert
        self._key = key
        self._log = log
        self._lock = threading.Lock()
        self._stamp = self._look()
        self._context = context_of(cert, key)

    def context(self) -> ssl.SSLContext:
        """What the next handshake is done with."""
        with self._lock:
            stamp = self._look()
            if stamp != self._stamp:
                self._stamp = stamp
                self._read_again()
            return self._context

    def _read_again(self) -> None:
        try:
            self._context = context_of(self._cert, self._key)
        except CertificateUnusable as error:
            self._log.warn("certificate not read", error=error.problem)
        else:
            self._log.info("certificate read again")

    def _look(self) -> Stamp | None:
        try:
            told = [path.stat() for path in (self._cert, self._key) if path is not None]
        except OSError:
            return None
        return tuple((one.st_mtime_ns, one.st_ino, one.st_size) for one in told)


def context_of(cert: Path, key: Path | None) -> ssl.SSLContext:
    """TLS 1.2 or newer with this certificate chain; raises CertificateUnusable."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    for path, is_key in ((cert, False), (key, True)):
        _readable(path, key=is_key)
    try:
        context.load_cert_chain(cert, key, password=_no_password)
    except ssl.SSLError as error:
        problem, wrong_key = _problem(error, cert)
        raise CertificateUnusable(problem, key=wrong_key) from None
    except (OSError, ValueError) as error:
        raise CertificateUnusable(str(error), key=key is not None) from None
    return context


def _readable(path: Path | None, *, key: bool) -> None:
    """Asked beforehand, because the library doesn't say which of the files it couldn't open."""
    if path is None:
        return
    try:
        with path.open("rb") as file:
            file.read(1)
    except OSError as error:
        raise CertificateUnusable(str(error.strerror), key=key) from None


def _no_password() -> str:
    # Else the library asks at the terminal, which a service doesn't have.
    raise ValueError("is locked with a password")


def _problem(error: ssl.SSLError, cert: Path) -> tuple[str, bool]:
    """What is wrong, and whether with the key."""
    if error.reason == "KEY_VALUES_MISMATCH":
        return "is not the key of the certificate", True
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cert)
    except ssl.SSLError:
        return "holds no certificate in PEM", False
    return "holds no private key in PEM", True
