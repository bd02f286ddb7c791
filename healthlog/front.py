"""The parts of the door: who may pass, by which names, with which certificate, who was refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from healthlog.access.doorkeeper import Doorkeeper
from healthlog.access.refused import RefusedLog
from healthlog.access.sessions import Sessions
from healthlog.base.certificates import Certificates, CertificateUnusable
from healthlog.base.clock import Clock
from healthlog.base.conversation import Limits
from healthlog.base.db import Database
from healthlog.base.httpd import Server
from healthlog.base.log import Log
from healthlog.base.proxies import Proxies, address_of
from healthlog.base.sites import Sites
from healthlog.base.strikes import Strikes
from healthlog.base.web import App, Event, Route
from healthlog.config import BadSetting, Settings
from healthlog.tokens import Tokens
from healthlog.web.errors import dressed
from healthlog.web.login import Door

_UPLOADS_SHARE = 3
"""Of so many connections one is kept for uploads."""


@dataclass(frozen=True, slots=True)
class Front:
    """What stands before the routes, and the handlers that need it."""

    keeper: Doorkeeper
    door: Door
    refused: RefusedLog
    certificates: Certificates | None


def open_front(
    settings: Settings,
    tokens: Tokens,
    journal: Database,
    certificates: Certificates | None,
    *,
    log: Log,
    clock: Clock,
) -> Front:
    """The front of a service; what was refused before its last stop is known."""
    sessions = Sessions(tokens.seal, clock)
    host = settings.listen.host
    keeper = Doorkeeper(
        tokens, sessions, Sites((host, *(settings.hosts or ()))), Strikes(clock), log
    )
    door = Door(
        tokens.is_read,
        keeper.wrong,
        lambda secure: sessions.begun(secure=secure),
        lambda secure: sessions.ended(secure=secure),
    )
    return Front(keeper, door, RefusedLog(journal, clock), certificates)


def certificates_of(settings: Settings, log: Log) -> Certificates | None:
    """Those of the settings, None without; BadSetting if they can't be used."""
    if settings.tls_cert is None:
        return None
    try:
        return Certificates(settings.tls_cert, settings.tls_key, log)
    except CertificateUnusable as error:
        name = "tls_key" if error.key and settings.tls_key is not None else "tls_cert"
        path = settings.tls_key if name == "tls_key" else settings.tls_cert
        raise BadSetting(f"{name} {path} {error.problem}") from None


def limits_of(settings: Settings) -> Limits:
    """What the clients of this service are granted."""
    return Limits(
        max_connections=settings.max_connections,
        uploads_reserved=settings.max_connections // _UPLOADS_SHARE,
        header_timeout_s=settings.header_timeout,
        idle_timeout_s=settings.idle_timeout,
        write_timeout_s=settings.write_timeout,
    )


def app_of(front: Front, first: tuple[Route, ...], observe: Callable[[Event], None]) -> App:
    """The door with the addresses that are there from the first; more are to be added."""
    return App(first, front.keeper.check, observe, dressed, more=True)


def open_server(settings: Settings, front: Front, app: App, *, log: Log, clock: Clock) -> Server:
    """The server, bound to its address; OSError when that can't be done."""
    return Server(
        settings.listen,
        app,
        limits_of(settings),
        log,
        clock,
        certificates=front.certificates,
        proxies=Proxies(settings.trusted_proxies or ()),
    )


def in_the_clear(settings: Settings) -> bool:
    """Whether others than this machine can reach the service, without TLS."""
    if settings.tls_cert is not None:
        return False
    host = settings.listen.host
    address = address_of(host)
    return host != "localhost" and not (address is not None and address.is_loopback)
