"""Certificates that were made for the tests, clients that trust them."""

from __future__ import annotations

import shutil
import ssl
import warnings
from pathlib import Path

from tests.support.sources import ROOT

FOLDER = ROOT / "tests" / "data" / "tls"
LOCKED_KEY = FOLDER / "locked.key.pem"


def pair(name: str) -> tuple[Path, Path]:
    """Certificate and key: `one` or `two`."""
    return FOLDER / f"{name}.cert.pem", FOLDER / f"{name}.key.pem"


def placed(name: str, folder: Path) -> tuple[Path, Path]:
    """A copy of a pair in the place of another, as whoever renews a certificate leaves it."""
    targets = folder / "cert.pem", folder / "key.pem"
    for source, target in zip(pair(name), targets, strict=True):
        fresh = target.with_suffix(".fresh")
        shutil.copyfile(source, fresh)
        fresh.replace(target)
    return targets


def trusting(*names: str, version: ssl.TLSVersion | None = None) -> ssl.SSLContext:
    """A client's side that trusts these certificates and no others; it speaks one version alone."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    for name in names or ("one",):
        context.load_verify_locations(pair(name)[0])
    if version is not None:
        context.set_ciphers("DEFAULT@SECLEVEL=0")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # that is what is tried
            context.minimum_version = context.maximum_version = version
    return context
