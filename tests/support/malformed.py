"""Requests that no server may take, by the kind of what is wrong with them.

Each kind makes its requests with dice, and names the statuses that may answer it; 0 stands for a
connection that is closed without a word.
"""

from __future__ import annotations

import gzip
import random
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from tests.support.process import INGEST

Dice = random.Random
Make = Callable[[Dice], bytes]

SMUGGLED = b"GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
"""Stands where a server that mistakes the end of a request would find another one."""

TOKEN = f"Authorization: Bearer {INGEST}".encode()
CONTROLS = [bytes((code,)) for code in (*range(1, 9), 11, 12, *range(14, 32), 127)]


@dataclass(frozen=True, slots=True)
class Kind:
    """One way to be wrong."""

    name: str
    make: Make
    statuses: frozenset[int]


KINDS: list[Kind] = []


def kind(*statuses: int) -> Callable[[Make], Make]:
    """Adds what it decorates to KINDS."""

    def add(make: Make) -> Make:
        KINDS.append(Kind(make.__name__, make, frozenset(statuses)))
        return make

    return add


def line(first: bytes) -> bytes:
    """A whole request with that first line."""
    return first + b"\r\nHost: x\r\n\r\n" + SMUGGLED


def head(*fields: bytes, first: bytes = b"POST /ingest HTTP/1.1") -> bytes:
    """A head that would be right without these fields."""
    return b"\r\n".join((first, b"Host: x", TOKEN, *fields, b"", b""))


def framed(*fields: bytes, body: bytes = b"{}" + SMUGGLED) -> bytes:
    return head(*fields) + body


def chunked(body: bytes) -> bytes:
    return head(b"Transfer-Encoding: chunked") + body


def letters(dice: Dice, most: int = 12) -> bytes:
    return bytes(dice.choice(b"abcdefghijklmnopqrstuvwxyz") for _ in range(dice.randint(1, most)))


# ---- the request line


@kind(400)
def no_version(dice: Dice) -> bytes:
    return line(b"GET /" + letters(dice))


@kind(400)
def small_letters_in_the_version(_: Dice) -> bytes:
    return line(b"GET /healthz http/1.1")


@kind(400)
def version_with_more_digits(dice: Dice) -> bytes:
    return line(b"GET /healthz HTTP/" + dice.choice([b"1.10", b"11.1", b"1", b"1.", b".1", b"1,1"]))


@kind(505)
def version_of_another_time(dice: Dice) -> bytes:
    return line(b"GET /healthz HTTP/" + dice.choice([b"0.9", b"2.0", b"3.0", b"9.9"]))


@kind(400)
def two_spaces_in_the_line(dice: Dice) -> bytes:
    return line(dice.choice([b"GET  /healthz HTTP/1.1", b"GET /healthz  HTTP/1.1"]))


@kind(400)
def tab_in_the_line(dice: Dice) -> bytes:
    return line(dice.choice([b"GET\t/healthz HTTP/1.1", b"GET /healthz\tHTTP/1.1"]))


@kind(400)
def space_before_the_method(dice: Dice) -> bytes:
    return line(dice.choice([b" ", b"\t", b"  "]) + b"GET /healthz HTTP/1.1")


@kind(400)
def space_behind_the_version(dice: Dice) -> bytes:
    return line(b"GET /healthz HTTP/1.1" + dice.choice([b" ", b"\t", b" x"]))


@kind(400)
def method_that_is_no_token(dice: Dice) -> bytes:
    return line(letters(dice) + bytes((dice.choice(b'()<>@,;:\\"/[]?={}'),)) + b" / HTTP/1.1")


@kind(400)
def no_method(_: Dice) -> bytes:
    return line(b" /healthz HTTP/1.1")


@kind(400)
def target_without_slash(dice: Dice) -> bytes:
    return line(b"GET " + letters(dice) + b" HTTP/1.1")


@kind(400)
def target_of_another_scheme(dice: Dice) -> bytes:
    return line(b"GET " + dice.choice([b"ftp", b"file", b"gopher"]) + b"://x/ HTTP/1.1")


@kind(400)
def target_with_a_fragment(dice: Dice) -> bytes:
    return line(b"GET /healthz#" + letters(dice) + b" HTTP/1.1")


@kind(400)
def target_with_a_control_character(dice: Dice) -> bytes:
    return line(b"GET /health" + dice.choice(CONTROLS) + b"z HTTP/1.1")


@kind(400)
def target_beyond_ascii(dice: Dice) -> bytes:
    return line(b"GET /" + bytes((dice.randint(128, 255),)) + b" HTTP/1.1")


