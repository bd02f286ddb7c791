"""The files that pages load, served from the package."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files

from healthlog.base.web import Request, Response

# The same for everybody; after an upgrade a browser may show a page in its old dress so long.
_CACHED = (("Cache-Control", "max-age=300"),)


def file(name: str, content_type: str) -> Callable[[Request], Response]:
    """A handler that gives the file of that name, read once."""
    data = files("healthlog.web").joinpath("static", name).read_bytes()
    response = Response(200, data, content_type, _CACHED)
    return lambda _: response
