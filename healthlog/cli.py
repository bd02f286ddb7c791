"""The command line: from arguments to a command, from its errors to an exit status."""

from __future__ import annotations

import argparse
import gc
import keyword
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module

from healthlog.base.errors import Circumstance, Damaged, Refusal
from healthlog.base.lock import Taken
from healthlog.base.migrate import SchemaChanged, SchemaNewer
from healthlog.commands.context import WrongUsage
from healthlog.config import BadSetting
from healthlog.version import VERSION

COMMANDS = (
    *("serve", "reindex", "import", "export", "backup", "restore", "check", "digest", "status"),
    *("token", "pair", "resume", "migrate", "notify", "mcp", "rebuild"),
)
DONE, FAILED, WRONG_USAGE = 0, 1, 2
_LONGEST_NUMBER = 4_300


def parser(names: Sequence[str] = COMMANDS) -> argparse.ArgumentParser:
    """The parser with these commands."""
    top = argparse.ArgumentParser(
        prog="healthlog", description="A health log that one person owns.", allow_abbrev=False
    )
    top.add_argument("--version", action="version", version=f"healthlog {VERSION}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in names:
        module = name + "_" * keyword.iskeyword(name)
        import_module(f"healthlog.commands.{module}").add(commands)
    return top


def _asked_for(argv: Sequence[str]) -> Sequence[str]:
    """The command that these arguments begin with: the others aren't loaded. All where they begin
    with anything else."""
    return argv[:1] if argv[:1] and argv[0] in COMMANDS else COMMANDS


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command. 0 done, 1 failed or differences found, 2 wrong usage or configuration; what
    a person can cause is one sentence on stderr."""
    # Bodies are read alike on every machine, whatever its environment says.
    sys.set_int_max_str_digits(_LONGEST_NUMBER)
    os.umask(0o077)
    argv = sys.argv[1:] if argv is None else argv
    commands = parser(_asked_for(argv))
    gc.enable()  # it may have been off while all was loaded
    arguments = commands.parse_args(argv)
    try:
        with _stops_interrupting():
            status = int(arguments.run(arguments))
            sys.stdout.flush()
    except (BadSetting, WrongUsage) as error:
        return _said(error, WRONG_USAGE)
    except (Refusal, Circumstance, Damaged, Taken, SchemaNewer, SchemaChanged) as error:
        return _said(error, FAILED)
    except BrokenPipeError:
        # Who read the output has left; nothing may be flushed to it at the exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except OSError as error:
        where = "" if error.filename is None else f"{error.filename}: "
        return _said(f"{where}{error.strerror or error}", FAILED)
    except KeyboardInterrupt:
        return _said("interrupted", FAILED)
    return status


@contextmanager
def _stops_interrupting() -> Iterator[None]:
    """SIGTERM ends a command as Ctrl-C does: what it had begun beside is cleared away."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _said(error: object, status: int) -> int:
    print(f"healthlog: {error}", file=sys.stderr)
    return status
