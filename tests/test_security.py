"""Who may come in, what may come out: tokens at the door, silence about contents."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from healthlog import config
from healthlog.archive.store import Archive
from healthlog.base.log import Log
from healthlog.home import Home
from healthlog.tokens import Tokens
from tests.support.accepting import open_house
from tests.support.clock import FakeClock
from tests.support.loopback import Reply
from tests.support.patience import PATIENCE_S
from tests.support.reading import Desk, body, metric, open_desk, steps
from tests.support.sources import ROOT

TOKENS = {"ingest": "tok-ingest-0123456789", "read": "tok-read-0123456789abc"}
READERS = ("/stats", "/api/v1/metrics", "/api/v1/points?metric=x", "/api/v1/deliveries")
BODY = steps(("2026-05-03 00:00:00 +0200", 8123))

Shown = Callable[[str], str]


def bearer(token: str) -> str:
    return f"Authorization: Bearer {token}"


def key(token: str) -> str:
    return f"X-API-Key: {token}"


@pytest.fixture
def desk(data: Path, clock: FakeClock) -> Iterator[Desk]:
    with open_desk(data, clock) as desk:
        desk.authorized = Tokens(data / "tokens.json", *TOKENS.values()).authorized
        yield desk


def refused(reply: Reply) -> bool:
    """Whether it is the 401 of a missing token, as a problem."""
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.json()["status"] == reply.status
    return reply.status == 401 and reply.headers["www-authenticate"].startswith("Bearer")


def untouched(desk: Desk) -> bool:
    return desk.house.files() == [] and desk.house.rows() == []


# ---- at the door


@pytest.mark.scenario("security", "Missing or wrong token is refused")
@pytest.mark.parametrize(
    "fields",
    [
        (),
        (bearer("wrong"),),
        (key("wrong"),),
        (bearer("tök-ingest-0123456789"),),
        (key("\xff\xfe\x80"),),
        (bearer(TOKENS["ingest"]), key(TOKENS["read"])),
    ],
)
def test_a_body_without_its_token_is_refused(desk: Desk, fields: tuple[str, ...]) -> None:
    assert refused(desk.post(BODY, *fields))
    assert untouched(desk)


@pytest.mark.scenario("security", "Tokens keep to their scopes")
@pytest.mark.parametrize("shown", [bearer, key])
def test_the_ingest_token_reads_nothing(desk: Desk, shown: Shown) -> None:
    assert all(refused(desk.get(path, shown(TOKENS["ingest"]))) for path in READERS)


@pytest.mark.scenario("security", "Tokens keep to their scopes")
@pytest.mark.parametrize("shown", [bearer, key])
def test_the_read_token_delivers_nothing(desk: Desk, shown: Shown) -> None:
    assert refused(desk.post(BODY, shown(TOKENS["read"])))
    assert untouched(desk)


@pytest.mark.scenario("security", "Tokens keep to their scopes")
@pytest.mark.parametrize("shown", [bearer, key])
def test_each_token_opens_its_own_calls(desk: Desk, shown: Shown) -> None:
    assert desk.post(BODY, shown(TOKENS["ingest"])).status == 200
    assert [desk.get(path, shown(TOKENS["read"])).status for path in READERS] == [200] * 4


# ---- tokens that nobody configured


@pytest.mark.scenario("security", "Configured token is used and not written")
def test_a_token_of_the_environment_is_not_written(data: Path) -> None:
    environ = {"HEALTHLOG_INGEST_TOKEN": TOKENS["ingest"]}
    given = config.settings({"data": str(data)}, environ, None)
    home = Home(given.data)
    assert (
        Tokens(home.tokens, given.ingest_token, given.read_token).show("ingest")
        == (TOKENS["ingest"])
    )
    assert TOKENS["ingest"] not in home.tokens.read_text(encoding="utf-8")


@pytest.mark.scenario("security", "Token command prints the token in use")
def test_the_token_command_prints_the_token_in_use(desk: Desk, data: Path) -> None:
    environ = {name: value for name, value in os.environ.items() if "HEALTHLOG" not in name}
    ran = subprocess.run(
        [sys.executable, "-m", "healthlog", "token", "ingest", "--data", str(data)],
        cwd=ROOT,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    [token] = ran.stdout.splitlines()
    desk.authorized = Tokens(data / "tokens.json").authorized
    assert desk.post(BODY, bearer(token)).status == 200


# ---- silence

MARK, NUMBER = "Marked", 271828.25
MARKS = (MARK, MARK.lower(), "271828", "tok-", "3141-05-09")
MARKED = body(
    metric(f"{MARK} metric", MARK, {"date": "2026-05-03 09:00:00 +0200", "qty": NUMBER}),
    metric("step_count", "count", {"date": f"{MARK} 3141-05-09", "qty": NUMBER}),
    metric("heart_rate", "count/min", {"date": "3141-05-09 09:00:00 +0200", "qty": NUMBER}),
)


def leaks(text: str | bytes) -> list[str]:
    """The marks that stand in a text."""
    plain = text if isinstance(text, str) else text.decode()
    return [mark for mark in MARKS if mark in plain]


def break_down() -> None:
    int(f"{MARK} {NUMBER}")


@pytest.mark.scenario("security", "Logs and errors hold nothing of the request")
def test_no_log_line_holds_anything_of_a_request(desk: Desk) -> None:
    desk.house.log = Log(desk.house.stream, desk.house.clock, "DEBUG")
    token = bearer(TOKENS["ingest"])
    for content in (MARKED, b'{"' + MARK.encode() + b'": 271828'):
        desk.post(content, token)
    for content in (MARKED, b"{" + MARK.encode() + b"}"):
        desk.send(content, "Seconds")
    desk.accidents.append(break_down)
    desk.send(MARKED, "Seconds")
    for field in (bearer("tok-wrong-0123456789"), bearer(TOKENS["read"])):
        desk.get(f"/stats?token={TOKENS['read']}&{TOKENS['read']}={MARK}", field)
        desk.get(f"/api/v1/points?metric={MARK}&from={MARK}", field)
    said = desk.house.stream.getvalue()
    kinds = {json.loads(line)["msg"] for line in said.splitlines()}
    assert kinds >= {"delivery accepted", "delivery folded", "delivery failed"}
    assert [line["kind"] for line in desk.house.lines("delivery failed")] == [
        "malformed",
        "internal",
    ]
    assert leaks(said) == []


@pytest.mark.scenario("security", "Logs and errors hold nothing of the request")
@pytest.mark.parametrize(
    ("path", "status"),
    [
        (f"/stats?{MARK}={MARK}", 400),
        (f"/stats?{TOKENS['read']}", 400),
        (f"/stats?token={TOKENS['read']}", 400),
        (f"/api/v1/points?metric={MARK}&limit={MARK}", 400),
        (f"/api/v1/points?metric={MARK}&limit=1&limit={MARK}", 400),
        (f"/api/v1/points?metric=x&layer={MARK}", 400),
        (f"/api/v1/points?metric=x&from={MARK}", 400),
        (f"/api/v1/deliveries?cursor={MARK}", 400),
        (f"/api/v1/deliveries?status={MARK}", 400),
        (f"/api/v1/deliveries/{MARK}", 404),
        (f"/api/v1/deliveries/{MARK}/body", 404),
        (f"/{MARK}", 404),
    ],
)
def test_no_error_of_a_reader_holds_anything_of_the_request(
    desk: Desk, path: str, status: int
) -> None:
    reply = desk.get(path, bearer(TOKENS["read"]))
    assert reply.status == status
    assert leaks(reply.body) == []


@pytest.mark.scenario("security", "Logs and errors hold nothing of the request")
@pytest.mark.parametrize(
    ("field", "token", "status"),
    [
        ("X: x", TOKENS["ingest"], 400),
        (f"Content-Type: text/csv; name={MARK}", TOKENS["ingest"], 415),
        (f"Content-Encoding: {MARK}", TOKENS["ingest"], 415),
        ("X: x", "tok-wrong-0123456789", 401),
    ],
)
def test_no_error_of_the_door_holds_anything_of_the_request(
    desk: Desk, field: str, token: str, status: int
) -> None:
    reply = desk.post(f'["{MARK}", 271828]'.encode(), bearer(token), field)
    assert reply.status == status
    assert leaks(reply.body) == []


# ---- files


@pytest.fixture
def umask() -> Iterator[int]:
    before = os.umask(0o022)
    yield 0o022
    os.umask(before)


@pytest.mark.scenario("security", "Data files belong to the owner")
def test_what_is_stored_belongs_to_the_owner(tmp_path: Path, clock: FakeClock, umask: int) -> None:
    home = Home(tmp_path / "made")
    home.prepare()
    Tokens(home.tokens)
    with open_house(home.data, clock) as house:
        one = house.accept(house.intake())
    archive = Archive(home.data)
    files = (
        archive.body_path(one.delivery_id),
        archive.meta_path(one.delivery_id),
        home.tokens,
        home.journal,
    )
    assert {mode(path) for path in files} == {0o600}
    folders = [home.data, *(path for path in home.data.rglob("*") if path.is_dir())]
    assert {mode(path) for path in folders} == {0o700}


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)
