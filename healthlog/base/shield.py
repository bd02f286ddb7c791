"""What every answer tells browsers not to do with it."""

from __future__ import annotations

from healthlog.base.answers import HeaderPairs, Response

# Nothing is loaded, run or framed because an answer says so. Pages bring a policy of their own.
_POLICY = "default-src 'none'; frame-ancestors 'none'"

SHIELD: HeaderPairs = (
    ("Cache-Control", "no-store"),  # it is about somebody's body
    ("Content-Security-Policy", _POLICY),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    # Not no-referrer: with that, browsers send forms with the Origin "null".
    ("Referrer-Policy", "same-origin"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
)


def shielded(response: Response) -> HeaderPairs:
    """The headers of the response behind those of the shield that it doesn't bring itself."""
    own = {name.lower() for name, _ in response.headers}
    usual = ((name, value) for name, value in SHIELD if name.lower() not in own)
    return (*usual, *response.headers)
