"""The step from an operation at the recogniser to its transcript."""

from __future__ import annotations

import sqlite3

from healthlog.transcriber import attempts, search
from healthlog.transcriber.attempts import Attempt
from healthlog.transcriber.failures import Ended, Retry, Verdict
from healthlog.transcriber.outcomes import Reached
from healthlog.transcriber.providers.base import NotYet
from healthlog.transcriber.rows import Recording
from healthlog.transcriber.stages import TRANSCRIBED
from healthlog.transcriber.steps.base import Deferred, Hold, Moved, Result
from healthlog.transcriber.steps.recognising import Recognising, end, end_cut, payment_unknown
from healthlog.transcriber.transcript import Transcript


class Poll:
    """Asks for the operation that there is. Only where that has come to nothing is another begun,
    and the recording stays at its stage, so that the limit of time goes on."""

    def __init__(self, recognising: Recognising, poll_delay_s: float) -> None:
        self._recognising = recognising
        self._delay_s = poll_delay_s

    @property
    def timeout_s(self) -> float:
        return self._recognising.timeout_s + self._recognising.ask_timeout_s

    @property
    def bounded_by(self) -> str:
        return self._recognising.bounded_by

    def run(self, recording: Recording, hold: Hold) -> Result:
        attempt = hold.store.read(lambda c: attempts.under_way(c, recording.recording_id))
        if attempt is None or attempt.operation is None:
            return self._begin_again(recording, hold)
        provider = self._recognising.provider(attempt.provider)
        try:
            answer = provider.poll(attempt.operation, attempt.parameters, hold.cancel)
        except Ended as ended:
            return self._ended(recording, attempt, ended, hold)
        except Verdict:
            end(attempt, attempts.FAILED, hold)
            raise
        if isinstance(answer, NotYet):
            return Deferred(self._delay_s if answer.delay_s is None else answer.delay_s)
        return _heard(attempt, answer)

    def _begin_again(self, recording: Recording, hold: Hold) -> Result:
        self._recognising.ensure(recording, hold)
        return Deferred(self._delay_s)

    def _ended(self, recording: Recording, attempt: Attempt, ended: Ended, hold: Hold) -> Result:
        paid = self._recognising.provider(attempt.provider).paid and ended.charged
        if ended.cut:
            end_cut(recording, attempt, hold, paid=paid)
            return self._begin_again(recording, hold)
        end(attempt, attempts.LOST, hold)
        if paid:
            raise payment_unknown() from ended
        if isinstance(ended.cause, Retry):
            # Deferrals between the tries have set the recording's own count to zero.
            ended.cause.spent = hold.store.read(
                lambda c: attempts.lost_since(c, recording.recording_id, recording.stage_since_us)
            )
        raise ended.cause


def _heard(attempt: Attempt, transcript: Transcript) -> Moved:
    def beside(connection: sqlite3.Connection, now_us: int) -> None:
        attempts.complete(connection, attempt, transcript, now_us)
        search.refresh(connection, attempt.recording_id)

    found = {"text": transcript.text, "language": transcript.language}
    return Moved(Reached(TRANSCRIBED, found), beside)
