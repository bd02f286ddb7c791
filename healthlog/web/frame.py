"""What all pages have in common: head, navigation, headers of the answer."""

from __future__ import annotations

from healthlog.base.answers import HeaderPairs, Response
from healthlog.web.html import Html, document, join, tag

HTML_TYPE = "text/html; charset=utf-8"

# A page loads our stylesheet, script, pictures and recordings, sends its forms to us, and that is
# all: nothing that stands in it is run.
_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; media-src 'self';"
    " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

PAGES = (
    ("/", "Today"),
    ("/metric", "Metrics"),
    ("/nights", "Nights"),
    ("/workouts", "Workouts"),
    ("/records", "Records"),
    ("/notes", "Notes"),
    ("/journal", "Journal"),
    ("/gaps", "Gaps"),
    ("/refused", "Refused"),
    ("/notices", "Notices"),
    ("/report", "Report"),
    ("/pair", "Pair"),
)
"""Address and name of the pages in the navigation."""

LANGUAGE = "en"


def page(
    title: str, *content: Html, here: str = "", status: int = 200, headers: HeaderPairs = ()
) -> Response:
    """A page for the owner. `here` is its address if the navigation has it; "" for a page of
    somebody who has not logged in, without navigation."""
    main = tag("main", tag("h1", title), *content, id="content", tabindex="-1")
    body = tag(
        "body",
        tag("a", "Skip to content", class_="skip", href="#content"),
        tag("header", tag("p", "healthlog", class_="name"), _navigation(here) if here else None),
        main,
    )
    policy = ("Content-Security-Policy", _POLICY)
    made = document(LANGUAGE, _head(title), body)
    return Response(status, made, HTML_TYPE, (policy, *headers))


def see_other(path: str, *headers: tuple[str, str]) -> Response:
    """The browser goes there with a GET."""
    return Response(303, b"", HTML_TYPE, (("Location", path), *headers))


def post_button(action: str, name: str) -> Html:
    """A button that changes something."""
    return tag("form", tag("button", name, type="submit"), method="post", action=action)


def _head(title: str) -> Html:
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("title", title, " · healthlog"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("link", rel="stylesheet", href="/style.css"),
        tag("link", rel="icon", href="/icon.svg", type="image/svg+xml"),
        tag("script", src="/page.js", defer=True),
    )


def _navigation(here: str) -> Html:
    links = [
        tag("li", tag("a", name, href=path, aria_current="page" if path == here else None))
        for path, name in PAGES
    ]
    return join(
        (tag("nav", tag("ul", *links), aria_label="Pages"), post_button("/logout", "Log out"))
    )
