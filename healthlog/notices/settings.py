"""The settings of notices: how the owner is told, below how much free disk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from healthlog.base.notify import SECURITIES
from healthlog.notices.kinds import line, mailboxes, web_address
from healthlog.setting import Setting
from healthlog.setting_kinds import Kind, choice, size
from healthlog.setting_places import Address, address

TABLE = "notify"


def _row(name: str, kind: Kind, default: str, told: str, *, secret: bool = False) -> Setting:
    return Setting(f"{TABLE}_{name}", kind, default, told, secret=secret, table=TABLE)


NOTIFY: tuple[Setting, ...] = (
    _row("webhook", web_address(), "", "address that notices are posted to as JSON", secret=True),
    _row("webhook_token", line(), "", "bearer token for it", secret=True),
    _row("ntfy", web_address(), "", "topic of ntfy, with its server", secret=True),
    _row("ntfy_token", line(), "", "access token for it", secret=True),
    _row("mail_to", mailboxes(10), "", "who gets notices by mail"),
    _row("mail_from", mailboxes(1), "", "who they come from; the first receiver if not set"),
    _row("smtp", address(), "", "mail server that takes them"),
    _row("smtp_security", choice(*SECURITIES), "starttls", "how the way to it is encrypted"),
    _row("smtp_user", line(), "", "name to log in with"),
    _row("smtp_password", line(), "", "password to log in with", secret=True),
    _row("disk_low", size("1MiB", "1024GiB"), "1GiB", "free disk that is worth a notice"),
)


@dataclass(frozen=True, slots=True)
class Notify:
    """The values in force; addresses None when not set, `disk_low` in bytes."""

    webhook: str | None = field(repr=False)
    webhook_token: str | None = field(repr=False)
    ntfy: str | None = field(repr=False)
    ntfy_token: str | None = field(repr=False)
    mail_to: tuple[str, ...] | None
    mail_from: tuple[str, ...] | None
    smtp: Address | None
    smtp_security: str
    smtp_user: str | None
    smtp_password: str | None = field(repr=False)
    disk_low: int


def notify_of(values: Mapping[str, object]) -> Notify:
    """The values out of those of all settings; ValueError says what does not go together."""
    arguments: dict[str, Any] = {one.short: values[one.name] for one in NOTIFY}
    found = Notify(**arguments)
    if found.mail_to is not None and found.smtp is None:
        raise ValueError("notify_mail_to needs notify_smtp: the server that takes the letters")
    if found.mail_to is None and found.smtp is not None:
        raise ValueError("notify_smtp needs notify_mail_to: who is to get the letters")
    return found


def values_of(notify: Notify) -> dict[str, object]:
    """The values by the names of the settings."""
    return {f"{TABLE}_{one.name}": getattr(notify, one.name) for one in fields(notify)}
