"""A wall clock that is set from outside, for a service in another process, by libfaketime."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.process import Program

LIBRARIES = ("/usr/lib/*/faketime/libfaketimeMT.so.1", "/usr/lib*/faketime/libfaketimeMT.so.1")


class SkewedClock:
    """The clock of whatever runs as `program`. It goes on from where it is set."""

    def __init__(self, folder: Path, at: str) -> None:
        self._file = folder / "wall clock"
        self.set(at)
        self.program = Program(
            env={
                "LD_PRELOAD": _library(),
                "FAKETIME_TIMESTAMP_FILE": str(self._file),
                "FAKETIME_NO_CACHE": "1",
                # Without it every wait of Python's with a timeout is one without an end.
                "FAKETIME_DONT_FAKE_MONOTONIC": "1",
                "NO_FAKE_STAT": "1",
                "TZ": "UTC",
            }
        )

    def set(self, at: str) -> None:
        """So far off the right time (`-3h`); before the start also to an instant, in UTC
        (`@1970-01-01 00:00:10`)."""
        new = self._file.with_suffix(".new")
        new.write_text(f"{at}\n")
        new.replace(self._file)


RIGHT = "+0"


def _library() -> str:
    for pattern in LIBRARIES:
        for path in Path("/").glob(pattern.removeprefix("/")):
            return str(path)
    pytest.skip("libfaketime is not installed")
