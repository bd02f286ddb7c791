"""The pages of the owner, asked of a whole service as a browser does."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from healthlog.base.shield import SHIELD
from healthlog.service import Service
from healthlog.tokens import Tokens
from healthlog.web import login
from tests.support.browser import Browser, page_of
from tests.support.loopback import Reply
from tests.support.process import INGEST, READ
from tests.support.serviced import Following, asked, got, running

PAGES = ("/", "/refused")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Service, Following]]:
    """One for all tests: what a browser is told depends on its cookie alone."""
    data = tmp_path_factory.mktemp("data")
    with running(data, hosts="nas") as made:
        yield made


@pytest.fixture
def browser(served: tuple[Service, Following]) -> Browser:
    return Browser(served[0])


def logged_in(browser: Browser) -> Browser:
    assert browser.post("/login", token=READ).status == 303
    return browser


# ---- logging in


@pytest.mark.scenario("security", "Browser logs in by a form")
@pytest.mark.parametrize("path", PAGES)
def test_who_has_not_logged_in_is_led_to_the_form(browser: Browser, path: str) -> None:
    reply = browser.get(path)
    assert reply.status == 303
    form = page_of(browser.get(reply.headers["location"]))
    assert form.one("form") == form.one("form") | {"method": "post", "action": "/login"}
    [wanted] = [one["value"] for one in form.all("input") if one["name"] == "next"]
    assert wanted == path


@pytest.mark.scenario("security", "Browser logs in by a form")
def test_the_read_token_logs_in_and_leads_on(browser: Browser) -> None:
    reply = browser.post("/login", token=f" {READ}\n", next="/refused")
    assert (reply.status, reply.headers["location"]) == (303, "/refused")
    assert READ not in str(browser.cookies)
    for path in (*PAGES, "/stats", "/api/v1/refusals"):
        assert browser.get(path).status == 200
    assert browser.get("/", "Cookie: healthlog=1.2").status == 200


@pytest.mark.scenario("security", "Browser logs in by a form")
@pytest.mark.parametrize("token", ["", "wrong-0123456789", INGEST, READ + "x"])
def test_another_token_shows_the_form_again(browser: Browser, token: str) -> None:
    reply = browser.post("/login", token=token)
    page = page_of(reply)
    assert reply.status == 401
    assert "That is not the read token." in page.texts
    assert token == "" or token not in reply.body.decode()
    [field] = [one for one in page.all("input") if one["name"] == "token"]
    assert field["aria-invalid"] == "true"
    assert browser.cookies == {}


def test_what_is_no_form_is_refused(browser: Browser) -> None:
    assert browser.post("/login", token=READ, more="x" * 5000).status == 413
    assert browser.post("/login", **{f"f{n}": "x" for n in range(20)}).status == 400
    own = ("Origin: http://127.0.0.1:8787", "Content-Type: application/json")
    assert browser._ask("POST", "/login", b"{}", own).status == 415
    assert browser._ask("POST", "/login", b"token=\xff", (*own[:1], FORM)).status == 400


FORM = "Content-Type: application/x-www-form-urlencoded"


@pytest.mark.scenario("security", "Logging out forgets the cookie")
def test_logging_out_forgets_the_cookie(browser: Browser) -> None:
    reply = logged_in(browser).post("/logout")
    assert (reply.status, reply.headers["location"]) == (303, "/login")
    assert browser.cookies == {}
    assert browser.get("/").status == 303


@pytest.mark.scenario("security", "Cookie is not the token and dies with it")
def test_a_cookie_outlives_the_service_but_not_its_token(data: Path) -> None:
    plain = {"ingest_token": INGEST, "read_token": ""}
    with running(data, **plain) as (service, _):
        browser = Browser(service)
        tokens = Tokens(data / "tokens.json", INGEST)
        assert browser.post("/login", token=tokens.show("read")).status == 303
    with running(data, **plain) as (service, _):
        again = Browser(service, cookies=browser.cookies)
        assert again.get("/").status == 200
        tokens.rotate("read")
        assert again.get("/").status == 303


@pytest.mark.parametrize(
    "wanted",
    [
        "/why?metric=heart_rate&layer=day&at=2026-05-05",
        "/metric/heart_rate?span=week&at=2026-05-05T10:00:00%2B02:00",
        "/records/symptom/a%20b%7Cc%20%C3%A9",
    ],
)
def test_logging_in_leads_to_where_one_wanted_to_go(browser: Browser, wanted: str) -> None:
    asked = browser.get(wanted)
    assert asked.status == 303
    form = browser.get(asked.headers["location"])
    [kept] = re.findall(r'name="next" value="([^"]*)"', form.body.decode())
    given = browser.post("/login", token=READ, next=html.unescape(kept))
    assert given.headers["location"] == wanted


@pytest.mark.parametrize(
    "wanted", ["//evil.example", "https://evil.example", "/\\e", "x", "/%2f", "/a\\b", "/?a\nb"]
)
def test_logging_in_leads_to_no_other_site(browser: Browser, wanted: str) -> None:
    assert login.local(wanted) == "/"
    assert browser.post("/login", token=READ, next=wanted).headers["location"] == "/"


@pytest.mark.scenario("security", "Cookie is kept from scripts and other sites")
def test_behind_a_proxy_with_tls_the_cookie_is_for_tls_alone(browser: Browser) -> None:
    plain = browser.post("/login", token=READ)
    assert "Secure" not in plain.headers["set-cookie"]
    secure = browser.post(
        "/login", "X-Forwarded-Proto: https", token=READ, origin=f"https://{browser.host}"
    )
    assert secure.status == 303
    assert secure.headers["set-cookie"].endswith("; Secure")


# ---- other sites


@pytest.mark.scenario("security", "A page of another site changes nothing")
@pytest.mark.parametrize("path", ["/login", "/logout", "/api/v1/import"])
def test_a_form_of_another_site_is_refused(browser: Browser, path: str) -> None:
    logged_in(browser)
    for origin in ("http://evil.example", "null", "http://127.0.0.1:9999"):
        assert browser.post(path, origin=origin, token=READ).status == 403
    assert browser.post(path, "Sec-Fetch-Site: cross-site", token=READ).status == 403
    assert browser.get("/").status == 200


@pytest.mark.scenario("security", "A name that is not ours is refused to browsers")
def test_a_name_that_is_not_ours_is_refused_in_words(served: tuple[Service, Following]) -> None:
    known = logged_in(Browser(served[0], "nas:8787"))
    assert known.get("/").status == 200
    rebound = Browser(served[0], "evil.example:8787", known.cookies)
    for reply in (rebound.get("/"), rebound.get("/login"), rebound.get("/style.css")):
        assert reply.status == 421
        assert any("setting hosts" in text for text in page_of(reply).texts)
    health = rebound.get("/healthz")
    assert health.status == 200


# ---- what pages are like


@pytest.mark.scenario("web", "Every answer tells browsers what not to do")
def test_every_answer_has_the_shield(browser: Browser) -> None:
    logged_in(browser)
    names = {name.lower() for name, _ in SHIELD}
    replies = [
        *(browser.get(path) for path in (*PAGES, "/login", "/style.css", "/stats", "/nothing")),
        browser.post("/login", token="x"),
        asked(browser.service, b"nonsense\r\n\r\n"),
        asked(browser.service, b"OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
    ]
    for reply in replies:
        assert names <= reply.headers.keys()
        assert "server" not in reply.headers
        policy = reply.headers["content-security-policy"]
        assert "script-src" not in policy or "script-src 'self';" in policy
        assert "unsafe" not in policy
        assert reply.headers["content-security-policy"].startswith("default-src 'none'; ")
        assert "unsafe" not in reply.headers["content-security-policy"]
        kind = reply.headers.get("content-type", "")
        assert (reply.headers["cache-control"] == "no-store") != kind.startswith("text/css")


@pytest.mark.scenario("web", "Pages can be used by everybody")
@pytest.mark.parametrize("path", [*PAGES, "/login", "/nothing"])
def test_a_page_can_be_used_without_eyes_mouse_and_scripts(browser: Browser, path: str) -> None:
    reply = logged_in(browser).get(path)
    page = page_of(reply)
    assert page.one("html") == {"lang": "en"}
    assert page.one("main")["id"] == "content"
    assert {"href": "#content", "class": "skip"} in page.all("a")
    assert len(page.all("h1")) == 1
    assert [one["src"] for one in page.all("script")] == ["/page.js"]
    assert page.all("style") == []
    assert not any(name.startswith("on") or name == "style" for _, a in page.tags for name in a)
    labelled = {one["for"] for one in page.all("label")}
    seen = [one for one in page.all("input") if one.get("type") != "hidden" and "hidden" not in one]
    assert {one["id"] for one in seen} == labelled
    ours = [a[name] for _, a in page.tags for name in ("href", "src", "action") if name in a]
    assert [one for one in ours if one is None or not re.match(r"/(?!/)|#", one)] == []


def test_the_navigation_says_where_one_is(browser: Browser) -> None:
    page = page_of(logged_in(browser).get("/refused"))
    [here] = [one for one in page.all("a") if "aria-current" in one]
    assert here["href"] == "/refused"


@pytest.mark.scenario("web", "Pages can be used by everybody")
def test_the_sheet_has_both_lights_and_loads_nothing(browser: Browser) -> None:
    sheet = browser.get("/style.css")
    text = sheet.body.decode()
    assert sheet.headers["content-type"] == "text/css; charset=utf-8"
    assert "prefers-color-scheme: dark" in text
    assert "url(" not in text
    assert "@import" not in text
    assert browser.get("/icon.svg").headers["content-type"] == "image/svg+xml"


def dressed(reply: Reply) -> bool:
    return reply.headers["content-type"].startswith("text/html")


@pytest.mark.scenario("web", "Errors have the form that suits who asks")
def test_programs_get_problems_and_browsers_get_pages(browser: Browser) -> None:
    logged_in(browser)
    assert dressed(browser.get("/nothing"))
    assert browser.get("/nothing").status == 404
    assert dressed(browser.get("/api/v1/points"))
    service = browser.service
    assert "detail" in got(service, "/nothing")
    assert "detail" in got(service, "/api/v1/points")
    for fields in ("Accept: */*", "X: y", "Accept: text/html\r\nX-API-Key: wrong"):
        request = f"GET /refused HTTP/1.1\r\nHost: x\r\n{fields}\r\n\r\n"
        reply = asked(service, request.encode())
        assert (reply.status, dressed(reply)) == (401, False)
    html = "Accept: text/html"
    assert not dressed(browser._ask("POST", "/ingest", b"", (html,)))
