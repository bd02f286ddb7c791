"""The head of a request, from bytes to values: RFC 9112 §3, §5, §6.

Whatever two programs on the way could read differently is refused: that is what smuggling lives on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from healthlog.base.errors import Refusal
from healthlog.base.stream import Cut, Reader, size_in_words

LINE_MAX_BYTES = 8192  # of the request line: RFC 9112 §3 recommends at least 8000
HEAD_MAX_BYTES = 32768  # of request line, fields and line ends
FIELDS_MAX = 100
_BLANK_LINES_MAX = 4

TOKEN = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"  # RFC 9110 §5.6.2
_NAME = re.compile(TOKEN)
_REQUEST_LINE = re.compile(rb"(" + TOKEN + rb") ([!-~]+) HTTP/([0-9])\.([0-9])")
_NOT_IN_VALUE = re.compile(rb"[^\t -~\x80-\xff]")  # RFC 9110 §5.5
# What no head holds: control characters, LF without CR, CR without LF.
_STRAY = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|(?<!\r)\n|\r(?=[^\n])")
_ABSOLUTE = re.compile(r"https?://[^/?#]+", re.IGNORECASE)
_AUTHORITY = re.compile(r"[^/?#]+:[0-9]+")
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_HOST = re.compile(r"[0-9A-Za-z.\-_~%!$&'()*+,;=:\[\]]*")
_LENGTH = re.compile(r"[0-9]{1,18}")

# Two of them never mean what either of them says (RFC 9110 §5.3).
_SINGLE = ("Host", "Content-Length", "Content-Type", "Authorization", "Expect")


class HeadRefused(Refusal):
    """A head that gets no further: the status of the answer, a sentence for it."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail


class Headers:
    """The fields of a head in their order; names are compared without case."""

    __slots__ = ("_fields", "_values")

    def __init__(self, fields: Iterable[tuple[str, str]] = ()) -> None:
        self._fields = tuple(fields)
        self._values: dict[str, list[str]] = {}
        for name, value in self._fields:
            self._values.setdefault(name.lower(), []).append(value)

    def get(self, name: str) -> str | None:
        """The value; those of a repeated field joined by a comma (RFC 9110 §5.3); else None."""
        values = self.get_all(name)
        return ", ".join(values) if values else None

    def get_all(self, name: str) -> list[str]:
        """The values in the order of their coming."""
        return list(self._values.get(name.lower(), ()))

    def items(self) -> list[tuple[str, str]]:
        """All fields, names as they were sent."""
        return list(self._fields)


@dataclass(frozen=True, slots=True)
class Head:
    """What a request says before its body. `path` and `query` are still percent-encoded."""

    method: str
    path: str
    query: str
    minor: int  # of HTTP/1.minor
    headers: Headers
    announced: int | None  # Content-Length, bytes
    chunked: bool
    keep_alive: bool
    expects_continue: bool


def await_head(reader: Reader) -> bool:
    """Wait for the first byte of a head; False when the stream ends before it.

    A few blank lines are dropped (RFC 9112 §2.2), more are refused with HeadRefused.
    """
    dropped = 0
    while True:
        if reader.kept.startswith(b"\r\n"):
            dropped += 1
            reader.cut(0, skip=2)
            if dropped > _BLANK_LINES_MAX:
                raise HeadRefused(400, "The request begins with blank lines.")
        elif reader.kept and reader.kept != b"\r":
            return True
        elif not reader.fill():
            return False


def read_head(reader: Reader) -> Head:
    """The next head, taken off the reader; raises HeadRefused, Cut, Late.

    Nonsense is refused as soon as it is seen: who sends it may never send the end of a head.
    """
    seen = 0
    line_checked = False
    while True:
        kept = reader.kept
        end = kept.find(b"\r\n\r\n", max(0, seen - 3))
        # From one byte back: a CR that ended the last piece is judged by what follows it.
        if _STRAY.search(kept, max(0, seen - 1), len(kept) if end < 0 else end + 2):
            raise HeadRefused(400, "The request head has a stray control character.")
        line_checked = line_checked or _check_request_line(kept)
        if (len(kept) if end < 0 else end) > HEAD_MAX_BYTES:
            raise HeadRefused(431, f"The head is over {size_in_words(HEAD_MAX_BYTES)}.")
        if end >= 0:
            return parse_head(reader.cut(end, skip=4))
        seen = len(kept)
        if not reader.fill():
            raise Cut("the stream ended inside a head")


def _check_request_line(kept: bytearray) -> bool:
    """Whether the request line is there, and right; raises HeadRefused."""
    end = kept.find(b"\r\n", 0, LINE_MAX_BYTES + 2)
    if end >= 0:
        parse_request_line(bytes(kept[:end]))
        return True
    if len(kept) > LINE_MAX_BYTES:
        raise HeadRefused(414, "The address is too long.")
    return False


