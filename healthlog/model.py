"""The values that travel between the rooms."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from operator import add, attrgetter

PARSER = 1
"""Number of the rules by which bodies are read; raising it refolds everything."""

COVERAGE = 1
"""Number of what those rules cover, the greatest of `coverage.LEARNED`; raising it refolds only the
deliveries that name the news."""

PENDING, PARSED, PARTIAL, FAILED = "pending", "parsed", "partial", "failed"
STATUSES = (PENDING, PARSED, PARTIAL, FAILED)

Rank = tuple[int, int, str]
"""Weight of a delivery's word: (said_at_us, received_at_us, delivery_id), greater is later."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """What is known of a delivery without reading its body. Instants in microseconds UTC.

    `received_at_us` orders the journal and is strictly increasing for live deliveries;
    `clock_at_us` is the clock as read; `said_at_us` is what the body's word is worth in time
    (equal to `received_at_us` for live deliveries). `bytes` and `sha256` are of the body
    after content decoding, `packed_sha256` is of the file it was written into, None if not known.
    """

    delivery_id: str
    received_at_us: int
    clock_at_us: int
    said_at_us: int
    bytes: int
    sha256: str
    clock_doubtful: bool = False
    imported: bool = False
    content_type: str | None = None
    remote: str | None = None
    automation_id: str | None = None
    automation_name: str | None = None
    aggregation: str | None = None
    period: str | None = None
    session_id: str | None = None
    packed_sha256: str | None = None

    @property
    def rank(self) -> Rank:
        return (self.said_at_us, self.received_at_us, self.delivery_id)

    @property
    def position(self) -> tuple[int, str]:
        """Place in the journal's order."""
        return (self.received_at_us, self.delivery_id)

    @property
    def spoke_at_us(self) -> int:
        """When the word was spoken, for deciding whether a bucket was closed by then."""
        return self.said_at_us if self.imported else self.clock_at_us


@dataclass(frozen=True, slots=True)
class Rejected:
    """One element that was not taken: where it stands in the body, and why."""

    where: str
    reason: str


@dataclass(frozen=True, slots=True)
class Counts:
    """Fates of the elements of a delivery; `received` is the sum of all but `incomparable`."""

    received: int = 0
    new: int = 0
    changed: int = 0
    same: int = 0
    outdated: int = 0
    rejected: int = 0
    incomparable: int = 0

    @property
    def taken(self) -> int:
        return self.new + self.changed + self.same + self.outdated

    def __add__(self, other: Counts) -> Counts:
        return Counts(*map(add, self.as_row(), other.as_row()))

    def as_row(self) -> tuple[int, ...]:
        """The counts in the order of the fields."""
        return _counts(self)


_counts = attrgetter(*(one.name for one in fields(Counts)))


@dataclass(frozen=True, slots=True)
class Account:
    """What a fold took from a delivery, by which rules, and what it left."""

    folded_at_us: int
    layer: str | None = None
    layer_origin: str | None = None
    counts: Counts = field(default_factory=Counts)
    uncovered: tuple[str, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    parser: int = PARSER
    coverage: int = COVERAGE

    @property
    def status(self) -> str:
        """`partial` while anything in the body was left, `parsed` when all of it was taken."""
        return PARTIAL if self.uncovered else PARSED


MALFORMED, LAYER_UNKNOWN, UNREADABLE = "malformed", "layer_unknown", "unreadable"
TOO_LARGE, DEADLINE, INTERNAL = "too_large", "deadline", "internal"


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a delivery was not taken. `kind` is one of the six above; `message` is one sentence
    without data of the body."""

    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of one delivery as the journal keeps it."""

    account: Account
    failure: Failure | None = None

    @property
    def status(self) -> str:
        return FAILED if self.failure else self.account.status
