"""The bot: all of its parts put together, started, asked, stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable
from random import SystemRandom

from healthlog.base.clock import Clock, text_us
from healthlog.base.db import Database
from healthlog.base.log import Log
from healthlog.base.metrics import Registry
from healthlog.base.runtime import Deadline, supervised
from healthlog.transcriber.cancel import Cancel
from healthlog.transcriber.failures import Cancelled
from healthlog.transcriber.intake import Intake
from healthlog.transcriber.reply import Recipient
from healthlog.transcriber.telegram.api import Api
from healthlog.transcriber.telegram.desk import Desk
from healthlog.transcriber.telegram.download import Downloads
from healthlog.transcriber.telegram.faults import Fault
from healthlog.transcriber.telegram.poll import Poller
from healthlog.transcriber.telegram.replies import Answers
from healthlog.transcriber.telegram.settings import Telegram
from healthlog.transcriber.telegram.standing import EntranceState, Standing
from healthlog.transcriber.telegram.updates import Message

_CUT_SHARE = 0.25
"""This share of a stop's budget is kept for answers that have to be cut."""


class Bot:
    """The entrance of Telegram. `answers` is what its recordings are answered by; `poller` is its
    work, for whoever wants it done without a thread. `wait` stands in for the pauses."""

    def __init__(
        self,
        settings: Telegram,
        intake: Intake,
        store: Database,
        *,
        clock: Clock,
        log: Log,
        registry: Registry,
        wait: Callable[[float], bool] | None = None,
    ) -> None:
        """`settings` with a token; ValueError when its `api` is no address."""
        self._cancel = Cancel()
        self._log = log
        pause = self._cancel.wait if wait is None else wait
        api = Api(settings, clock, self._cancel)
        self.answers = Answers(api, store, clock=clock, wait=pause)
        self._standing = Standing(clock, log, SystemRandom().random)
        downloads = Downloads(api, settings, self._cancel)
        desk = Desk(settings, downloads, intake, store, clock=clock, say=self._say)
        self.poller = Poller(
            api,
            desk,
            self._standing,
            cancel=self._cancel,
            log=log,
            updates=registry.counter(
                "healthlog_telegram_updates_total",
                "Updates of the Telegram bot by what became of them.",
                ("outcome",),
            ),
            wait=pause,
        )
        registry.gauge(
            "healthlog_telegram_receiving",
            "Whether updates of the Telegram bot come in.",
            lambda: [({}, float(self.state.receiving))],
        )
        self._thread: threading.Thread | None = None

    @property
    def state(self) -> EntranceState:
        return self._standing.state

    def told(self) -> dict[str, object]:
        """What `/stats` tells."""
        state = self.state
        at_us = state.last_poll_at_us
        return {
            "receiving": state.receiving,
            "trouble": state.error,
            "last_poll_at": None if at_us is None else text_us(at_us),
        }

    def start(self) -> None:
        """Begin to ask for updates."""
        self._thread = supervised("telegram", self.poller.run, self._log, lambda: None)
        self._thread.start()

    def ask_to_stop(self) -> None:
        """Begin to stop: no more updates, no second tries of answers."""
        self._cancel.ask()

    def stop(self, deadline: Deadline) -> list[str]:
        """Stop by then; the names of what is still at work."""
        self.ask_to_stop()
        self._join(Deadline.after(deadline.clock, deadline.left() * (1 - _CUT_SHARE)))
        self._cancel.cut()
        self._join(deadline)
        return [t.name for t in (self._thread,) if t is not None and t.is_alive()]

    def _join(self, deadline: Deadline) -> None:
        if self._thread is not None:
            self._thread.join(deadline.left())

    def _say(self, message: Message, text: str) -> None:
        recipient = Recipient(message.chat_id, message.message_id, message.thread_id)
        try:
            self.answers.say_once(recipient, text)
        except (Fault, Cancelled):
            # It was a courtesy; nothing that anybody sent depends on it.
            self._log.debug("telegram remark not sent")
