"""The owner's pages in a real browser: logged in, every page, a phone paired, print, dark, narrow,
accessible.

`make browser` brings what it needs; without browser or driver nothing here is tried.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import pytest

from healthlog.service import Service
from tests.browser.visiting import Visit, visiting
from tests.demo.__main__ import main as fill
from tests.support import webdriver
from tests.support.bodies import TWO_DAYS
from tests.support.process import INGEST
from tests.support.serviced import asked, posted, running
from tests.support.spoken import M4A

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not webdriver.is_there(), reason="chromium or chromedriver is missing"),
]
AXE_PATH = Path(os.environ.get("AXE_CORE", "axe.min.js"))
DAYS = 40
OFF = {"recordings_workers": "0"}
"""So that nothing changes a page while it is looked at."""
FOLDED = """
    const [path, done] = arguments;
    const ask = async () => (await fetch(path)).ok ? done(true) : ask();
    ask();
"""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Forty invented days being served; a phone could reach it at a public address."""
    data = tmp_path_factory.mktemp("browser") / "data"
    assert fill([str(data), "--days", str(DAYS)]) == 0
    with running(data, public_url="https://log.example", timezone="Europe/Berlin", **OFF) as (
        service,
        _,
    ):
        yield service


@pytest.fixture(scope="module")
def visit(service: Service) -> Iterator[Visit]:
    with visiting(service.port) as visit:
        yield visit


def today() -> str:
    return datetime.now(ZoneInfo("Europe/Berlin")).date().isoformat()


PAGES = (
    "/",
    "/metric",
    "/metric/step_count?span=day",
    "/metric/step_count?span=week",
    "/metric/step_count?span=month",
    "/metric/step_count?span=year&with=heart_rate",
    "/metric/heart_rate?span=all",
    "/metric/blood_pressure?span=month",
    "/nights",
    "/workouts",
    "/records?kind=medication",
    "/records?kind=state_of_mind",
    "/records?kind=symptom",
    "/records?kind=cycle",
    "/records?kind=ecg",
    "/records?kind=heart_notification",
    "/notes",
    "/notes?q=milk&state=done",
    "/journal",
    "/gaps",
    "/refused",
    "/notices",
    "/report",
    "/pair",
)
OF_ONE = (
    ("/workouts", "main table a"),
    ("/records?kind=ecg", "main table a"),
    ("/records?kind=medication", "main table a"),
    ("/journal", "main table a[href^='/journal/2']"),
    ("/metric/step_count?span=month", "main table a[href^='/why']"),
    ("/nights", "main table a"),
)


def test_who_has_not_logged_in_is_led_to_the_form_and_back(service: Service) -> None:
    with visiting(service.port, log_in=False) as visit:
        visit.open("/nights")
        assert urlsplit(visit.browser.url).path == "/login"
        visit.log_in()
        assert urlsplit(visit.browser.url).path == "/nights"
        visit.browser.follow("header form button")
        visit.open("/nights")
        assert urlsplit(visit.browser.url).path == "/login"


def test_a_wrong_token_is_said_and_lets_nobody_in(service: Service) -> None:
    with visiting(service.port, log_in=False) as visit:
        visit.open("/")
        visit.log_in("not-the-read-token-0123456789")
        assert "not the read token" in visit.browser.one("[role=alert]").text
        visit.open("/journal")
        assert urlsplit(visit.browser.url).path == "/login"


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_whole_quiet_and_accessible(visit: Visit, path: str) -> None:
    visit.open(path)
    assert visit.browser.all("main h1") != []
    visit.is_quiet()
    if AXE_PATH.is_file():
        visit.is_accessible(AXE_PATH.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("path", "css"), OF_ONE)
