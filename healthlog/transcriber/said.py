"""What may be written down of an error: in rows, events, logs."""

from __future__ import annotations

_OWN_PACKAGE = __name__.partition(".")[0]
_LONGEST = 500


def said(error: BaseException) -> str:
    """The text of an error of this program, which chose its words; the system's word for one of the
    system; of all others the type, for their texts quote what they were given."""
    kind = type(error)
    if kind.__module__.partition(".")[0] == _OWN_PACKAGE:
        return str(error)[:_LONGEST] or kind.__qualname__
    if isinstance(error, OSError) and error.strerror:
        return f"{kind.__qualname__}: {error.strerror}"
    return kind.__qualname__
