"""HTML as values: what is not markup already is escaped, by one function."""

from __future__ import annotations

from collections.abc import Iterable

_ESCAPES = str.maketrans({
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
})  # fmt: skip

# Without content, so without an end: https://html.spec.whatwg.org/#void-elements
_VOID = frozenset(("br", "hr", "img", "input", "link", "meta"))


class Html(str):
    """A text that is markup. Made by the functions of this module alone."""

    __slots__ = ()


def escape(value: object) -> Html:
    """Any value as text inside an element or a quoted attribute; markup as it is."""
    return value if isinstance(value, Html) else Html(str(value).translate(_ESCAPES))


def trusted(markup: str) -> Html:
    """Markup that another module of ours has made, with every value escaped."""
    return Html(markup)


def tag(name: str, /, *inside: object, **attributes: object) -> Html:
    """An element. `class_` is the attribute `class`, `aria_label` is `aria-label`; an attribute is
    left out for None and False, stands alone for True."""
    opened = "".join(_attribute(*one) for one in attributes.items())
    if name in _VOID:
        return Html(f"<{name}{opened}>")
    return Html(f"<{name}{opened}>{join(inside)}</{name}>")


def join(parts: Iterable[object]) -> Html:
    """One after the other, those of a list or tuple among them, too; None is nothing."""
    return Html("".join(_text(part) for part in parts if part is not None))


def document(language: str, *inside: Html) -> bytes:
    """A whole page in UTF-8."""
    page = "<!doctype html>\n" + tag("html", *inside, lang=language) + "\n"
    return page.encode("utf-8", "replace")


def _text(part: object) -> Html:
    return join(part) if isinstance(part, list | tuple) else escape(part)


def _attribute(name: str, value: object) -> str:
    if value is None or value is False:
        return ""
    plain = name.rstrip("_").replace("_", "-")
    return f" {plain}" if value is True else f' {plain}="{escape(value)}"'
