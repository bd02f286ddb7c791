"""Forms with files in them, in pieces of any size, well made or not."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from healthlog.base.http1 import Malformed
from healthlog.transcriber.doors.form import boundary_of, parts

BOUNDARY = b"limit"
FILE = b'Content-Disposition: form-data; name="file"; filename="a.m4a"\r\n\r\n'
FIELD = b'Content-Disposition: form-data; name="title"\r\n\r\n'


def form(*content: bytes) -> bytes:
    return b"".join(b"--limit\r\n" + one + b"\r\n" for one in content) + b"--limit--\r\n"


def read(body: bytes, *sizes: int) -> list[tuple[str, str | None, bytes]]:
    """Name, file's name, content of each part; the body comes in pieces of these sizes."""
    return [
        (one.name, one.filename, b"".join(one.content))
        for one in parts(pieces(body, sizes or (65_536,)), BOUNDARY)
    ]


def pieces(body: bytes, sizes: tuple[int, ...]) -> Iterator[bytes]:
    at, turn = 0, 0
    while at < len(body):
        size = sizes[turn % len(sizes)]
        yield body[at : at + size]
        at, turn = at + size, turn + 1


# Well made


def test_fields_and_files_are_read() -> None:
    body = form(FIELD + "Käse".encode(), FILE + b"\x00\xff\r\n--limi\r\n--limit x")
    # A boundary is one only where a line ends with it.
    assert read(body.replace(b"--limit x", b"--limi x")) == [
        ("title", None, "Käse".encode()),
        ("file", "a.m4a", b"\x00\xff\r\n--limi\r\n--limi x"),
    ]


@pytest.mark.parametrize("size", range(1, 60))
def test_pieces_may_end_anywhere(size: int) -> None:
    content = b"\r\n--limi" * 3 + bytes(range(256)) + b"\r\n-"
    assert read(form(FIELD + b"x", FILE + content), size) == [
        ("title", None, b"x"),
        ("file", "a.m4a", content),
    ]


def test_random_files_in_random_pieces_come_out_as_they_were() -> None:
    chance = random.Random(7)
    for _ in range(200):
        alphabet = chance.choice([b"\r\n-limt", bytes(range(256))])
        content = bytes(chance.choice(alphabet) for _ in range(chance.randrange(400)))
        if b"\r\n--limit" in b"\r\n" + content:
            continue
        sizes = tuple(chance.randrange(1, 40) for _ in range(5))
        assert read(form(FILE + content), *sizes) == [("file", "a.m4a", content)]


def test_an_empty_form_and_empty_parts_are_forms() -> None:
    assert read(b"--limit--\r\n") == []
    assert read(b"\r\n--limit--") == []
    assert read(form(FILE, FIELD)) == [("file", "a.m4a", b""), ("title", None, b"")]


def test_what_stands_around_the_parts_is_read_past() -> None:
    assert read(b"hello\r\n" + form(FIELD + b"x") + b"bye") == [("title", None, b"x")]


def test_a_boundary_may_have_blanks_behind_it() -> None:
    body = form(FIELD + b"x").replace(b"--limit\r\n", b"--limit \t\r\n")
    assert read(body) == [("title", None, b"x")]


def test_what_is_left_of_a_part_is_skipped() -> None:
    found = [one.name for one in parts(iter([form(FILE + b"x" * 5000, FIELD)]), BOUNDARY)]
    assert found == ["file", "title"]


@pytest.mark.parametrize(
    ("disposition", "name", "filename"),
    [
        ('form-data; name="f"; filename="C:\\\\x\\\\a.m4a"', "f", "C:\\\\x\\\\a.m4a"),
        ('form-data; name="a\\"b"', 'a"b', None),
        ("form-data; name=file; filename=a.m4a", "file", "a.m4a"),
        ('FORM-DATA;NAME="file";FILENAME=""', "file", ""),
        ("form-data; name=\"file\"; filename*=UTF-8''a%20b.m4a", "file", ""),
        ('form-data; filename="a;b=c.m4a"; name="file"', "file", "a;b=c.m4a"),
    ],
)  # fmt: skip
def test_names_are_read_as_senders_write_them(
    disposition: str, name: str, filename: str | None
) -> None:
    head = f"content-disposition: {disposition}\r\nX-Other: y\r\n\r\n".encode()
    assert read(form(head + b"x")) == [(name, filename, b"x")]


