"""Notices by mail."""

from __future__ import annotations

import smtplib
import ssl
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.utils import formatdate, make_msgid

from healthlog.base.notify import PLAIN, STARTTLS, TIMEOUT_S, TLS, Notice, NotSent, reason


@dataclass(frozen=True, slots=True)
class Mail:
    """Letters through a server that takes them: `security` is one of
    `notify.SECURITIES`; `trusted` are the certificates to trust (None: those of the system)."""

    host: str
    port: int
    sender: str
    receivers: tuple[str, ...]
    security: str = STARTTLS
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    trusted: ssl.SSLContext | None = None
    timeout_s: float = TIMEOUT_S
    name: str = "mail"

    def send(self, notice: Notice) -> None:
        """NotSent, also when one of several receivers is refused."""
        if self.user is not None and self.security == PLAIN:
            raise NotSent("a password is not sent over an open way: choose starttls or tls")
        try:
            with self._server() as server:
                if self.security == STARTTLS:
                    server.starttls(context=self._context())
                if self.user is not None:
                    server.login(self.user, self.password or "")
                refused = server.send_message(self._letter(notice))
        except (smtplib.SMTPException, OSError) as error:
            raise NotSent(_reason(error)) from error
        if refused:
            raise NotSent("the mail server refused a receiver")

    def _server(self) -> smtplib.SMTP:
        if self.security == TLS:
            return smtplib.SMTP_SSL(
                self.host, self.port, timeout=self.timeout_s, context=self._context()
            )
        return smtplib.SMTP(self.host, self.port, timeout=self.timeout_s)

    def _context(self) -> ssl.SSLContext:
        return self.trusted or ssl.create_default_context()

    def _letter(self, notice: Notice) -> EmailMessage:
        letter = EmailMessage()
        letter["Subject"] = notice.title
        letter["From"] = self.sender
        letter["To"] = ", ".join(self.receivers)
        letter["Date"] = formatdate(usegmt=True)
        letter["Message-ID"] = make_msgid(domain=self.sender.rpartition("@")[2])
        letter.set_content(notice.text + "\n")
        return letter


def _reason(error: Exception) -> str:
    """Why it failed, without what the server said: that may quote addresses."""
    if isinstance(error, smtplib.SMTPResponseException):
        return f"the mail server answered {error.smtp_code}"
    if isinstance(error, smtplib.SMTPNotSupportedError):
        return "the mail server offers no starttls: set notify_smtp_security to tls or none"
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return "the mail server refused the receiver"
    if isinstance(error, smtplib.SMTPException):
        return f"the mail server failed: {type(error).__name__}"
    return reason(error)