@kind(400)
def escape_without_digits(dice: Dice) -> bytes:
    return line(b"GET /a%" + dice.choice([b"", b"g0", b"0", b"-1", b"%%"]) + b" HTTP/1.1")


@kind(400)
def escape_of_no_text(dice: Dice) -> bytes:
    # Nobody mistakes where it ends: what stands behind would be another request.
    path = b"/a%" + dice.choice([b"ff", b"c3", b"80", b"00", b"0d%0aA:b"])
    return head(b"Connection: close", first=b"GET " + path + b" HTTP/1.1")


@kind(400, 501)
def target_of_a_tunnel(dice: Dice) -> bytes:
    return line(dice.choice([b"CONNECT", b"GET"]) + b" example.org:443 HTTP/1.1")


@kind(400)
def star_of_a_get(_: Dice) -> bytes:
    return line(b"GET * HTTP/1.1")


@kind(414)
def target_too_long(dice: Dice) -> bytes:
    return line(b"GET /" + b"a" * dice.randint(8_200, 30_000) + b" HTTP/1.1")


@kind(414)
def line_without_end(dice: Dice) -> bytes:
    return b"GET /" + b"a" * dice.randint(8_300, 60_000)


@kind(400)
def line_that_ends_with_lf(_: Dice) -> bytes:
    return b"GET /healthz HTTP/1.1\nHost: x\n\n" + SMUGGLED


@kind(400)
def line_that_ends_with_cr(_: Dice) -> bytes:
    return b"GET /healthz HTTP/1.1\rHost: x\r\r" + SMUGGLED


@kind(400, 414, 431)
def noise(dice: Dice) -> bytes:
    return b"\x00" + dice.randbytes(dice.randint(1, 5_000)) + b"\r\n\r\n"


@kind(400)
def hello_of_tls(dice: Dice) -> bytes:
    return b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + dice.randbytes(500)


@kind(505)
def preface_of_http_2(_: Dice) -> bytes:
    return b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


@kind(400)
def blank_lines_without_end(dice: Dice) -> bytes:
    return b"\r\n" * dice.randint(6, 500) + line(b"GET /healthz HTTP/1.1")


@kind(400)
def answer_for_a_request(dice: Dice) -> bytes:
    return line(b"HTTP/1.1 %d OK" % dice.randint(100, 599))


# ---- fields


@kind(400)
def no_host(_: Dice) -> bytes:
    return b"GET /healthz HTTP/1.1\r\nA: b\r\n\r\n" + SMUGGLED


@kind(400)
def two_hosts(dice: Dice) -> bytes:
    return head(b"Host: " + letters(dice)) + SMUGGLED


@kind(400)
def host_that_is_none(dice: Dice) -> bytes:
    bad = dice.choice([b"a b", b"a/b", b"a?b", b"a#b", b"a@b", b"<a>", b"a\\b", b'"a"'])
    return b"GET /healthz HTTP/1.1\r\nHost: " + bad + b"\r\n\r\n" + SMUGGLED


@kind(400)
def space_before_the_colon(dice: Dice) -> bytes:
    return framed(b"Content-Length" + dice.choice([b" ", b"\t", b"  "]) + b": 2")


@kind(400)
def field_without_colon(dice: Dice) -> bytes:
    return framed(letters(dice), b"Content-Length: 2")


@kind(400)
def field_without_name(dice: Dice) -> bytes:
    return framed(b": " + letters(dice), b"Content-Length: 2")


@kind(400)
def name_that_is_no_token(dice: Dice) -> bytes:
    return framed(letters(dice) + bytes((dice.choice(b'()<>@,;\\"/[]?={}'),)) + b"a: b")


@kind(400)
def folded_field(dice: Dice) -> bytes:
    return framed(b"A: b\r\n" + dice.choice([b" ", b"\t"]) + letters(dice), b"Content-Length: 2")


@kind(400)
def first_field_that_is_folded(dice: Dice) -> bytes:
    return b"GET /healthz HTTP/1.1\r\n " + letters(dice) + b": x\r\nHost: x\r\n\r\n" + SMUGGLED


@kind(400)
def control_character_in_a_value(dice: Dice) -> bytes:
    return framed(b"A: b" + dice.choice([b"\x00", *CONTROLS]) + b"c", b"Content-Length: 2")


@kind(400)
def lf_in_a_value(_: Dice) -> bytes:
    return framed(b"A: b\nContent-Length: 2")


@kind(400)
def cr_in_a_value(dice: Dice) -> bytes:
    return framed(b"A: b\r" + letters(dice) + b": c", b"Content-Length: 2")


