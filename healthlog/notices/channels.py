"""The ways to the owner that are set up."""

from __future__ import annotations

from healthlog.base.notify import Channel
from healthlog.base.notify_http import Ntfy, Web, Webhook
from healthlog.notices.settings import Notify

_LOW_SHARE = 10


def channels(notify: Notify) -> list[Channel]:
    """All of them, in the order of the settings."""
    found: list[Channel] = []
    if notify.webhook is not None:
        found.append(Webhook(Web(notify.webhook, notify.webhook_token)))
    if notify.ntfy is not None:
        found.append(Ntfy(Web(notify.ntfy, notify.ntfy_token)))
    if notify.mail_to is not None and notify.smtp is not None:
        # What it needs takes long to load, and few have set it up.
        from healthlog.base.notify_mail import Mail  # noqa: PLC0415

        found.append(
            Mail(
                notify.smtp.host,
                notify.smtp.port,
                (notify.mail_from or notify.mail_to)[0],
                notify.mail_to,
                security=notify.smtp_security,
                user=notify.smtp_user,
                password=notify.smtp_password,
            )
        )
    return found


def low_bytes(notify: Notify, disk_bytes: int) -> int:
    """Free bytes of a disk of that size that are worth a notice: on a small disk a tenth."""
    return min(notify.disk_low, disk_bytes // _LOW_SHARE)
