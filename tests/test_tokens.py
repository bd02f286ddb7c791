"""The two tokens: who may pass, how they are made, kept, replaced."""

from __future__ import annotations

import hmac
import json
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from healthlog.base.http1 import Headers
from healthlog.tokens import INGEST, KINDS, READ, TokenConfigured, Tokens, TokensUnusable

MINE, YOURS = "my-ingest-token-0123", "my-read-token-456789"
BOTH = {INGEST: MINE, READ: YOURS}


@pytest.fixture
def path(data: Path) -> Path:
    return data / "tokens.json"


def write(path: Path, held: object) -> None:
    """Replaces the file, as a person with an editor would."""
    part = path.with_suffix(".new")
    part.write_text(held if isinstance(held, str) else json.dumps(held), encoding="utf-8")
    part.rename(path)


def bearer(token: str, scheme: str = "Bearer") -> Headers:
    return Headers([("Authorization", f"{scheme} {token}")])


def key(token: str) -> Headers:
    return Headers([("X-API-Key", token)])


# ---- who may pass


@pytest.mark.parametrize("shown", [bearer, key])
def test_a_token_opens_its_own_scope(path: Path, shown: Callable[[str], Headers]) -> None:
    tokens = Tokens(path, MINE, YOURS)
    assert tokens.authorized(shown(MINE), "ingest")
    assert tokens.authorized(shown(YOURS), "read")
    assert not tokens.authorized(shown(MINE), "read")
    assert not tokens.authorized(shown(YOURS), "ingest")


def test_every_other_scope_is_the_read_token_s(path: Path) -> None:
    tokens = Tokens(path, MINE, YOURS)
    assert tokens.authorized(bearer(YOURS), "whatever")
    assert not tokens.authorized(bearer(MINE), "whatever")


@pytest.mark.parametrize("scheme", ["bearer", "BEARER", "Bearer  "])
def test_the_scheme_may_be_spelled_in_any_case(path: Path, scheme: str) -> None:
    assert Tokens(path, MINE, YOURS).authorized(bearer(MINE, scheme), "ingest")


@pytest.mark.parametrize(
    "headers",
    [
        Headers(),
        Headers([("Authorization", "")]),
        Headers([("Authorization", "Bearer")]),
        Headers([("Authorization", MINE)]),
        Headers([("Authorization", f"Basic {MINE}")]),
        Headers([("Authorization", f"Bearer {MINE} {MINE}")]),
        Headers([("X-API-Key", "")]),
        Headers([("Cookie", MINE)]),
        key("ÿ" * 20),
        key("\ud800" * 20),
        key(MINE[:-1]),
        key(MINE + "0"),
        key("M" + MINE[1:]),
    ],
)
def test_anything_else_is_refused(path: Path, headers: Headers) -> None:
    tokens = Tokens(path, MINE, YOURS)
    assert not tokens.authorized(headers, "ingest")
    assert not tokens.authorized(headers, "read")


def test_two_credentials_that_differ_are_refused(path: Path) -> None:
    tokens = Tokens(path, MINE, YOURS)
    for first, second in ((MINE, YOURS), (YOURS, MINE), (MINE, "another-token-0123")):
        headers = Headers([("Authorization", f"Bearer {first}"), ("X-API-Key", second)])
        assert not tokens.authorized(headers, "ingest")
    assert not tokens.authorized(Headers([("X-API-Key", MINE), ("X-API-Key", YOURS)]), "ingest")


def test_one_credential_said_twice_is_one(path: Path) -> None:
    headers = Headers([("Authorization", f"Bearer {MINE}"), ("X-API-Key", MINE)])
    assert Tokens(path, MINE, YOURS).authorized(headers, "ingest")


def test_the_credentials_of_a_proxy_are_none_of_ours(path: Path) -> None:
    headers = Headers([("Authorization", "Basic dXNlcjpwYXNz"), ("X-API-Key", MINE)])
    assert Tokens(path, MINE, YOURS).authorized(headers, "ingest")


@pytest.mark.scenario("security", "Tokens are compared in constant time")
@pytest.mark.parametrize("wrong", ["X" + MINE[1:], MINE[:-1] + "X", MINE[:-5], MINE * 3, "ÿ"])
def test_every_check_goes_through_the_constant_time_comparison(path: Path, wrong: str) -> None:
    compared: list[tuple[bytes, bytes]] = []

    def compare(left: bytes, right: bytes) -> bool:
        compared.append((left, right))
        return hmac.compare_digest(left, right)

    tokens = Tokens(path, MINE, YOURS, compare=compare)
    assert not tokens.authorized(bearer(wrong), "ingest")
    assert tokens.authorized(bearer(MINE), "ingest")
    assert [(len(left), len(right)) for left, right in compared] == [(32, 32)] * 2


def test_the_comparison_is_that_of_the_standard_library() -> None:
    assert Tokens.__init__.__kwdefaults__ == {"compare": hmac.compare_digest}


# ---- how they are made


