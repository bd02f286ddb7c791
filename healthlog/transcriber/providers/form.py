"""A form with a file in it, as `multipart/form-data` (RFC 7578), never all in memory."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from healthlog.transcriber.providers.calls import file_pieces


@dataclass(frozen=True, slots=True)
class Form:
    """`fields` by name, then the file at `path` as the field `file`, called `name`: servers guess
    the format from its ending."""

    fields: Sequence[tuple[str, str]]
    path: Path
    name: str
    media_type: str
    boundary: str

    @classmethod
    def of(
        cls, fields: Sequence[tuple[str, str]], path: Path, *, name: str, media_type: str
    ) -> Form:
        """A form with a boundary that nothing in it can hold by accident."""
        return cls(fields, path, name, media_type, f"healthlog-{secrets.token_hex(16)}")

    @property
    def content_type(self) -> str:
        return f"multipart/form-data; boundary={self.boundary}"

    @property
    def length(self) -> int:
        """Bytes of the whole body. OSError when there is no such file."""
        return len(self._before()) + self.path.stat().st_size + len(self._after())

    def pieces(self) -> Iterator[bytes]:
        yield self._before()
        yield from file_pieces(self.path)
        yield self._after()

    def _before(self) -> bytes:
        parts = [
            f'--{self.boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in self.fields
        ]
        disposition = f'form-data; name="file"; filename="{self.name}"'
        head = f"Content-Disposition: {disposition}\r\nContent-Type: {self.media_type}\r\n\r\n"
        return "".join([*parts, f"--{self.boundary}\r\n{head}"]).encode()

    def _after(self) -> bytes:
        return f"\r\n--{self.boundary}--\r\n".encode()
