"""Commands run inside this process, which is left as it was."""

from __future__ import annotations

import io
import os
import signal
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from healthlog import cli


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of a command."""

    status: int
    out: str
    err: str

    def refused(self, status: int, *words: str) -> bool:
        """Whether it ended in one sentence that has these words, without a traceback."""
        [sentence] = self.err.splitlines()
        assert sentence.startswith("healthlog: "), sentence
        assert all(word in sentence for word in words), sentence
        return self.status == status and self.out == ""


def run(*arguments: str | Path) -> Ran:
    """A command with these arguments. Commands change the umask, signals, the longest number."""
    out, err = io.StringIO(), io.StringIO()
    umask, digits = os.umask(0o077), sys.get_int_max_str_digits()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        with redirect_stdout(out), redirect_stderr(err):
            status = _status([str(one) for one in arguments])
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        sys.set_int_max_str_digits(digits)
        os.umask(umask)
    return Ran(status, out.getvalue(), err.getvalue())


def _status(arguments: list[str]) -> int:
    try:
        return cli.main(arguments)
    except SystemExit as end:  # argparse leaves so
        return int(end.code or 0)
