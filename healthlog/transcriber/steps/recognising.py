"""An operation at a recogniser for a recording: the old one if there is any, else a new one.

The order is what keeps money: the attempt's row is committed, the claim is checked, the recogniser
is called, the operation's id is committed. A crash in between leaves an open attempt without an
operation, of which the recogniser is asked; when it can't tell, a person has to.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from healthlog.transcriber import attempts, events
from healthlog.transcriber.attempts import Attempt
from healthlog.transcriber.events import Event
from healthlog.transcriber.failures import (
    Ambiguous,
    Cancelled,
    Configuration,
    LostClaim,
    Retry,
    Verdict,
)
from healthlog.transcriber.normalised import Normaliser
from healthlog.transcriber.providers.base import Job, Provider
from healthlog.transcriber.rows import Recording
from healthlog.transcriber.stages import stage_of
from healthlog.transcriber.steps.base import Hold


class Recognising:
    """Begins operations. `providers` are all that are set up, by name; new attempts are made with
    the one called `current`."""

    def __init__(
        self, normaliser: Normaliser, providers: Mapping[str, Provider], current: str
    ) -> None:
        self._normaliser = normaliser
        self._providers = providers
        self._current = current

    @property
    def timeout_s(self) -> float:
        """The longest that `ensure` may take."""
        return self._normaliser.timeout_s + max(one.timeout_s for one in self._providers.values())

    @property
    def ask_timeout_s(self) -> float:
        """The longest that a question to a recogniser may take."""
        return max(one.ask_timeout_s for one in self._providers.values())

    @property
    def bounded_by(self) -> str:
        """The settings from which these times follow."""
        bounds = sorted({provider.bounded_by for provider in self._providers.values()})
        return ", ".join(("recordings_normalise_timeout", *filter(None, bounds)))

    def provider(self, name: str) -> Provider:
        """The recogniser of that name. Configuration when it isn't set up (any more)."""
        found = self._providers.get(name)
        if found is None:
            raise Configuration("recordings_provider", f"{name} is not set up")
        return found

    def ensure(self, recording: Recording, hold: Hold) -> Attempt:
        """The open attempt with its operation."""
        attempt = hold.store.read(lambda c: attempts.under_way(c, recording.recording_id))
        if attempt is not None and attempt.operation is not None:
            return attempt
        audio = self._normaliser.ensure(recording, hold.cancel)
        if attempt is None:
            attempt = self._begun(hold)
        else:
            operation = self._left_behind(attempt, self.provider(attempt.provider))
            if operation is not None:
                return self._noted(attempt, operation, hold)
        job = Job(attempt.key, audio, recording.duration_ms or 0, attempt.parameters)
        operation = self._submitted(recording, attempt, job, hold)
        return self._noted(attempt, operation, hold)

    def _begun(self, hold: Hold) -> Attempt:
        provider = self.provider(self._current)
        said = provider.parameters()
        return hold.write(lambda c, now: attempts.begin(c, hold.claim, provider.name, said, now))

    def _left_behind(self, attempt: Attempt, provider: Provider) -> str | None:
        """What an earlier claim began under this attempt and didn't live to note."""
        try:
            return provider.find(attempt.key)
        except Ambiguous as error:
            if provider.paid:
                raise payment_unknown() from error
            return None

    def _submitted(self, recording: Recording, attempt: Attempt, job: Job, hold: Hold) -> str:
        provider = self.provider(attempt.provider)
        try:
            hold.cancel.check()
            hold.require()
        except (Cancelled, LostClaim):
            # Nobody was called: else the open attempt would look as if somebody had been.
            hold.write(lambda c, now: attempts.withdraw(c, hold.claim, attempt, now))
            raise
        try:
            return provider.submit(job, hold.cancel)
        except (Retry, Verdict, Configuration):
            end(attempt, attempts.REFUSED, hold)
            raise
        except Cancelled:
            end_cut(recording, attempt, hold, paid=provider.paid)
            raise
        except Exception as error:
            if provider.paid:
                # The attempt stays open, for a person: nobody else can tell.
                raise payment_unknown() from error
            end(attempt, attempts.LOST, hold)
            raise

    def _noted(self, attempt: Attempt, operation: str, hold: Hold) -> Attempt:
        noted = hold.write(
            lambda c, now: attempts.note_operation(c, hold.claim, attempt, operation, now)
        )
        if noted is None:
            raise LostClaim(f"attempt {attempt.key} is somebody else's")
        return noted


def payment_unknown() -> Verdict:
    """It may have cost money, and only a person may risk that it does again."""
    return Verdict(events.PAYMENT_UNKNOWN)


def end(attempt: Attempt, ending: str, hold: Hold) -> None:
    """Ends an attempt without a transcript. LostClaim."""
    hold.write(lambda c, now: attempts.end(c, hold.claim, attempt, ending, now))


def end_cut(recording: Recording, attempt: Attempt, hold: Hold, *, paid: bool) -> None:
    """Ends an attempt that our own stop cut; an event says so if the next one may be the second
    that is paid for. LostClaim."""

    def work(connection: sqlite3.Connection, now_us: int) -> None:
        attempts.end(connection, hold.claim, attempt, attempts.CUT, now_us)
        if paid:
            step, detail = stage_of(recording.stage).step or "", events.POSSIBLE_DOUBLE_PAYMENT
            event = Event(now_us, events.STEP, step, recording.stage, events.CUT, detail=detail)
            events.note(connection, recording.recording_id, event)

    hold.write(work)
