"""Outcomes of the deliveries: the verdict of a fold, written over the one before."""

from __future__ import annotations

import json
import sqlite3

from healthlog.base.errors import Circumstance
from healthlog.model import Counts, Rejected, Verdict


class NoRow(Circumstance):
    """The journal has no row to write the outcome in; says nothing about the body."""


_WRITE = """
UPDATE delivery SET
    parse_status = ?, failure_kind = ?, failure_message = ?,
    folded_at_us = ?, parser = ?, coverage = ?, layer = ?, layer_origin = ?,
    received = ?, new = ?, changed = ?, same = ?, outdated = ?, rejected_count = ?,
    incomparable = ?, uncovered = ?, rejected = ?
WHERE delivery_id = ?
"""


def write_verdict(connection: sqlite3.Connection, delivery_id: str, verdict: Verdict) -> None:
    """Replaces the whole outcome of a delivery; NoRow if the journal doesn't know it.

    The list `uncovered` is replaced also by an empty one, else a delivery whose sections have all
    become covered would stay `partial` for ever. A failed delivery counts nothing, but keeps the
    list as far as it had been gathered.
    """
    account, failure = verdict.account, verdict.failure
    counts = Counts() if failure else account.counts
    values = (
        verdict.status,
        failure.kind if failure else None,
        failure.message if failure else None,
        account.folded_at_us,
        account.parser,
        account.coverage,
        account.layer,
        account.layer_origin,
        counts.received,
        counts.new,
        counts.changed,
        counts.same,
        counts.outdated,
        counts.rejected,
        counts.incomparable,
        _text(account.uncovered),
        _text([_plain(one) for one in account.rejected]),
        delivery_id,
    )
    if connection.execute(_WRITE, values).rowcount != 1:
        raise NoRow(f"the journal has no row for delivery {delivery_id}")


def _plain(rejected: Rejected) -> dict[str, str]:
    return {"where": rejected.where, "reason": rejected.reason}


def _text(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))
