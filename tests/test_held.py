"""Long answers held small."""

from __future__ import annotations

import threading
import tracemalloc
from collections.abc import Iterator

import pytest

from healthlog.base.held import Crowded, Turns, held
from tests.support.patience import PATIENCE_S

ITEM = b'{"at":"2026-05-03T09:00:00+02:00","qty":8123,"unit":"count"},'


@pytest.mark.parametrize("sizes", [[], [0], [1, 2], [65536], [30_000, 35_536]])
def test_few_bytes_are_held_as_they_are(sizes: list[int]) -> None:
    assert held(bytes(size) for size in sizes) == bytes(sum(sizes))


@pytest.mark.parametrize("sizes", [[65537], [65536, 1], [10] * 50_000, [3_000_000], [0, 200_000]])
def test_many_bytes_come_out_as_they_went_in(sizes: list[int]) -> None:
    pieces = [(ITEM * (size // len(ITEM) + 1))[:size] for size in sizes]
    kept = held(iter(pieces))
    assert not isinstance(kept, bytes)
    lengths = [len(piece) for piece in kept]
    assert b"".join(kept) == b"".join(pieces)
    assert max(lengths) <= 65536


def items() -> Iterator[bytes]:
    for number in range(50_000):
        yield ITEM + str(number).encode()


def test_many_bytes_are_held_small() -> None:
    tracemalloc.start()
    try:
        kept = held(items())
        size, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert not isinstance(kept, bytes)
    assert sum(len(piece) for piece in kept) > 3_000_000
    assert size < 600_000


def test_an_error_shows_before_anything_is_held() -> None:
    def broken() -> Iterator[bytes]:
        yield bytes(100_000)
        raise KeyError("x")

    with pytest.raises(KeyError):
        held(broken())


def test_only_so_many_are_at_work_at_a_time() -> None:
    turns = Turns(2, 0.001)
    inside, leave = threading.Semaphore(0), threading.Event()

    def work() -> bool:
        inside.release()
        return leave.wait(PATIENCE_S)

    threads = [threading.Thread(target=turns.take, args=(work,)) for _ in range(2)]
    for thread in threads:
        thread.start()
        assert inside.acquire(timeout=PATIENCE_S)
    with pytest.raises(Crowded):
        turns.take(lambda: None)
    leave.set()
    for thread in threads:
        thread.join()
    assert turns.take(lambda: 1) == 1


def test_a_turn_ends_with_an_error_too() -> None:
    turns = Turns(1, 0.001)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            turns.take(lambda: 1 // 0)
