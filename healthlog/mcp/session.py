"""One conversation with a client: which version is spoken, what is answered to each method."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from healthlog.base.errors import Circumstance, Damaged, Refusal
from healthlog.base.log import Log
from healthlog.mcp.messages import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    Answer,
    Batch,
    Broken,
    Message,
    Request,
    Unanswered,
    Wrong,
    error,
    line_of,
    read,
    result,
    text_of,
)
from healthlog.mcp.tool import Look, Tool
from healthlog.version import VERSION

# Of the versions up to 2025-11-25 one is agreed on once, by `initialize`. From 2026-07-28 on every
# request names its own, and nothing is agreed on: both kinds are served side by side.
AGREED = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
NAMED = ("2026-07-28",)
VERSIONS = (*NAMED, *AGREED)
"""Newest first."""

UNSUPPORTED_VERSION = -32022

_BATCHED = frozenset(("2025-03-26", "2024-11-05"))
_ANNOTATED = "2025-03-26"
_STRUCTURED = "2025-06-18"
_RESERVED = "io.modelcontextprotocol/"
_VERSION_OF = f"{_RESERVED}protocolVersion"
_ABLE = f"{_RESERVED}clientCapabilities"
_FRESH_MS = 3_600_000
_NAME_SHOWN = 60

INSTRUCTIONS = (
    "healthlog answers from one person's own log of health data. Numbers are resolved already:"
    " every step counts once, whatever devices and time groupings it came by, so never add values"
    " of different calls for the same time. Every value comes with its unit. What is not listed"
    " was not measured: it is never zero. `open` marks a day or week that was not over when it was"
    " last heard of. Begin with list_metrics for the names, and get_latest for now."
)


class Session:
    """Answers the lines of one client."""

    def __init__(self, tools: Sequence[Tool], look: Look, log: Log) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._look = look
        self._log = log
        self._agreed: str | None = None

    def answer(self, line: bytes) -> bytes | None:
        """The line that answers a line; None where there is nothing to say."""
        found = read(line)
        if isinstance(found, Batch):
            answers = self._batch(found)
            return line_of(answers) if answers else None
        said = self._said(found)
        return None if said is None else line_of(said)

    def _batch(self, batch: Batch) -> Answer | list[Answer]:
        if self._agreed not in _BATCHED:
            return error(None, INVALID_REQUEST, "Invalid Request: one message a line, no batch")
        answers = [self._said(one, batched=True) for one in batch.messages]
        return [one for one in answers if one is not None]

    def _said(self, message: Message, *, batched: bool = False) -> Answer | None:
        if isinstance(message, Unanswered):
            # Also notifications/cancelled: what was asked before has been answered by now.
            return None
        if isinstance(message, Broken):
            return message.answer
        try:
            if batched and message.method == "initialize":
                raise Wrong(INVALID_REQUEST, "Invalid Request: initialize stands alone")
            return result(message.id, self._asked(message))
        except Wrong as wrong:
            return error(message.id, wrong.code, str(wrong), wrong.data)
        except Exception as fault:  # noqa: BLE001 - one question may fail, the next is answered
            self._log.exception("question failed", fault, method=message.method[:_NAME_SHOWN])
            return error(message.id, INTERNAL_ERROR, "Internal error")

    def _asked(self, request: Request) -> Mapping[str, Any]:
        about = request.params.get("_meta")
        about = about if isinstance(about, dict) else {}
        if request.method == "initialize":
            return self._initialized(request.params)
        if _VERSION_OF in about or request.method == "server/discover":
            return self._named(request, about)
        if request.method == "ping":
            return {}
        if self._agreed is None:
            raise Wrong(INVALID_REQUEST, "Invalid Request: initialize comes first")
        methods: dict[str, Callable[[Mapping[str, Any], str], Mapping[str, Any]]] = {
            "tools/list": self._list,
            "tools/call": self._call,
        }
        return _of(methods, request.method)(request.params, self._agreed)

    # Up to 2025-11-25

    def _initialized(self, params: Mapping[str, Any]) -> Mapping[str, Any]:
        wanted = params.get("protocolVersion")
        if not isinstance(wanted, str):
            raise Wrong(INVALID_PARAMS, "Invalid params: protocolVersion must be a text")
        if self._agreed is not None:
            raise Wrong(INVALID_REQUEST, "Invalid Request: initialize comes once")
        self._agreed = wanted if wanted in AGREED else AGREED[0]
        return {
            "protocolVersion": self._agreed,
            "capabilities": {"tools": {}},
            "serverInfo": _myself(self._agreed),
            "instructions": INSTRUCTIONS,
        }

    # From 2026-07-28 on

    def _named(self, request: Request, about: Mapping[str, Any]) -> Mapping[str, Any]:
        version = about.get(_VERSION_OF)
        for name, kind in ((_VERSION_OF, str), (_ABLE, dict)):
            if not isinstance(about.get(name), kind):
                raise Wrong(INVALID_PARAMS, f"Invalid params: _meta lacks {name}")
        if version not in NAMED:
            raise Wrong(
                UNSUPPORTED_VERSION,
                "Unsupported protocol version",
                {"supported": list(VERSIONS), "requested": version},
            )
        methods: dict[str, Callable[[Mapping[str, Any], str], Mapping[str, Any]]] = {
            "server/discover": _discovered,
            "tools/list": self._list,
            "tools/call": self._call,
        }
        found = _of(methods, request.method)(request.params, version)
        cached = {"ttlMs": _FRESH_MS, "cacheScope": "public"}
        return {
            "resultType": "complete",
            **found,
            **({} if request.method == "tools/call" else cached),
            "_meta": {f"{_RESERVED}serverInfo": _myself(version)},
        }

    # Whatever the version

    def _list(self, params: Mapping[str, Any], version: str) -> Mapping[str, Any]:
        if params.get("cursor") is not None:
            raise Wrong(INVALID_PARAMS, "Invalid params: there is no such cursor")
        return {"tools": [_shown(tool, version) for tool in self._tools.values()]}

    def _call(self, params: Mapping[str, Any], version: str) -> Mapping[str, Any]:
        name, arguments = params.get("name"), params.get("arguments")
        if not isinstance(name, str):
            raise Wrong(INVALID_PARAMS, "Invalid params: name must be a text")
        if name not in self._tools:
            raise Wrong(INVALID_PARAMS, f"Unknown tool: {name[:_NAME_SHOWN]}")
        if not isinstance(arguments, dict | None):
            raise Wrong(INVALID_PARAMS, "Invalid params: arguments must be an object")
        try:
            told = self._tools[name].call(self._look, arguments or {})
        except (Refusal, Circumstance, Damaged) as refused:
            # Not an error of the protocol: the model is to read it, and may ask in another way.
            return {"content": [_text(str(refused))], "isError": True}
        content = [_text(told.text), _text(text_of(told.content))]
        structured = {} if version < _STRUCTURED else {"structuredContent": told.content}
        return {"content": content, **structured, "isError": False}


def _discovered(_: Mapping[str, Any], __: str) -> Mapping[str, Any]:
    return {
        "supportedVersions": list(VERSIONS),
        "capabilities": {"tools": {}},
        "instructions": INSTRUCTIONS,
    }


def _of(
    methods: Mapping[str, Callable[[Mapping[str, Any], str], Mapping[str, Any]]], name: str
) -> Callable[[Mapping[str, Any], str], Mapping[str, Any]]:
    if name not in methods:
        raise Wrong(METHOD_NOT_FOUND, f"Method not found: {name[:_NAME_SHOWN]}")
    return methods[name]


def _shown(tool: Tool, version: str) -> dict[str, Any]:
    titled = {} if version < _STRUCTURED else {"title": tool.title}
    hints = {"title": tool.title, "readOnlyHint": True, "openWorldHint": False}
    return {
        "name": tool.name,
        **titled,
        "description": tool.description,
        "inputSchema": tool.schema,
        **({} if version < _ANNOTATED else {"annotations": hints}),
    }


def _myself(version: str) -> dict[str, str]:
    titled = {} if version < _STRUCTURED else {"title": "Health log"}
    return {"name": "healthlog", **titled, "version": VERSION}


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}
