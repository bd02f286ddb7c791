"""The door of a whole service: TLS, proxies, limits, what it says of itself at the start."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from healthlog.base.strikes import FREE
from healthlog.front import in_the_clear, limits_of
from healthlog.home import Home
from healthlog.service import Service
from tests.support.bodies import ONE_DAY, TWO_DAYS
from tests.support.certificates import LOCKED_KEY, pair, trusting
from tests.support.loopback import Client, Reply
from tests.support.process import INGEST, READ, serving
from tests.support.serviced import GET, POST, Following, asked, got, posted, running, settings
from tests.support.shell import run

CERT, KEY = map(str, pair("one"))


def over_tls(service: Service, request: bytes) -> Reply:
    return asked(service, request, trusting())


@pytest.fixture
def secured(data: Path) -> Iterator[tuple[Service, Following]]:
    with running(data, tls_cert=CERT, tls_key=KEY) as made:
        yield made


# ---- TLS


@pytest.mark.scenario("security", "Service speaks TLS itself")
def test_a_delivery_comes_in_over_tls(secured: tuple[Service, Following]) -> None:
    service, stream = secured
    reply = over_tls(service, POST % (INGEST.encode(), len(TWO_DAYS)) + TWO_DAYS)
    assert (reply.status, reply.json()["bytes"]) == (200, len(TWO_DAYS))
    stream.until("delivery folded")
    told = over_tls(service, GET % (b"/stats", READ.encode()))
    assert told.json()["deliveries"]["parsed"] == 1


@pytest.mark.scenario("security", "What is no TLS is closed in order")
def test_a_phone_set_to_http_is_seen_among_the_refusals(secured: tuple[Service, Following]) -> None:
    service, _ = secured
    assert posted(service, TWO_DAYS).status == 400
    refused = over_tls(service, GET % (b"/api/v1/refusals", READ.encode())).json()["items"]
    assert [one["reason"] for one in refused] == ["Only HTTPS is spoken here."]


@pytest.mark.scenario("security", "Cookie is kept from scripts and other sites")
def test_a_cookie_of_tls_is_for_tls_alone(secured: tuple[Service, Following]) -> None:
    form = b"token=" + READ.encode()
    head = (
        "POST /login HTTP/1.1\r\nHost: localhost\r\nOrigin: {}://localhost\r\n"
        f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(form)}\r\n\r\n"
    )
    reply = over_tls(secured[0], head.format("https").encode() + form)
    assert reply.headers["set-cookie"].endswith("; SameSite=Strict; Secure")
    assert over_tls(secured[0], head.format("http").encode() + form).status == 403


@pytest.mark.scenario("security", "Unusable certificate stops the start")
@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--tls-cert", "/nowhere.pem"), ("tls_cert /nowhere.pem", "No such file")),
        (("--tls-cert", CERT), (f"tls_cert {CERT}", "no private key")),
        (("--tls-cert", CERT, "--tls-key", "/nowhere.pem"), ("tls_key /nowhere.pem",)),
        (("--tls-cert", CERT, "--tls-key", str(LOCKED_KEY)), (f"tls_key {LOCKED_KEY}", "password")),
        (("--tls-key", KEY), ("tls_key", "needs tls_cert")),
    ],
)
def test_an_unusable_certificate_stops_the_start_by_its_setting(
    data: Path, flags: tuple[str, ...], words: tuple[str, ...]
) -> None:
    assert run("serve", "--data", data, "--listen", "127.0.0.1:0", *flags).refused(2, *words)


@pytest.mark.scenario("import", "Import goes through a running service")
def test_an_import_goes_through_a_service_with_tls(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "days.json"
    file.write_bytes(TWO_DAYS)
    tls = ("--tls-cert", CERT, "--tls-key", KEY)
    tokens = ("--read-token", READ, "--ingest-token", INGEST)
    with serving(data, *tls) as child:
        flags = ("--data", data, "--listen", f"127.0.0.1:{child.port}", *tokens)
        ran = run("import", *flags, *tls, "--aggregation", "Days", file)
        assert (ran.status, json.loads(ran.out)["deliveries"]) == (0, 1)
        other = pair("two")
        file.write_bytes(ONE_DAY)
        ran = run("import", *flags, "--tls-cert", other[0], "--tls-key", other[1], file)
        assert ran.status == 1
        assert "certificate" in ran.err
        assert child.stop() == 0


# ---- what it says of itself


@pytest.mark.scenario("security", "Service in the clear says so once")
@pytest.mark.parametrize(
    ("listen", "given", "clear"),
    [
        ("127.0.0.1:0", {}, False),
        ("localhost:0", {}, False),
        ("[::1]:0", {}, False),
        ("127.8.0.1:0", {}, False),
        ("0.0.0.0:0", {}, True),
        ("[::]:0", {}, True),
        ("192.0.2.1:0", {}, True),
        ("nas:0", {}, True),
        ("0.0.0.0:0", {"tls_cert": CERT, "tls_key": KEY}, False),
    ],
)
def test_what_others_can_listen_to_is_known(
    data: Path, listen: str, given: dict[str, str], clear: bool
) -> None:
    assert in_the_clear(settings(data, listen=listen, **given)) is clear


@pytest.mark.scenario("security", "Service in the clear says so once")
def test_a_service_in_the_clear_says_so_once(data: Path) -> None:
    (data / "journal.db").touch(0o644)
    with serving(data, "--listen", "0.0.0.0:0") as child:
        assert child.post(TWO_DAYS)[0] == 200
        assert child.stop() == 0
    # `serve` takes back what others could read.
    assert modes(data)["journal.db"] == 0o600
    assert child.said("others may read the data") == []
    [line] = child.said("listening without TLS")
    assert line == line | {"level": "WARN", "listen": "0.0.0.0:0"}


# ---- proxies


def forwarded(service: Service, client: str, path: str = "/stats", token: str = "wrong") -> Reply:
    fields = f"Host: x\r\nX-API-Key: {token}\r\nX-Forwarded-For: 6.6.6.6, {client}\r\n"
    return asked(service, f"GET {path} HTTP/1.1\r\n{fields}Connection: close\r\n\r\n".encode())


@pytest.mark.scenario("security", "Trusted proxy tells the client")
def test_behind_a_trusted_proxy_the_client_is_named(data: Path) -> None:
    with running(data, trusted_proxies="127.0.0.1") as (service, stream):
        assert forwarded(service, "203.0.113.9").status == 401
        assert stream.until("wrong token")["remote"] == "203.0.113.9"
        [one] = got(service, "/api/v1/refusals")["items"]
        assert one["remote"] == "203.0.113.9"


@pytest.mark.scenario("security", "Trusted proxy tells the client")
def test_anybody_else_may_say_what_they_like(data: Path) -> None:
    with running(data) as (service, stream):
        forwarded(service, "203.0.113.9")
        assert stream.until("wrong token")["remote"] == "127.0.0.1"


@pytest.mark.scenario("security", "The right token is never delayed")
def test_wrong_tokens_of_an_address_hold_nobody_else_up(data: Path) -> None:
    with running(data, stop_budget="5s") as (service, stream), Client(service.port) as guesser:
        for _ in range(FREE + 6):
            guesser.send(b"GET /stats HTTP/1.1\r\nHost: x\r\nX-API-Key: wrong\r\n\r\n")
        for _ in range(FREE):
            assert guesser.reply().status == 401
        # The next answers are held back for longer than this test takes.
        assert posted(service, TWO_DAYS).status == 200
        assert got(service, "/healthz") == {"status": "ok"}
        assert len(stream.lines("wrong token")) == FREE


# ---- limits


def test_a_third_of_the_connections_is_kept_for_uploads(data: Path) -> None:
    for connections, uploads in (("192", 64), ("4", 1), ("4096", 1365)):
        limits = limits_of(settings(data, max_connections=connections))
        assert (limits.max_connections, limits.uploads_reserved) == (int(connections), uploads)


@pytest.mark.parametrize("connections", ["4", "5"])
def test_with_few_connections_all_is_served(data: Path, connections: str) -> None:
    with running(data, max_connections=connections) as (service, _):
        assert posted(service, TWO_DAYS).status == 200
        assert got(service, "/healthz") == {"status": "ok"}


# ---- files


def modes(data: Path) -> dict[str, int]:
    return {
        str(path.relative_to(data)): stat.S_IMODE(path.stat().st_mode)
        for path in [data, *data.rglob("*")]
    }


@pytest.fixture(params=[0o000, 0o007, 0o022])
def umask(request: Any) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


@pytest.mark.scenario("security", "Data files belong to the owner")
def test_whatever_the_umask_nobody_else_may_read(tmp_path: Path, umask: int) -> None:
    data = tmp_path / "data"
    Home(data).prepare()
    with running(data, read_token="") as (service, stream):
        assert posted(service, TWO_DAYS).status == 200
        stream.until("delivery folded")
        open_files = modes(data)
    assert {"journal.db-wal", "journal.db-shm", "mart.db-wal", "tokens.json"} <= open_files.keys()
    for found in (open_files, modes(data)):
        folders = {name for name in found if (data / name).is_dir()}
        assert {found[name] for name in folders} == {0o700}
        assert {mode for name, mode in found.items() if name not in folders} == {0o600}


@pytest.mark.scenario("security", "Data files belong to the owner")
def test_what_others_could_read_is_taken_from_them(data: Path) -> None:
    with running(data, read_token=""):
        pass
    names = (".", "tokens.json", "journal.db", "mart.db")
    for name in names:
        (data / name).chmod(0o755 if name == "." else 0o644)
    assert Home(data).tighten() == []
    found = modes(data)
    assert [found[name] for name in names] == [0o700, 0o600, 0o600, 0o600]
