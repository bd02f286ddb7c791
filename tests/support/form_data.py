"""A form as `multipart/form-data` (RFC 7578), read by the standard library's parser of mail."""

from __future__ import annotations

from email.message import Message
from email.parser import BytesParser
from email.policy import HTTP


def form_data(content_type: str, body: bytes) -> dict[str, bytes]:
    """The fields by name."""
    head = f"Content-Type: {content_type}\r\nMIME-Version: 1.0\r\n\r\n".encode()
    parsed = BytesParser(policy=HTTP).parsebytes(head + body)
    assert parsed.is_multipart()
    fields = {}
    for part in parsed.get_payload():
        assert isinstance(part, Message)
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        assert isinstance(name, str)
        assert isinstance(content, bytes)
        fields[name] = content
    return fields
