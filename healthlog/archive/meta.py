"""The meta file beside a body: what is known of a delivery, as JSON that a person can read."""

from __future__ import annotations

import json
import re

from healthlog.base.clock import parse_us, text_us
from healthlog.model import Delivery

_TEXTS = (
    "content_type",
    "remote",
    "automation_id",
    "automation_name",
    "aggregation",
    "period",
    "session_id",
)
_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)


class NoMeta(ValueError):
    """The file is no meta; the message says why, without its contents."""


def meta_bytes(delivery: Delivery) -> bytes:
    """The contents of the meta file; what is absent or false is left out."""
    meta: dict[str, object] = {
        "delivery_id": delivery.delivery_id,
        "received_at": text_us(delivery.received_at_us),
        "clock_at": text_us(delivery.clock_at_us),
        "said_at": text_us(delivery.said_at_us),
        "bytes": delivery.bytes,
        "sha256": delivery.sha256,
    }
    if delivery.packed_sha256 is not None:
        meta["packed_sha256"] = delivery.packed_sha256
    if delivery.clock_doubtful:
        meta["clock_doubtful"] = True
    if delivery.imported:
        meta["imported"] = True
    for name in _TEXTS:
        value = getattr(delivery, name)
        if value is not None:
            meta[name] = value
    return _written(meta)


def is_as_written(data: bytes) -> bool:
    """Whether a meta file is spelled as `meta_bytes` spells it, members nobody knows included:
    what says the same in other bytes was written by somebody else, or by a disk that fails."""
    try:
        told = json.loads(data)
        # An instant, too, can be spelled in more ways than one.
        own = json.loads(meta_bytes(parse_meta(data)))
        return _written(told) == data and told == {**told, **own}
    except (ValueError, RecursionError):
        return False


def _written(meta: object) -> bytes:
    return json.dumps(meta, ensure_ascii=False, indent=1).encode() + b"\n"


def parse_meta(data: bytes) -> Delivery:
    """The delivery a meta file describes; members nobody knows are passed over. ValueError (NoMeta
    or what the readers of its parts raise) if it is no such file."""
    try:
        meta = json.loads(data)
    except RecursionError:
        raise NoMeta("the meta is nested too deeply") from None
    if not isinstance(meta, dict):
        raise NoMeta("the meta is no JSON object")
    return Delivery(
        delivery_id=_text(meta, "delivery_id"),
        received_at_us=parse_us(_text(meta, "received_at")),
        clock_at_us=parse_us(_text(meta, "clock_at")),
        said_at_us=parse_us(_text(meta, "said_at")),
        bytes=_size(meta.get("bytes")),
        sha256=_checksum(_text(meta, "sha256")),
        packed_sha256=_checksum(_text(meta, "packed_sha256")) if "packed_sha256" in meta else None,
        clock_doubtful=meta.get("clock_doubtful") is True,
        imported=meta.get("imported") is True,
        **{name: _text(meta, name) for name in _TEXTS if meta.get(name) is not None},
    )


def _text(meta: dict[str, object], name: str) -> str:
    value = meta.get(name)
    if not isinstance(value, str):
        raise NoMeta(f"{name} in the meta is no text")
    # A lone surrogate is what neither the journal nor an answer could write.
    value.encode()
    return value


def _size(value: object) -> int:
    if type(value) is not int or not 0 <= value < 2**63:
        raise NoMeta("bytes in the meta is no size")
    return value


def _checksum(text: str) -> str:
    if _SHA256.fullmatch(text) is None:
        raise NoMeta("sha256 in the meta is no checksum")
    return text