@pytest.mark.parametrize(
    ("said", "boundary"),
    [
        ("multipart/form-data; boundary=limit", b"limit"),
        ('multipart/form-data; charset=utf-8; Boundary="a b:c"', b"a b:c"),
        ("multipart/form-data;boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW",
         b"----WebKitFormBoundary7MA4YWxkTrZu0gW"),
        ("multipart/form-data; boundary=Boundary-8A33BCA2-0D10-4C44-9F0D-F63F49B9BA1D",
         b"Boundary-8A33BCA2-0D10-4C44-9F0D-F63F49B9BA1D"),
    ],
)  # fmt: skip
def test_the_boundary_stands_in_the_head(said: str, boundary: bytes) -> None:
    assert boundary_of(said) == boundary


# Not well made


@pytest.mark.parametrize(
    "said",
    ["multipart/form-data", "multipart/form-data; boundary=", 'multipart/form-data; boundary=""',
     f"multipart/form-data; boundary={'x' * 71}", 'multipart/form-data; boundary="a "',
     "multipart/form-data; boundary=ü", 'multipart/form-data; boundary="a\\r"',
     "multipart/form-data; boundary=a; boundary=b", "multipart/form-data; boundary=a b"],
)  # fmt: skip
def test_a_boundary_that_can_not_be_is_refused(said: str) -> None:
    with pytest.raises(Malformed):
        boundary_of(said)


WHOLE = form(FIELD + b"x", FILE + b"content")


def test_a_form_that_ends_early_anywhere_is_refused() -> None:
    for end in range(len(WHOLE) - 2):
        with pytest.raises(Malformed):
            read(WHOLE[:end])


@pytest.mark.parametrize(
    "body",
    [
        form(b"\r\nx"),
        form(b'Content-Disposition: attachment; name="a"\r\n\r\nx'),
        form(b"Content-Disposition: form-data\r\n\r\nx"),
        form(b"Content-Disposition: form-data; name\r\n\r\nx"),
        form(b'Content-Disposition: form-data; name="a\r\n\r\nx'),
        form(b"Content-Disposition: form-data; name=a; name=b\r\n\r\nx"),
        form(FIELD.replace(b"\r\n\r\n", b"\r\n" + FIELD)),
        form(b"no header\r\n\r\nx"),
        form(b" folded: x\r\n" + FIELD),
        form(b"A: b\x00c\r\n" + FIELD),
        form(b"A: b\rc\r\n" + FIELD),
        form(b"Content-Transfer-Encoding: base64\r\n" + FIELD + b"eA=="),
        form(b"A: " + b"x" * 9000 + b"\r\n" + FIELD),
        form(b"".join(b"A%d: x\r\n" % number for number in range(2000)) + FIELD),
        b"--limit junk\r\n" + FIELD + b"x\r\n--limit--",
        b"--limit-" + FIELD + b"x\r\n--limit--",
        form(*(FIELD + b"x" for _ in range(21))),
        b"x" * 20_000 + WHOLE,
        WHOLE + b"x" * 20_000,
        WHOLE.replace(b"\r\n", b"\n"),
        b"",
    ],
)
def test_what_is_no_form_is_refused(body: bytes) -> None:
    for size in (1, 13, 65_536):
        with pytest.raises(Malformed):
            read(body, size)


def test_a_line_without_an_end_is_not_kept() -> None:
    taken = 0

    def endless() -> Iterator[bytes]:
        nonlocal taken
        yield b"--limit\r\nA: "
        while True:
            taken += 1000
            yield b"x" * 1000

    with pytest.raises(Malformed):
        list(parts(endless(), BOUNDARY))
    assert taken < 20_000