@kind(431)
def too_many_fields(dice: Dice) -> bytes:
    return head(*(b"A%d: b" % number for number in range(dice.randint(101, 1000))))


@kind(431)
def fields_too_long(dice: Dice) -> bytes:
    return head(*(b"A: " + b"b" * 1000 for _ in range(dice.randint(34, 90))))


@kind(431)
def one_field_too_long(dice: Dice) -> bytes:
    return head(b"A: " + b"b" * dice.randint(33_000, 90_000))


@kind(400)
def head_that_is_cut(dice: Dice) -> bytes:
    whole = head(b"Content-Length: 2")
    return whole[: dice.randint(1, len(whole) - 1)]


@kind(400)
def two_credentials(_: Dice) -> bytes:
    return framed(TOKEN, b"Content-Length: 2")


@kind(417)
def unknown_expectation(dice: Dice) -> bytes:
    return framed(b"Expect: " + letters(dice), b"Content-Length: 2")


# ---- framing


@kind(400)
def length_with_chunks(dice: Dice) -> bytes:
    fields = [b"Content-Length: 2", b"Transfer-Encoding: chunked"]
    dice.shuffle(fields)
    return framed(*fields, body=b"0\r\n\r\n" + SMUGGLED)


@kind(400)
def two_lengths(dice: Dice) -> bytes:
    return framed(b"Content-Length: 2", b"content-length: %d" % dice.randint(0, 50))


@kind(400)
def length_that_is_a_list(dice: Dice) -> bytes:
    return framed(b"Content-Length: " + dice.choice([b"2, 2", b"2,", b",2", b"2;2", b"2 2"]))


@kind(400)
def length_with_a_sign(dice: Dice) -> bytes:
    return framed(b"Content-Length: " + dice.choice([b"+2", b"-2", b"-0", b"--2"]))


@kind(400)
def length_of_other_digits(dice: Dice) -> bytes:
    bad = [b"0x2", b"1_0", b"2.0", b"2e0", "٢".encode(), b"two", b"", b"\xb2"]
    return framed(b"Content-Length: " + dice.choice(bad))


@kind(400)
def length_beyond_all_bounds(dice: Dice) -> bytes:
    return framed(b"Content-Length: " + b"9" * dice.randint(19, 5_000))


@kind(413)
def length_over_the_limit(dice: Dice) -> bytes:
    return head(b"Content-Length: %d" % dice.randint(1 << 30, 10**17))


@kind(501)
def unknown_transfer_coding(dice: Dice) -> bytes:
    return framed(b"Transfer-Encoding: " + dice.choice([b"gzip, chunked", b"x, chunked"]))


@kind(400)
def chunks_that_are_not_last(dice: Dice) -> bytes:
    bad = [b"chunked, chunked", b"chunked, gzip", b"gzip", b"identity", b"", b","]
    return framed(b"Transfer-Encoding: " + dice.choice(bad))


@kind(400)
def chunks_in_disguise(dice: Dice) -> bytes:
    bad = [b"xchunked", b"chunked;a=b", b'"chunked"', b"chu nked", b"chunked\xa0", b"\xffchunked"]
    return framed(b"Transfer-Encoding: " + dice.choice(bad), b"Content-Type: application/json")


@kind(400)
def chunks_of_an_old_client(_: Dice) -> bytes:
    first = b"POST /ingest HTTP/1.0"
    return head(b"Transfer-Encoding: chunked", first=first) + b"0\r\n\r\n" + SMUGGLED


@kind(400)
def chunk_size_that_is_none(dice: Dice) -> bytes:
    bad = [b"", b"g", b"0x2", b"-2", b"+2", b" 2", b"2 ", b"2_0", "٢".encode(), b";a"]
    return chunked(dice.choice(bad) + b"\r\n{}\r\n0\r\n\r\n" + SMUGGLED)


@kind(400, 413)
def chunk_size_beyond_all_bounds(dice: Dice) -> bytes:
    return chunked(b"f" * dice.randint(9, 900) + b"\r\n{}\r\n0\r\n\r\n" + SMUGGLED)


@kind(400)
def chunk_longer_than_its_size(dice: Dice) -> bytes:
    return chunked(b"2\r\n{}" + letters(dice) + b"\r\n0\r\n\r\n" + SMUGGLED)


@kind(400)
def chunk_line_that_ends_with_lf(dice: Dice) -> bytes:
    bad = [b"2\n{}\r\n0\r\n\r\n", b"2\r\n{}\n0\r\n\r\n", b"2\r\n{}\r\n0\n\n", b"2\r\n{}\r\n0\r\n\n"]
    return chunked(dice.choice(bad) + SMUGGLED)


