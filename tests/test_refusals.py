"""Connections turned away at the door."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import suppress

import pytest

from healthlog.base.refusals import LINGER_BYTES, LINGER_S, Refusals
from tests.support.clock import FakeClock

ANSWER = b"HTTP/1.1 503 Service Unavailable\r\n\r\n"


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Our side, the client's side."""
    ours, client = socket.socketpair()
    client.settimeout(20)
    with ours, client:
        yield ours, client


Pair = tuple[socket.socket, socket.socket]


def is_open(sock: socket.socket) -> bool:
    return sock.fileno() >= 0


def test_a_refused_client_gets_its_answer_at_once(pair: Pair, clock: FakeClock) -> None:
    Refusals(8, clock).refuse(pair[0], ANSWER)
    assert pair[1].recv(1000) == ANSWER
    assert pair[1].recv(1000) == b""


def test_the_socket_stays_open_while_the_client_sends(pair: Pair, clock: FakeClock) -> None:
    refusals = Refusals(8, clock)
    refusals.refuse(pair[0], ANSWER)
    for _ in range(3):
        pair[1].sendall(b"body")
        refusals.pump()
    assert is_open(pair[0])


def test_the_socket_is_closed_when_the_client_is(pair: Pair, clock: FakeClock) -> None:
    refusals = Refusals(8, clock)
    refusals.refuse(pair[0], ANSWER)
    pair[1].close()
    refusals.pump()
    assert not is_open(pair[0])


def test_the_socket_is_closed_when_the_time_is_over(pair: Pair, clock: FakeClock) -> None:
    refusals = Refusals(8, clock)
    refusals.refuse(pair[0], ANSWER)
    clock.advance(LINGER_S)
    refusals.pump()
    assert not is_open(pair[0])


def test_the_socket_is_closed_when_too_much_comes(pair: Pair, clock: FakeClock) -> None:
    refusals = Refusals(8, clock)
    refusals.refuse(pair[0], ANSWER)
    pair[1].setblocking(False)
    sent = 0
    while is_open(pair[0]):
        assert sent < 4 * LINGER_BYTES
        with suppress(BlockingIOError, BrokenPipeError, ConnectionResetError):
            sent += pair[1].send(bytes(65536))
        refusals.pump()
    assert sent >= LINGER_BYTES


def test_a_client_that_is_gone_is_forgotten(pair: Pair, clock: FakeClock) -> None:
    pair[1].close()
    Refusals(8, clock).refuse(pair[0], ANSWER)
    assert not is_open(pair[0])


def test_the_oldest_is_closed_for_a_new_one(clock: FakeClock) -> None:
    refusals = Refusals(2, clock)
    pairs = [socket.socketpair() for _ in range(3)]
    for ours, _ in pairs:
        refusals.refuse(ours, ANSWER)
    assert [is_open(ours) for ours, _ in pairs] == [False, True, True]
    refusals.close()
    assert not any(is_open(ours) for ours, _ in pairs)
    for _, client in pairs:
        client.close()


def test_settling_ends_when_the_clients_end(pair: Pair, clock: FakeClock) -> None:
    refusals = Refusals(8, clock)
    refusals.refuse(pair[0], ANSWER)
    pair[1].sendall(b"body")
    pair[1].close()
    refusals.settle()
    assert not is_open(pair[0])


def test_settling_with_nobody_there_ends_at_once(clock: FakeClock) -> None:
    Refusals(8, clock).settle()


def test_settling_can_be_hurried(pair: Pair, clock: FakeClock) -> None:
    refusals = Refusals(8, clock)
    refusals.refuse(pair[0], ANSWER)
    refusals.hurry()
    refusals.settle()
    assert not is_open(pair[0])
