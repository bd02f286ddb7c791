"""A browser as far as the service can tell: what it sends by itself, the cookies it keeps."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urlencode

from healthlog.service import Service
from tests.support.loopback import Client, Reply


@dataclass
class Browser:
    """Asks a service under the name `host`; `own` stands for what a page of another site can't."""

    service: Service
    host: str = "127.0.0.1:8787"
    cookies: dict[str, str] = field(default_factory=dict)

    def get(self, path: str, *fields: str) -> Reply:
        return self._ask("GET", path, b"", fields)

    def post(self, path: str, *fields: str, origin: str | None = None, **form: str) -> Reply:
        """A form as it is sent from a page of the service, or of another `origin`."""
        own = (
            f"Origin: {origin or f'http://{self.host}'}",
            "Content-Type: application/x-www-form-urlencoded",
            *fields,
        )
        return self._ask("POST", path, urlencode(form).encode(), own)

    def _ask(self, method: str, path: str, body: bytes, fields: tuple[str, ...]) -> Reply:
        said = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        lines = [
            f"{method} {path} HTTP/1.1",
            f"Host: {self.host}",
            "Accept: text/html,application/xhtml+xml,*/*;q=0.8",
            *([f"Cookie: {said}"] if said else []),
            *([f"Content-Length: {len(body)}"] if method == "POST" else []),
            *fields,
        ]
        with Client(self.service.port) as client:
            client.send("\r\n".join([*lines, "", ""]).encode("latin-1") + body)
            reply = client.reply()
        self._keep(reply.headers.get("set-cookie"))
        return reply

    def _keep(self, said: str | None) -> None:
        if said is None:
            return
        name, _, value = said.partition(";")[0].partition("=")
        if value:
            self.cookies[name] = value
        else:
            self.cookies.pop(name, None)


class _Outline(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.faults: list[str] = []
        self.texts: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in {"meta", "link", "input", "br", "hr", "img"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in {"style", "script"} and data.strip():
            self.texts.append(data.strip())


@dataclass(frozen=True)
class Page:
    """What stands in a page: its texts, its elements with their attributes."""

    texts: list[str]
    tags: list[tuple[str, dict[str, str | None]]]

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    def one(self, tag: str) -> dict[str, str | None]:
        [found] = self.all(tag)
        return found


def page_of(reply: Reply) -> Page:
    """The page of an answer; every element that was opened must be closed in its turn."""
    assert reply.headers["content-type"] == "text/html; charset=utf-8", reply
    outline = _Outline()
    outline.feed(reply.body.decode())
    outline.close()
    assert (outline.open, outline.faults) == ([], [])
    return Page(outline.texts, outline.tags)