def parse_head(raw: bytes) -> Head:
    """The head whose bytes up to the blank line are `raw`; raises HeadRefused."""
    request_line, *lines = raw.split(b"\r\n")
    method, target, minor = parse_request_line(request_line)
    if len(lines) > FIELDS_MAX:
        raise HeadRefused(431, f"The request has more than {FIELDS_MAX} header fields.")
    headers = Headers(parse_field(line) for line in lines)
    _check_single(headers)
    _check_host(headers, minor)
    path, query = _split_target(method, target)
    chunked = _is_chunked(headers, minor)
    announced = None if chunked else _announced(headers)
    return Head(
        method=method,
        path=path,
        query=query,
        minor=minor,
        headers=headers,
        announced=announced,
        chunked=chunked,
        keep_alive=_keeps_alive(headers, minor),
        expects_continue=_expects_continue(headers, minor) and (chunked or bool(announced)),
    )


def parse_request_line(line: bytes) -> tuple[str, str, int]:
    """Method, target, minor version of a request line without its end; raises HeadRefused."""
    if len(line) > LINE_MAX_BYTES:
        raise HeadRefused(414, "The address is too long.")
    found = _REQUEST_LINE.fullmatch(line)
    if found is None:
        raise HeadRefused(400, "The request line is malformed.")
    if found[3] != b"1":
        raise HeadRefused(505, "Only HTTP/1.1 and HTTP/1.0 are spoken here.")
    return found[1].decode("ascii"), found[2].decode("ascii"), int(found[4])


def parse_field(line: bytes) -> tuple[str, str]:
    """Name, value of one field line without its end; raises HeadRefused.

    A space before the colon and folded lines are refused, as RFC 9112 §5.1 and §5.2 have it.
    """
    name, colon, value = line.partition(b":")
    # Not strip() without arguments: it would take \x0b, \x0c and others away, too.
    value = value.strip(b" \t")
    if not colon or _NAME.fullmatch(name) is None or _NOT_IN_VALUE.search(value):
        raise HeadRefused(400, "A header line is malformed.")
    return name.decode("ascii"), _text(value)


def _text(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")


def _check_single(headers: Headers) -> None:
    for name in _SINGLE:
        if len(headers.get_all(name)) > 1:
            raise HeadRefused(400, f"The header {name} is given more than once.")


def _check_host(headers: Headers, minor: int) -> None:
    """RFC 9112 §3.2: exactly one valid Host with HTTP/1.1."""
    host = headers.get("Host")
    if host is None and minor > 0:
        raise HeadRefused(400, "The header Host is missing.")
    if host is not None and _HOST.fullmatch(host) is None:
        raise HeadRefused(400, "The header Host is malformed.")


def _split_target(method: str, target: str) -> tuple[str, str]:
    if target == "*" and method == "OPTIONS":
        return target, ""
    if method == "CONNECT" and _AUTHORITY.fullmatch(target):
        raise HeadRefused(501, "No tunnels are opened here.")
    absolute = _ABSOLUTE.match(target)
    if absolute is not None:  # RFC 9112 §3.2.2: must be accepted, though only proxies get it
        target = target[absolute.end() :]
        target = target if target.startswith("/") else "/" + target
    path, _, query = target.partition("?")
    if not path.startswith("/") or "#" in target or _BAD_ESCAPE.search(path):
        raise HeadRefused(400, "The address is malformed.")
    return path, query


def _is_chunked(headers: Headers, minor: int) -> bool:
    """RFC 9112 §6.1: the one coding we know is `chunked`, once, alone, in HTTP/1.1."""
    coding = headers.get("Transfer-Encoding")
    if coding is None:
        return False
    if headers.get("Content-Length") is not None:
        raise HeadRefused(400, "Content-Length with Transfer-Encoding is ambiguous.")
    if minor == 0:
        raise HeadRefused(400, "HTTP/1.0 has no Transfer-Encoding.")
    codings = [one.strip(" \t").lower() for one in coding.split(",")]
    if codings == ["chunked"]:
        return True
    if codings[-1] != "chunked" or codings.count("chunked") > 1:
        raise HeadRefused(400, "The header Transfer-Encoding is malformed.")
    raise HeadRefused(501, "The only transfer coding known here is chunked.")


def _announced(headers: Headers) -> int | None:
    length = headers.get("Content-Length")
    if length is None:
        return None
    # int() alone would take +5, 1_0 and digits of other scripts.
    if _LENGTH.fullmatch(length) is None:
        raise HeadRefused(400, "The header Content-Length is malformed.")
    return int(length)


def _keeps_alive(headers: Headers, minor: int) -> bool:
    """RFC 9112 §9.3."""
    options = [one.strip(" \t").lower() for one in (headers.get("Connection") or "").split(",")]
    if "close" in options:
        return False
    return minor > 0 or "keep-alive" in options


def _expects_continue(headers: Headers, minor: int) -> bool:
    """RFC 9110 §10.1.1."""
    expectation = headers.get("Expect")
    if expectation is None or minor == 0:
        return False
    if expectation.lower() != "100-continue":
        raise HeadRefused(417, "The only expectation known here is 100-continue.")
    return True
