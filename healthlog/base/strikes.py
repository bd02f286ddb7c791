"""How often an address showed a wrong credential lately, what that costs it."""

from __future__ import annotations

import ipaddress
import threading
from collections import OrderedDict
from dataclasses import dataclass

from healthlog.base.clock import Clock
from healthlog.base.proxies import address_of

FREE = 10
"""So many wrong ones cost nothing: a person mistypes, a phone repeats itself."""

FORGOTTEN_S = 60.0
"""One is forgotten in this time."""

_FIRST_DELAY_S = 1.0
_LONGEST_DELAY_S = 8.0
_ADDRESSES_MAX = 1024
_IPV6_PREFIX = 64


@dataclass(frozen=True, slots=True)
class Strike:
    """One more wrong credential: how many came since the address was last forgotten, how long the
    answer is held back, whether it is worth a line in the log."""

    failures: int
    delay_s: float
    told: bool


@dataclass(slots=True)
class _Record:
    weight: float
    at: float
    failures: int = 0


class Strikes:
    """Counts by address, those of IPv6 by their network of 64 bits; for at most a thousand of them.

    Only the answer to a wrong credential is ever delayed by it: others may sit behind the same
    address, and theirs may be right.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._records: OrderedDict[str, _Record] = OrderedDict()

    def failed(self, remote: str) -> Strike:
        """A wrong one came from there."""
        now = self._clock.monotonic()
        with self._lock:
            record = self._records.pop(_network(remote), None)
            weight = 0.0 if record is None else record.weight - (now - record.at) / FORGOTTEN_S
            if record is None or weight <= 0:
                record, weight = _Record(0.0, now), 0.0
            record.weight, record.at = weight + 1, now
            record.failures += 1
            self._records[_network(remote)] = record
            if len(self._records) > _ADDRESSES_MAX:
                self._records.popitem(last=False)
        failures = record.failures
        # Whoever goes on and on fills no log.
        told = failures <= FREE or failures & (failures - 1) == 0
        return Strike(failures, _delay_s(record.weight), told)

    def __len__(self) -> int:
        return len(self._records)


def _delay_s(weight: float) -> float:
    over = int(weight) - FREE
    return 0.0 if over <= 0 else min(_LONGEST_DELAY_S, _FIRST_DELAY_S * 2.0 ** min(over - 1, 8))


def _network(remote: str) -> str:
    address = address_of(remote)
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.IPv6Network((address, _IPV6_PREFIX), strict=False))
    return remote if address is None else str(address)