def test_a_link_of_a_list_leads_to_a_page_as_good(visit: Visit, path: str, css: str) -> None:
    visit.open(path)
    visit.browser.follow(css)
    assert visit.browser.url.partition(str(visit.port))[2] != path
    assert visit.browser.all("main h1") != []
    visit.is_quiet()
    if AXE_PATH.is_file():
        visit.is_accessible(AXE_PATH.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", ["/", "/metric/step_count?span=month", "/journal", "/report"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_narrow_page_is_no_wider_than_the_phone(visit: Visit, path: str, scheme: str) -> None:
    visit.browser.size(360, 740)
    visit.browser.media(prefers_color_scheme=scheme)
    visit.open(path)
    assert visit.browser.run("return document.documentElement.scrollWidth") <= 360
    ground = visit.browser.run("return getComputedStyle(document.body).backgroundColor")
    light = sum(int(one) for one in ground[4:-1].split(",")) > 380
    assert light == (scheme == "light")
    if AXE_PATH.is_file():
        visit.is_accessible(AXE_PATH.read_text(encoding="utf-8"))
    visit.browser.media()
    visit.browser.size(1000, 900)


def test_a_name_of_any_length_widens_no_page(visit: Visit, service: Service) -> None:
    name, at = "x" * 200, f"{today()} 00:10:07 +0100"
    metric = {"name": name, "units": name, "data": [{"date": at, "qty": 1, "source": name}]}
    record = {"name": name, "start": at, "end": at, "id": name, "severity": name}
    sections = {"metrics": [metric], "symptoms": [record], "workouts": [record]}
    posted(service, json.dumps({"data": sections}).encode())
    visit.browser.size(360, 740)
    visit.open("/metric")
    visit.browser.run_async(FOLDED, f"/metric/{name}")
    visit.browser.console()  # it complained of pages that weren't there yet
    for path in ("/", f"/metric/{name}", "/metric/step_count", f"/workouts/{name.upper()}"):
        visit.open(path)
        assert visit.browser.run("return document.documentElement.scrollWidth") <= 360, path


def test_the_report_prints_without_what_is_for_the_screen(visit: Visit) -> None:
    visit.open("/report")
    visit.browser.media("print")
    shown = "return getComputedStyle(document.querySelector(arguments[0])).display"
    assert visit.browser.run(shown, "header") == "none"
    assert visit.browser.run(shown, "main form") == "none"
    assert visit.browser.run(shown, "main table") != "none"
    visit.browser.media()


def test_a_mark_says_itself_under_its_chart(visit: Visit) -> None:
    visit.open("/metric/step_count?span=month")
    caption = visit.browser.one("figcaption").text
    told = visit.browser.run(
        "const bar = document.querySelector('.bars rect');"
        "bar.dispatchEvent(new PointerEvent('pointerover', {bubbles: true}));"
        "return [document.querySelector('figcaption').textContent, bar.textContent]"
    )
    assert told[0] == told[1] != caption


def test_everything_is_reached_by_the_keyboard(visit: Visit) -> None:
    visit.open("/")
    reached = visit.browser.run(
        "const all = [...document.querySelectorAll('a, button, input, select, [tabindex]')];"
        "return all.filter(e => e.tabIndex < 0 && e.id !== 'content').length"
    )
    assert reached == 0
    assert visit.browser.run("return document.querySelector('.skip').hash") == "#content"


def test_pages_work_without_a_script(service: Service) -> None:
    with visiting(service.port) as visit:
        visit.browser.devtools("Emulation.setScriptExecutionDisabled", {"value": True})
        visit.open("/metric/step_count?span=month")
        assert len(visit.browser.all("svg.chart rect")) > 20
        assert len(visit.browser.all("main table tbody tr")) > 20


def test_a_note_is_heard_edited_stopped_and_deleted(visit: Visit, service: Service) -> None:
    one = recorded(service)
    visit.open("/notes")
    visit.browser.follow(f"main a[href='/notes/{one}']")
    visit.is_quiet()
    visit.browser.one("#title").type("Errands")
    visit.browser.one("#topics").type("milk, doctor")
    visit.browser.follow("form.stacked button")
    assert visit.browser.one("h1").text == "Errands"
    visit.browser.follow(".buttons > form button")
    visit.browser.follow("form[action$='/resume'] button")
    visit.browser.one("form[action$='/stop'] button")
    if AXE_PATH.is_file():
        visit.is_accessible(AXE_PATH.read_text(encoding="utf-8"))
    visit.browser.one("details summary").click()
    visit.browser.follow("form[action$='/delete'] button")
    assert urlsplit(visit.browser.url).path == "/notes"
    assert f"/notes/{one}" not in visit.browser.one("main").text


def recorded(service: Service) -> str:
    """The id of a note that nobody works on."""
    head = f"POST /recordings HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {INGEST}\r\n"
    kind = f"Content-Type: audio/x-m4a\r\nContent-Length: {len(M4A)}\r\n\r\n"
    reply = asked(service, f"{head}{kind}".encode() + M4A)
    assert reply.status == 201
    return str(reply.json()["recording_id"])


def test_pairing_turns_green_by_itself(visit: Visit, service: Service) -> None:
    visit.open("/pair")
    assert visit.browser.one("#heard").attribute("class") == "waiting"
    assert posted(service, TWO_DAYS).status == 200
    assert "come through" in visit.browser.one("#heard.good").text
    visit.is_quiet()


def test_pairing_says_what_was_wrong(service: Service) -> None:
    with visiting(service.port) as visit:
        visit.open("/pair")
        assert posted(service, b"").status == 400
        assert "(400)" in visit.browser.one("#heard.bad").text