@kind(400)
def extensions_too_long(dice: Dice) -> bytes:
    if dice.random() < 0.5:
        return chunked(b"2;a=" + b"b" * dice.randint(1_100, 9_000) + b"\r\n{}\r\n0\r\n\r\n")
    return chunked((b"1;" + b"a" * 900 + b"\r\n{\r\n") * 30 + b"0\r\n\r\n" + SMUGGLED)


@kind(400)
def extension_that_is_none(dice: Dice) -> bytes:
    bad = [b";", b"; ", b";a=", b";=b", b";a b", b';a="b', b";a,b", b";[a]", b";a;", b' ; a="b"c']
    return chunked(b"2" + dice.choice(bad) + b"\r\n{}\r\n0\r\n\r\n" + SMUGGLED)


@kind(400)
def extension_with_a_control_character(dice: Dice) -> bytes:
    return chunked(b"2;a" + dice.choice([b"\x00", *CONTROLS]) + b"\r\n{}\r\n0\r\n\r\n")


@kind(400)
def trailer_that_is_none(dice: Dice) -> bytes:
    bad = [b"a", b"a : b", b": b", b" a: b", b"a: \x00"]
    return chunked(b"2\r\n{}\r\n0\r\n" + dice.choice(bad) + b"\r\n\r\n" + SMUGGLED)


@kind(400)
def trailers_without_end(dice: Dice) -> bytes:
    return chunked(b"2\r\n{}\r\n0\r\n" + b"a: b\r\n" * dice.randint(2_000, 9_000))


@kind(400)
def chunks_that_are_cut(dice: Dice) -> bytes:
    whole = b"2\r\n{}\r\n1\r\n \r\n0\r\n\r\n"
    return chunked(whole[: dice.randint(0, len(whole) - 1)])


@kind(400)
def body_that_is_cut(dice: Dice) -> bytes:
    return head(b"Content-Length: %d" % dice.randint(3, 60_000)) + b"{}"


# ---- contents


def coded(data: bytes, coding: bytes = b"gzip") -> bytes:
    return head(b"Content-Encoding: " + coding, b"Content-Length: %d" % len(data)) + data


@kind(400)
def gzip_that_is_none(dice: Dice) -> bytes:
    bad = [b"{}", b"\x1f\x8b", zlib.compress(b"{}"), dice.randbytes(40)]
    return coded(dice.choice(bad))


@kind(400)
def gzip_that_is_cut(dice: Dice) -> bytes:
    whole = gzip.compress(b'{"data":{}}')
    return coded(whole[: dice.randint(1, len(whole) - 1)])


@kind(413)
def gzip_that_explodes(_: Dice) -> bytes:
    return coded(bomb())


@cache
def bomb() -> bytes:
    """More than any body may be, in some 70 KiB."""
    return gzip.compress(bytes(70 << 20))


@kind(415)
def unknown_content_coding(dice: Dice) -> bytes:
    return coded(b"{}", dice.choice([b"br", b"zstd", b"gzip, gzip", b"deflate", b"x"]))


@kind(400)
def body_that_is_no_object(dice: Dice) -> bytes:
    body = dice.choice([b"", b" ", b"[]", b"{", b"}", b'"x"', b"null", b"\xef\xbb\xbf"])
    return head(b"Content-Length: %d" % len(body)) + body


# ---- addresses


@kind(405)
def method_of_another_address(dice: Dice) -> bytes:
    method = dice.choice([b"GET", b"PUT", b"DELETE", b"PATCH", b"TRACE", b"get", b"PROPFIND"])
    return head(b"Connection: close", first=method + b" /ingest HTTP/1.1")


@kind(404)
def address_of_nothing(dice: Dice) -> bytes:
    path = dice.choice([b"/..", b"/../../etc/passwd", b"/.", b"//", b"/ingest/", b"/a/b/c/d/e/f/g"])
    return head(b"Connection: close", first=b"GET " + path + b" HTTP/1.1")


@kind(400, 404)
def address_that_climbs(dice: Dice) -> bytes:
    step = dice.choice([b"..%2f", b"..%5c", b"%2e%2e%2f", b"..%c0%af", b"..%252f"])
    path = b"/api/v1/deliveries/" + step * 3 + b"tokens.json/body"
    fields = (b"Connection: close", b"X-API-Key: read-token-of-the-tests")
    return b"\r\n".join((b"GET " + path + b" HTTP/1.1", b"Host: x", *fields, b"", b""))