@pytest.mark.scenario("security", "Generated tokens are private and lasting")
def test_tokens_are_made_once_for_their_owner_alone(path: Path) -> None:
    first, second = Tokens(path), Tokens(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    shown = [first.show(kind) for kind in KINDS]
    assert shown == [second.show(kind) for kind in KINDS]
    assert len(set(shown)) == 2
    assert all(len(token) >= 43 for token in shown)
    for tokens in (first, second):
        assert tokens.authorized(bearer(shown[0]), "ingest")
        assert tokens.authorized(bearer(shown[1]), "read")


def test_the_file_is_a_json_object_of_both(path: Path) -> None:
    tokens = Tokens(path)
    assert json.loads(path.read_bytes()) == {kind: tokens.show(kind) for kind in KINDS}


@pytest.mark.scenario("security", "Configured token is used and not written")
def test_a_configured_token_is_not_written(path: Path) -> None:
    tokens = Tokens(path, MINE)
    assert tokens.show(INGEST) == MINE
    assert tokens.authorized(bearer(MINE), "ingest")
    assert json.loads(path.read_bytes()).keys() == {READ}
    assert MINE.encode() not in path.read_bytes()


def test_a_configured_token_stands_over_a_generated_one(path: Path) -> None:
    generated = Tokens(path).show(INGEST)
    tokens = Tokens(path, MINE)
    assert tokens.authorized(bearer(MINE), "ingest")
    assert not tokens.authorized(bearer(generated), "ingest")
    assert Tokens(path).show(INGEST) == generated


def test_nothing_is_written_if_both_are_configured(path: Path) -> None:
    tokens = Tokens(path, MINE, YOURS)
    assert tokens.authorized(bearer(MINE), "ingest")
    assert not path.exists()


def test_what_is_missing_in_the_file_is_added(path: Path) -> None:
    write(path, {READ: YOURS, "note": "kept"})
    tokens = Tokens(path)
    held = json.loads(path.read_bytes())
    assert (held[READ], held["note"], held[INGEST]) == (YOURS, "kept", tokens.show(INGEST))


def test_those_who_start_together_agree(path: Path) -> None:
    barrier = Barrier(8)

    def start(_: int) -> tuple[str, str]:
        barrier.wait()
        tokens = Tokens(path)
        return tokens.show(INGEST), tokens.show(READ)

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(start, range(8)))) == 1
    assert [one.name for one in path.parent.iterdir()] == ["tokens.json"]


# ---- how they are replaced


def test_a_rotated_token_replaces_the_old_one_at_once(path: Path) -> None:
    tokens = Tokens(path)
    old, other = tokens.show(INGEST), tokens.show(READ)
    new = tokens.rotate(INGEST)
    assert new != old
    assert tokens.show(INGEST) == new
    assert tokens.authorized(bearer(new), "ingest")
    assert not tokens.authorized(bearer(old), "ingest")
    assert tokens.authorized(bearer(other), "read")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_rotation_elsewhere_acts_on_a_running_service(path: Path) -> None:
    running = Tokens(path)
    old = running.show(READ)
    new = Tokens(path).rotate(READ)
    assert running.authorized(bearer(new), "read")
    assert not running.authorized(bearer(old), "read")


def test_a_configured_token_is_not_rotated(path: Path) -> None:
    tokens = Tokens(path, MINE)
    with pytest.raises(TokenConfigured, match="ingest_token"):
        tokens.rotate(INGEST)
    assert tokens.rotate(READ) == tokens.show(READ)


def test_rotations_at_once_lose_none_of_the_two(path: Path) -> None:
    Tokens(path)

    def rotate(kind: str) -> str:
        return Tokens(path).rotate(kind)

    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(rotate, KINDS))
    assert [Tokens(path).show(kind) for kind in KINDS] == made


# ---- what is no such file


@pytest.mark.parametrize(
    "held",
    [
        "",
        "{",
        "[]",
        "7",
        "[" * 10_000,
        {INGEST: 5, READ: YOURS},
        {INGEST: "short", READ: YOURS},
        {INGEST: "with a blank in it", READ: YOURS},
        {INGEST: MINE, READ: MINE},
    ],
)
def test_a_malformed_file_is_an_error_that_names_it(path: Path, held: object) -> None:
    write(path, held)
    with pytest.raises(TokensUnusable, match="tokens\\.json") as caught:
        Tokens(path)
    assert MINE not in str(caught.value)


def test_a_folder_in_its_place_is_an_error_that_names_it(path: Path) -> None:
    path.mkdir()
    with pytest.raises(TokensUnusable, match=r"tokens\.json can't be read"):
        Tokens(path)


def test_a_missing_data_directory_is_an_error_that_names_it(data: Path) -> None:
    with pytest.raises(TokensUnusable, match="nowhere"):
        Tokens(data / "nowhere" / "tokens.json")


def test_a_configured_token_must_not_be_the_other_one_s(path: Path) -> None:
    other = Tokens(path).show(READ)
    with pytest.raises(TokensUnusable, match=r"tokens\.json"):
        Tokens(path, other)


@pytest.mark.parametrize("held", ["{", {READ: YOURS}])
def test_a_running_service_keeps_its_tokens_through_a_bad_edit(path: Path, held: object) -> None:
    running = Tokens(path)
    old = running.show(INGEST)
    write(path, held)
    assert running.authorized(bearer(old), "ingest")
    write(path, BOTH)
    assert running.authorized(bearer(MINE), "ingest")
    assert not running.authorized(bearer(old), "ingest")


def test_a_running_service_keeps_its_tokens_without_the_file(path: Path) -> None:
    running = Tokens(path)
    old = running.show(INGEST)
    path.unlink()
    assert running.authorized(bearer(old), "ingest")
