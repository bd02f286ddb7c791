"""HTML as values."""

from __future__ import annotations

import pytest

from healthlog.web.html import Html, document, escape, join, tag

NASTY = """<script>alert("1 & '2'")</script>"""


@pytest.mark.scenario("web", "Whatever is shown is escaped")
def test_a_text_is_escaped_wherever_it_stands() -> None:
    said = "&lt;script&gt;alert(&quot;1 &amp; &#39;2&#39;&quot;)&lt;/script&gt;"
    assert escape(NASTY) == said
    assert tag("p", NASTY) == f"<p>{said}</p>"
    assert tag("p", title=NASTY) == f'<p title="{said}"></p>'
    assert join([NASTY, 1]) == f"{said}1"


def test_what_is_markup_is_not_escaped_again() -> None:
    assert tag("p", tag("b", "a & b"), "<") == "<p><b>a &amp; b</b>&lt;</p>"


def test_a_text_put_together_with_markup_is_no_markup() -> None:
    assert escape(Html("<b>") + "<i>") == "&lt;b&gt;&lt;i&gt;"


def test_attributes_are_left_out_or_stand_alone() -> None:
    made = tag("input", name="a", for_="b", aria_label="c", required=True, hidden=False, id=None)
    assert made == '<input name="a" for="b" aria-label="c" required>'


def test_nothing_is_left_out() -> None:
    assert join([None, "", 0]) == "0"


def test_a_document_says_its_language() -> None:
    assert document("en", tag("p", "ü\ud800")) == (
        '<!doctype html>\n<html lang="en"><p>ü?</p></html>\n'.encode()
    )
