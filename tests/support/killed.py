"""A life in a process of its own that ends at one of its steps as by SIGKILL."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import NoReturn

KILLED = 9
_BROKE = 70


def die() -> NoReturn:
    """The end of the process, called by its life: nothing is cleaned up, no file is closed."""
    os._exit(KILLED)


def ended(life: Callable[[], object]) -> int:
    """How the process ended that lived it: 0 after its last step, KILLED if it died before."""
    with warnings.catch_warnings():
        # This process has threads of other tests at most; the child uses nothing of theirs.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        status = _BROKE
        try:
            life()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
