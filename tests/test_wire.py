"""A socket whose every wait is bounded."""

from __future__ import annotations

import io
import socket
import threading
from collections.abc import Iterator

import pytest

from healthlog.base.clock import SystemClock
from healthlog.base.http1 import Late
from healthlog.base.log import Log
from healthlog.base.wire import LINGER_BYTES, Deadlines, NotTaken, SocketWire
from tests.support.clock import FakeClock
from tests.support.http import FakeWire, Pieces

Ends = tuple[SocketWire, socket.socket, socket.socket]


@pytest.fixture
def ends(clock: FakeClock) -> Iterator[Ends]:
    """Our wire with 10 s for everything, its socket, the client's socket: all over TCP."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        client = socket.create_connection(listener.getsockname())
        ours, _ = listener.accept()
    client.settimeout(20)
    wire = SocketWire(ours, clock)
    wire.read_by(clock.monotonic() + 10)
    wire.write_by(clock.monotonic() + 10)
    with ours, client:
        yield wire, ours, client


def test_bytes_pass_both_ways(ends: Ends) -> None:
    wire, _, client = ends
    client.sendall(b"ping")
    assert wire.receive(100) == b"ping"
    wire.send(b"pong")
    assert client.recv(100) == b"pong"


def test_no_more_is_received_than_asked_for(ends: Ends) -> None:
    wire, _, client = ends
    client.sendall(b"hello")
    assert wire.receive(2) == b"he"
    assert wire.receive(100) == b"llo"


def test_dripping_bytes_do_not_move_the_deadline(ends: Ends, clock: FakeClock) -> None:
    wire, _, client = ends
    for _ in range(10):
        client.sendall(b"x")
        assert wire.receive(1) == b"x"
        clock.advance(1)
    client.sendall(b"x")
    with pytest.raises(Late):
        wire.receive(1)


def test_nothing_is_received_before_a_deadline_is_set(ends: Ends, clock: FakeClock) -> None:
    client = ends[2]
    client.sendall(b"x")
    with pytest.raises(Late):
        SocketWire(ends[1], clock).receive(1)


def test_silence_ends_at_the_deadline(ends: Ends, clock: FakeClock) -> None:
    wire = ends[0]
    wire.read_by(clock.monotonic() + 0.001)
    with pytest.raises(Late):
        wire.receive(1)


def test_the_end_of_the_client_is_the_end_of_the_bytes(ends: Ends) -> None:
    wire, _, client = ends
    client.close()
    assert wire.receive(1) == b""


def test_a_reset_is_an_end_too(ends: Ends, clock: FakeClock) -> None:
    wire, _, client = ends
    SocketWire(client, clock).abort()
    client.close()
    assert wire.receive(1) == b""


def test_sending_to_a_client_that_is_gone_is_told(ends: Ends, clock: FakeClock) -> None:
    wire, _, client = ends
    SocketWire(client, clock).abort()
    client.close()
    wire.receive(1)
    with pytest.raises(NotTaken):
        wire.send(b"x")


def test_nothing_is_sent_after_the_deadline(ends: Ends, clock: FakeClock) -> None:
    clock.advance(10)
    with pytest.raises(NotTaken):
        ends[0].send(b"x")


def test_a_client_that_does_not_read_has_until_the_deadline_in_all(ends: Ends) -> None:
    real = SystemClock()
    wire = SocketWire(ends[1], real)
    wire.write_by(real.monotonic() + 0.05)
    with pytest.raises(NotTaken):
        wire.send(bytes(64 << 20))


def test_another_thread_can_wake_a_waiting_one(ends: Ends) -> None:
    for wake in (ends[0].end_input, ends[0].drop):
        thread = threading.Thread(target=wake)
        thread.start()
        assert ends[0].receive(1) == b""
        thread.join()


def test_what_came_before_the_end_of_input_can_be_read(ends: Ends) -> None:
    wire, ours, client = ends
    client.sendall(b"hello")
    # Wait until it is here: the peek leaves it in place.
    assert ours.recv(5, socket.MSG_PEEK | socket.MSG_WAITALL) == b"hello"
    wire.end_input()
    assert wire.receive(100) == b"hello"
    assert wire.receive(100) == b""
    wire.send(b"answer")
    assert client.recv(100) == b"answer"


def test_another_thread_can_bring_a_deadline_forward(ends: Ends, clock: FakeClock) -> None:
    wire = ends[0]
    wire.hurry(clock.monotonic() + 99)
    assert wire._read_at == clock.monotonic() + 10
    thread = threading.Thread(target=wire.hurry, args=(clock.monotonic(),))
    thread.start()
    with pytest.raises(Late):
        wire.receive(1)
    thread.join()


def test_lingering_ends_when_it_is_quiet(ends: Ends, clock: FakeClock) -> None:
    ends[2].sendall(bytes(1000))
    wire = SocketWire(ends[1], clock, quiet_s=0.01)
    wire.read_by(clock.monotonic() + 1000)
    wire.linger()


def test_lingering_tells_the_client_that_no_more_will_come(ends: Ends) -> None:
    wire, _, client = ends
    wire.send(b"answer")
    thread = threading.Thread(target=wire.linger)
    thread.start()
    assert client.recv(100) == b"answer"
    assert client.recv(100) == b""
    client.sendall(b"the rest of a body")
    client.close()
    thread.join()


def test_lingering_takes_a_bounded_number_of_bytes(ends: Ends) -> None:
    wire, ours, client = ends
    sent = 0

    def pour() -> None:
        nonlocal sent
        try:
            while sent < 64 * LINGER_BYTES:
                sent += client.send(bytes(65536))
        except OSError:
            return

    thread = threading.Thread(target=pour)
    thread.start()
    wire.linger()
    ours.close()
    thread.join()
    assert LINGER_BYTES <= sent < 64 * LINGER_BYTES


def test_lingering_ends_with_the_client(ends: Ends) -> None:
    ends[2].close()
    ends[0].linger()


def test_an_aborted_wire_is_seen_to_break(ends: Ends) -> None:
    wire, ours, client = ends
    wire.abort()
    ours.close()
    with pytest.raises(ConnectionResetError):
        client.recv(1)


def test_a_closed_wire_bears_everything(ends: Ends) -> None:
    wire, ours, _ = ends
    ours.close()
    wire.abort()
    wire.drop()
    wire.end_input()
    wire.linger()
    assert wire.receive(1) == b""


def test_deadlines_are_set_one_by_one(clock: FakeClock) -> None:
    wire = FakeWire(Pieces())
    deadlines = Deadlines(wire, Log(io.StringIO(), clock, "DEBUG"))
    deadlines.set(read_at=1.0)
    deadlines.set(write_at=2.0)
    deadlines.set()
    assert (wire.read_at, wire.write_at) == ([1.0], [2.0])


def test_a_wire_without_deadlines_is_told_of_once(clock: FakeClock) -> None:
    stream = io.StringIO()
    deadlines = Deadlines(FakeWire(Pieces(), deadlines=False), Log(stream, clock, "DEBUG"))
    for _ in range(3):
        deadlines.set(read_at=1.0, write_at=2.0)
    assert len(stream.getvalue().splitlines()) == 1
