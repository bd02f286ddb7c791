"""Notices on real wires: HTTP, HTTPS, SMTP."""

from __future__ import annotations

import email
import socket
from email import policy
from typing import Any

import pytest

from healthlog.base.notify import PLAIN, STARTTLS, TLS, Channel, Notice, NotSent
from healthlog.base.notify_http import Ntfy, Web, Webhook
from healthlog.base.notify_mail import Mail
from tests.support.receivers import MailReceiver, mail_receiver, trusting, web_receiver

SAID = Notice(
    "healthlog: a test", ["“Metrics” has sent nothing.", "Second line."], members={"n": 1}
)
WELL = Notice("healthlog: well", ["All is well."], urgent=False)


def not_sent(channel: Channel) -> str:
    with pytest.raises(NotSent) as caught:
        channel.send(SAID)
    return str(caught.value)


@pytest.fixture
def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port


# ---- HTTP


@pytest.mark.scenario("notices", "Notice goes out on each way")
def test_a_webhook_gets_json(closed_port: int) -> None:
    with web_receiver() as receiver:
        Webhook(Web(receiver.url("/hook?a=1"), "the token")).send(SAID)
        Webhook(Web(receiver.url(""))).send(WELL)
    first, second = receiver.came
    assert (first.path, second.path) == ("/hook?a=1", "/")
    assert first.headers["content-type"] == "application/json"
    assert first.headers["authorization"] == "Bearer the token"
    assert "authorization" not in second.headers
    assert first.json() == {"title": SAID.title, "text": SAID.text, "urgent": True, "n": 1}
    assert second.json()["urgent"] is False
    assert "refused" in not_sent(Webhook(Web(f"http://127.0.0.1:{closed_port}/"))).lower()


@pytest.mark.scenario("notices", "Notice goes out on each way")
def test_ntfy_gets_text_with_a_title() -> None:
    with web_receiver() as receiver:
        Ntfy(Web(receiver.url("/topic"), "tk")).send(SAID)
        Ntfy(Web(receiver.url("/topic"))).send(WELL)
    first, second = receiver.came
    assert first.body.decode() == "“Metrics” has sent nothing.\nSecond line."
    assert (first.headers["title"], first.headers["priority"]) == ("healthlog: a test", "4")
    assert (second.headers["priority"], second.headers["tags"]) == ("3", "white_check_mark")


@pytest.mark.scenario("notices", "Certificate is verified")
def test_a_certificate_that_nobody_vouches_for_is_refused() -> None:
    with web_receiver(tls=True) as receiver:
        url = receiver.url("/hook", "https")
        assert "certificate can't be trusted" in not_sent(Webhook(Web(url)))
        assert receiver.came == []
        Webhook(Web(url, trusted=trusting())).send(SAID)
        assert len(receiver.came) == 1
    # It must be that of the host that is asked.
    with web_receiver(tls=True, host="127.0.0.2") as other:
        web = Web(other.url("/topic", "https"), trusted=trusting())
        assert "certificate can't be trusted" in not_sent(Ntfy(web))


@pytest.mark.parametrize("status", [301, 401, 404, 500])
def test_any_other_answer_counts_as_not_sent(status: int) -> None:
    with web_receiver() as receiver:
        receiver.status = status
        assert not_sent(Webhook(Web(receiver.url()))) == f"it answered {status}"
        # A redirect is not followed: the token is meant for this address alone.
        assert len(receiver.came) == 1


def test_who_does_not_answer_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        web = Web(f"http://127.0.0.1:{silent.getsockname()[1]}/", timeout_s=0.1)
        assert not_sent(Webhook(web)) == "it took too long"


def test_who_speaks_something_else_is_named() -> None:
    with mail_receiver() as receiver:
        said = not_sent(Webhook(Web(f"http://127.0.0.1:{receiver.port}/")))
    assert said.startswith("it doesn't speak HTTP")


def test_reasons_and_names_hold_no_secret(closed_port: int) -> None:
    web = Web(f"http://127.0.0.1:{closed_port}/secret-topic", "secret-token")
    assert "secret" not in not_sent(Ntfy(web))
    assert "secret-token" not in repr(web)
    assert "secret" not in repr(Mail("h", 25, "a@b", ("a@b",), password="secret"))


# ---- mail


def mail(receiver: MailReceiver, **more: Any) -> Mail:
    plain: dict[str, Any] = {"security": PLAIN, **more}
    return Mail("127.0.0.1", receiver.port, "log@example.org", ("me@example.org",), **plain)


@pytest.mark.scenario("notices", "Notice goes out on each way")
def test_a_letter_is_sent() -> None:
    with mail_receiver() as receiver:
        mail(receiver).send(SAID)
    letter = email.message_from_bytes(receiver.letters[0].encode(), policy=policy.default)
    assert letter["Subject"] == "healthlog: a test"
    assert (letter["From"], letter["To"]) == ("log@example.org", "me@example.org")
    assert letter["Message-ID"].endswith("@example.org>")
    assert letter["Date"].datetime.tzinfo is not None
    body = letter.get_body()
    assert body is not None
    assert body.get_content().strip() == SAID.text
    assert receiver.receivers == ["me@example.org"]
    assert receiver.logins == []


@pytest.mark.parametrize("security", [STARTTLS, TLS])
@pytest.mark.scenario("notices", "Certificate is verified")
def test_a_letter_goes_encrypted_where_the_certificate_is_trusted(security: str) -> None:
    with mail_receiver(tls=security == TLS) as receiver:
        said = not_sent(mail(receiver, security=security))
        assert "certificate can't be trusted" in said
        login = {"user": "me", "password": "pass", "trusted": trusting()}
        mail(receiver, security=security, **login).send(SAID)
    assert receiver.encrypted
    assert len(receiver.letters) == 1
    assert len(receiver.logins) == 1


@pytest.mark.parametrize(
    ("command", "said"),
    [("MAIL", "answered 550"), ("RCPT", "refused the receiver"), ("DATA", "answered 550")],
)
def test_a_letter_that_is_refused_is_not_sent(command: str, said: str) -> None:
    with mail_receiver() as receiver:
        receiver.refuses = frozenset((command,))
        assert said in not_sent(mail(receiver))
    assert receiver.letters == []


def test_a_server_without_the_encryption_asked_for_is_told_of() -> None:
    with mail_receiver() as receiver:
        receiver.offers = False
        said = not_sent(mail(receiver, security=STARTTLS))
        assert said == "the mail server offers no starttls: set notify_smtp_security to tls or none"
        assert not_sent(mail(receiver, security=TLS)).startswith("TLS failed: ")
    assert receiver.letters == []


def test_one_refused_receiver_of_two_is_told() -> None:
    with mail_receiver() as receiver:
        both = Mail("127.0.0.1", receiver.port, "a@b.org", ("a@b.org", "c@d.org"), security=PLAIN)
        both.send(SAID)
    assert receiver.receivers == ["a@b.org", "c@d.org"]


def test_a_password_never_goes_over_an_open_wire() -> None:
    with mail_receiver() as receiver:
        said = not_sent(mail(receiver, user="me", password="pass"))
        assert "open" in said
    assert receiver.logins == []


def test_no_mail_server_is_named(closed_port: int) -> None:
    with mail_receiver() as receiver:
        receiver.port = closed_port
        assert "refused" in not_sent(mail(receiver)).lower()
