"""Answers to the senders: sent at once, tried again only where the last try certainly failed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from healthlog.base.clock import Clock
from healthlog.base.db import Database
from healthlog.base.runtime import Deadline
from healthlog.transcriber.failures import Cancelled
from healthlog.transcriber.reply import INPUT_DOWN, REFUSED, UNREACHABLE, Recipient, Undelivered
from healthlog.transcriber.telegram import chats, faults
from healthlog.transcriber.telegram.api import Api, Call
from healthlog.transcriber.telegram.faults import (
    Declined,
    Denied,
    Fault,
    Moved,
    Overloaded,
    ServerFault,
    Unreached,
)
from healthlog.transcriber.telegram.split import split

TRIES = 3
BUDGET_S = 30.0
"""Tries of one message, and the time for all of them."""
MOST_MESSAGES = 10
"""What is longer comes as a file: a chat is no place for a book, and the pace of messages is
limited."""

_TRY_S, _UPLOAD_S = 8.0, 20.0
_FIRST_PAUSE_S = 1.0
_CAPTION = 1000
_FILE = "transcript.txt"
_GATEWAY_TIMEOUT = 504


@dataclass(frozen=True, slots=True)
class _Address:
    """Where a message goes. After a move the numbers of messages and topics are others."""

    chat_id: int
    message_id: int | None
    thread_id: int | None

    def parameters(self) -> dict[str, object]:
        told: dict[str, object] = {"chat_id": self.chat_id}
        if self.thread_id is not None:
            told["message_thread_id"] = self.thread_id
        if self.message_id is not None:
            # The message may have been deleted meanwhile.
            told["reply_parameters"] = {
                "message_id": self.message_id,
                "allow_sending_without_reply": True,
            }
        return told


class Answers:
    """Implements `Entrance`. Used by all workers at once. `wait(seconds)` waits that long and tells
    whether our stop was asked for meanwhile: then nothing is tried again."""

    def __init__(
        self, api: Api, store: Database, *, clock: Clock, wait: Callable[[float], bool]
    ) -> None:
        self._api = api
        self._store = store
        self._clock = clock
        self._wait = wait

    def reply(self, recipient: Recipient, text: str) -> None:
        """The whole text, in as many messages as it takes; Undelivered, perhaps after some."""
        address = self._present(recipient)
        parts = split(text)
        if len(parts) > MOST_MESSAGES:
            self._send(address, lambda to: self._send_file(to, text))
            return
        for part in parts:
            message = part
            address = self._send(address, lambda to: self._send_message(to, message))  # noqa: B023
            # Only the first message quotes the recording.
            address = replace(address, message_id=None)

    def say_once(self, recipient: Recipient, text: str) -> None:
        """Something that isn't worth a second try; Fault, Cancelled."""
        self._send_message(_Address(*_parts(recipient)), text)

    def _present(self, recipient: Recipient) -> _Address:
        chat_id = self._store.read(lambda c: chats.present(c, recipient.chat_id))
        if chat_id != recipient.chat_id:
            return _Address(chat_id, None, None)
        return _Address(*_parts(recipient))

    # ---- one message

    def _send(self, address: _Address, send: Callable[[_Address], None]) -> _Address:
        """Sends; where to in the end."""
        until = Deadline.after(self._clock, BUDGET_S)
        failures = 0
        while True:
            try:
                send(address)
            except Cancelled:
                raise Undelivered(UNREACHABLE) from None
            except Fault as fault:
                elsewhere = self._elsewhere(address, fault)
                failures += 1
                if elsewhere is None:
                    self._pause(fault, failures, until)
                elif failures >= TRIES:
                    raise Undelivered(REFUSED) from fault
                else:
                    address = elsewhere
            else:
                return address

    def _elsewhere(self, address: _Address, fault: Fault) -> _Address | None:
        """Where else the message may go, None when nowhere."""
        if isinstance(fault, Moved):
            now_us = self._clock.now_us()
            self._store.write(lambda c: chats.note_move(c, address.chat_id, fault.to, now_us))
            return _Address(fault.to, None, None)
        if isinstance(fault, Declined) and fault.kind == faults.NO_THREAD:
            # The topic is gone, the chat isn't.
            return None if address.thread_id is None else replace(address, thread_id=None)
        return None

    def _pause(self, fault: Fault, failures: int, until: Deadline) -> None:
        """Waits before the next try; Undelivered when there is to be none."""
        if isinstance(fault, Denied):
            raise Undelivered(INPUT_DOWN) from fault
        if isinstance(fault, Declined):
            raise Undelivered(REFUSED) from fault
        if failures >= TRIES or not _certainly_not_sent(fault):
            raise Undelivered(UNREACHABLE) from fault
        pause_s = _FIRST_PAUSE_S * 3 ** (failures - 1)
        if isinstance(fault, Overloaded):
            pause_s = max(pause_s, fault.retry_after_s)
        if pause_s >= until.left() or self._wait(pause_s):
            raise Undelivered(UNREACHABLE) from fault

    def _send_message(self, address: _Address, text: str) -> None:
        parameters = {
            **address.parameters(),
            "text": text,
            "link_preview_options": {"is_disabled": True},
        }
        self._api.call(Call("sendMessage", parameters, _TRY_S, patient=True))

    def _send_file(self, address: _Address, text: str) -> None:
        caption = f"{split(text, _CAPTION - 2)[0]} …"
        parameters = {**address.parameters(), "caption": caption}
        call = Call("sendDocument", parameters, _UPLOAD_S, patient=True)
        self._api.send_text_file(call, "document", _FILE, text)


def _parts(recipient: Recipient) -> tuple[int, int | None, int | None]:
    return recipient.chat_id, recipient.message_id, recipient.thread_id


def _certainly_not_sent(fault: Fault) -> bool:
    """Whether a second try can't make a second message. A request that went out without an answer
    may have been obeyed, and so may one that something in between waited for in vain."""
    if isinstance(fault, ServerFault):
        return fault.status != _GATEWAY_TIMEOUT
    return isinstance(fault, Unreached | Overloaded)
