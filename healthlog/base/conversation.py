"""One client's connection from its first byte to its end: requests in, answers out."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from healthlog.base.answers import Response, problem
from healthlog.base.certificates import Certificates
from healthlog.base.clock import Clock
from healthlog.base.framing import CONTINUE
from healthlog.base.http1 import Body, Cut, Head, HeadRefused, Late, Reader, await_head, read_head
from healthlog.base.log import Log
from healthlog.base.pace import Pace
from healthlog.base.proxies import Proxies, forwarded_secure
from healthlog.base.sender import Sender, Sent
from healthlog.base.slots import Slot, Slots
from healthlog.base.tls import NoHandshake, TlsWire
from healthlog.base.web import RETRY_AFTER, App, Budget, Event, Match, Problem, Route
from healthlog.base.wire import LINGER_S, Deadlines, NotTaken, Wire

# A refusal, or an answer that tells of a deadline already passed, gets this to get out.
_REFUSAL_WRITE_S = 2.0
_SLOWEST = "All places for uploads were taken, and this one was the slowest."


@dataclass(frozen=True, slots=True)
class Limits:
    """What one server grants its clients."""

    max_connections: int = 192
    uploads_reserved: int = 64  # of max_connections, for uploads alone and for no more of them
    header_timeout_s: float = 10.0  # from the first byte of a head to its end
    idle_timeout_s: float = 60.0  # between requests
    write_timeout_s: float = 30.0  # a whole request; 64 KiB of a streamed answer


@dataclass(frozen=True, slots=True)
class Host:
    """What all conversations of one server share."""

    app: App
    limits: Limits
    slots: Slots
    log: Log
    clock: Clock
    certificates: Certificates | None = None
    proxies: Proxies = field(default_factory=Proxies)


def stopping() -> Response:
    """What a request gets that comes during the stop."""
    return problem(503, "The service is stopping.", RETRY_AFTER)


def used_up() -> Response:
    """What a connection or request gets that there is no slot for."""
    return problem(503, "All connections are in use.", RETRY_AFTER)


def converse(host: Host, wire: Wire, slot: Slot, peer: str) -> None:
    """All that there is to say over `wire`, inside of TLS where that is spoken."""
    if host.certificates is None:
        return Conversation(host, wire, slot, peer).serve()
    tls = TlsWire(wire, host.certificates.context())
    by = host.clock.monotonic() + host.limits.header_timeout_s
    Deadlines(wire, host.log).set(read_at=by, write_at=by)
    try:
        if tls.shake_hands():
            Conversation(host, tls, slot, peer, secure=True).serve()
    except (Late, NotTaken):
        return None
    except NoHandshake as error:
        if error.plain:
            Conversation(host, wire, slot, peer).refuse(problem(400, "Only HTTPS is spoken here."))
    return None


class Conversation:
    """Speaks HTTP/1.1 over `wire` with whoever is at `peer`; `secure` when that is TLS."""

    def __init__(
        self, host: Host, wire: Wire, slot: Slot, peer: str, *, secure: bool = False
    ) -> None:
        self._host = host
        self._log = host.log
        self._wire = wire
        self._slot = slot
        self._peer = peer
        self._secure = secure
        self._pace = Pace(wire, host.clock)
        slot.rate = self._pace.rate
        self._reader = Reader(self._pace)
        self._deadlines = Deadlines(wire, host.log)
        self._sender = Sender(
            wire,
            self._deadlines,
            write_timeout_s=host.limits.write_timeout_s,
            log=host.log,
            clock=host.clock,
        )

    def serve(self) -> None:
        """Request after request until one side ends it."""
        # A client that connects has something to say; one that was answered may think it over.
        wait_s = self._host.limits.header_timeout_s
        while self._begins(wait_s) and self._exchange():
            wait_s = self._host.limits.idle_timeout_s
        if self._secure:
            self._grant_refusal()
        self._wire.finish()

    def refuse(self, response: Response) -> None:
        """Nothing but this answer."""
        self._refuse(self._now(), response)

    def _begins(self, wait_s: float) -> bool:
        """Whether a request begins; who says nothing gets no answer."""
        started = self._now()
        self._host.slots.rest(self._slot)
        self._deadlines.set(read_at=started + wait_s)
        try:
            return await_head(self._reader)
        except Late:
            return False
        except HeadRefused as error:
            return self._refuse(started, problem(error.status, error.detail))

    def _exchange(self) -> bool:
        """One request; whether another may follow."""
        started = self._now()
        self._deadlines.set(read_at=started + self._host.limits.header_timeout_s)
        try:
            head = read_head(self._reader)
        except HeadRefused as error:
            return self._refuse(started, problem(error.status, error.detail))
        except Late:
            return self._refuse(started, problem(408, "The head was not complete in time."))
        except Cut:
            return self._refuse(started, self._no_more())
        match = self._host.app.match(head.method, head.path)
        if self._host.slots.stopping:
            return self._refuse(started, stopping(), head)
        # An upload gets its place once it is known that it may come in.
        if match.needs_place and not self._host.slots.begin(self._slot):
            return self._refuse(started, used_up(), head)
        if match.later:
            # From its place, so that those who wait are no more than others; and not in its time.
            match = self._host.app.await_match(head.method, head.path)
            started = self._now()
        return self._respond(started, head, match)

    def _no_more(self) -> Response:
        """Why a head was cut: the client may have done it, or we."""
        if self._host.slots.stopping:
            return stopping()
        return used_up() if self._slot.evicted else problem(400, "The head was cut off.")

    def _respond(self, started: float, head: Head, match: Match) -> bool:
        body = Body(
            self._reader,
            head.announced,
            chunked=head.chunked,
            before_first_read=self._continue if head.expects_continue else None,
        )
        default_s = self._host.limits.write_timeout_s
        self._set_budget(started, Budget(default_s, default_s))

        def enter(budget: Budget) -> None:
            if match.upload:
                self._take_place()
            self._set_budget(started, budget)

        remote, secure = self._caller(head)
        answer = self._host.app.respond(match, head, body, remote, enter, secure=secure)
        response = answer.response
        if answer.failure is not None:
            pattern = match.route.pattern if match.route else ""
            self._log.exception("request failed", answer.failure, method=head.method, route=pattern)
        if response.delay_s > 0:
            self._host.slots.hold(self._slot, response.delay_s)
        if response.status == 408 and self._slot.cut:
            response = problem(408, _SLOWEST)
        if response.status == 408 or response.delay_s > 0:
            self._grant_refusal()
        ours = not body.finished or self._host.slots.stopping or answer.failure is not None
        sent = self._send(started, response, head, match.route, keep=not ours)
        # Closing over unread bytes resets, and a reset may eat the answer; without any it can't.
        if sent.taken and not sent.keep and (not body.finished or self._reader.kept):
            self._linger()
        return sent.keep

    def _take_place(self) -> None:
        """One of those kept for uploads; raises the Problem of having to come back."""
        if not self._host.slots.begin_upload(self._slot):
            refusal = stopping() if self._host.slots.stopping else used_up()
            raise Problem(503, refusal.reason, RETRY_AFTER)
        self._pace.begin()

    def _caller(self, head: Head | None) -> tuple[str, bool]:
        """Where the request comes from; whether over TLS all the way that is known."""
        if head is None:
            return self._peer, self._secure
        secure = self._secure or forwarded_secure(head.headers)
        return self._host.proxies.client(self._peer, head.headers), secure

    def _refuse(self, started: float, response: Response, head: Head | None = None) -> bool:
        self._grant_refusal()
        if self._send(started, response, head, None, keep=False).taken:
            self._linger()
        return False

    def _send(
        self,
        started: float,
        response: Response,
        head: Head | None,
        route: Route | None,
        *,
        keep: bool,
    ) -> Sent:
        sent = self._sender.send(
            response,
            minor=1 if head is None else head.minor,
            head_only=head is not None and head.method == "HEAD",
            keep=keep and head is not None and head.keep_alive,
        )
        event = Event(
            route=route,
            method="" if head is None else head.method,
            path="" if head is None else head.path,
            status=sent.status,
            reason=sent.reason or response.reason,
            remote=self._caller(head)[0],
            duration_s=self._now() - started,
        )
        if head is not None:
            event = replace(event, headers=head.headers, announced=head.announced)
        self._observe(event)
        return sent

    def _observe(self, event: Event) -> None:
        try:
            self._host.app.observe(event)
        except Exception as error:  # noqa: BLE001 - counting must not cost anybody an answer
            self._log.exception("observer failed", error)

    def _linger(self) -> None:
        # Before the others are told of it: at the stop they bring it forward.
        self._deadlines.set(read_at=self._now() + LINGER_S)
        self._host.slots.linger(self._slot)
        self._wire.linger()

    def _continue(self) -> None:
        try:
            self._wire.send(CONTINUE)
        except NotTaken as error:
            raise Cut(str(error)) from error

    def _set_budget(self, started: float, budget: Budget) -> None:
        self._deadlines.set(read_at=started + budget.read_s, write_at=started + budget.write_s)

    def _grant_refusal(self) -> None:
        self._deadlines.set(write_at=self._now() + _REFUSAL_WRITE_S)

    def _now(self) -> float:
        return self._host.clock.monotonic()
