"""A real browser driven over the WebDriver protocol (https://www.w3.org/TR/webdriver2/)."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import tempfile
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.patience import PATIENCE_S

DRIVER = "chromedriver"
BROWSER = "chromium"
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
_STARTED = "was started successfully on port "

# Without these the browser asks its maker's hosts all the time.
_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--disable-features=OptimizationHints,MediaRouter,Translate",
)


def is_there() -> bool:
    """Whether browser and driver are installed."""
    return shutil.which(DRIVER) is not None and shutil.which(BROWSER) is not None


@dataclass(frozen=True, slots=True)
class Element:
    """One element of the page that is open."""

    browser: Browser
    number: str

    @property
    def text(self) -> str:
        return str(self._get("text"))

    def attribute(self, name: str) -> str | None:
        found = self._get(f"attribute/{name}")
        return None if found is None else str(found)

    def click(self) -> None:
        self.browser.post(f"element/{self.number}/click", {})

    def type(self, text: str) -> None:
        self.browser.post(f"element/{self.number}/value", {"text": text})

    def clear(self) -> None:
        self.browser.post(f"element/{self.number}/clear", {})

    def _get(self, path: str) -> Any:
        return self.browser.get(f"element/{self.number}/{path}")


@dataclass(slots=True)
class Browser:
    """One window. What a page logs or asks of the network is kept by the browser."""

    session: str
    """Address of the session at the driver."""

    def open(self, url: str) -> None:
        self.post("url", {"url": url})

    @property
    def url(self) -> str:
        return str(self.get("url"))

    @property
    def title(self) -> str:
        return str(self.get("title"))

    def one(self, css: str) -> Element:
        """The first element; an error if there is none in a minute."""
        found = self.post("element", {"using": "css selector", "value": css})
        return Element(self, found[_ELEMENT])

    def all(self, css: str) -> list[Element]:
        """Those that there are as soon as there is one."""
        found = self.post("elements", {"using": "css selector", "value": css})
        return [Element(self, one[_ELEMENT]) for one in found]

    def run(self, script: str, *args: object) -> Any:
        """What a script returns."""
        return self.post("execute/sync", {"script": script, "args": list(args)})

    def run_async(self, script: str, *args: object) -> Any:
        """What a script gives to the function that is its last argument."""
        return self.post("execute/async", {"script": script, "args": list(args)})

    def follow(self, css: str) -> None:
        """Click what leads to another page, and wait until that one is there.

        A click may return before the browser has begun to leave the page: the mark left on it
        tells the two apart.
        """
        element = self.one(css)
        self.run("document.documentElement.dataset.left = ''")
        element.click()
        self.one("html:not([data-left]) body")

    def size(self, width: int, height: int) -> None:
        """Of the page as it is drawn, whatever window the system grants."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.devtools("Emulation.setDeviceMetricsOverride", metrics)

    def media(self, media: str = "", **features: str) -> None:
        """How the page is looked at: `print`, or `prefers_color_scheme="dark"`."""
        told = [{"name": name.replace("_", "-"), "value": one} for name, one in features.items()]
        self.devtools("Emulation.setEmulatedMedia", {"media": media, "features": told})

    def devtools(self, command: str, params: Mapping[str, object]) -> Any:
        return self.post("goog/cdp/execute", {"cmd": command, "params": dict(params)})

    def screenshot(self, path: Path) -> None:
        """What the window shows as a picture."""
        path.write_bytes(base64.b64decode(self.get("screenshot")))

    def console(self) -> list[str]:
        """What pages complained of since it was asked last."""
        return [str(one["message"]) for one in self.post("se/log", {"type": "browser"})]

    def requests(self) -> list[str]:
        """Addresses that pages asked for since it was asked last."""
        found = []
        for entry in self.post("se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(str(message["params"]["request"]["url"]))
        return [url for url in found if url.startswith(("http:", "https:", "ws"))]

    def get(self, path: str) -> Any:
        return _call(f"{self.session}/{path}", None)

    def post(self, path: str, body: Mapping[str, object]) -> Any:
        return _call(f"{self.session}/{path}", body)


@contextmanager
def browsing() -> Iterator[Browser]:
    """A browser with a profile of its own, gone afterwards."""
    with tempfile.TemporaryDirectory() as profile, _driver() as driver:
        options = {
            "binary": shutil.which(BROWSER),
            "args": [*_FLAGS, f"--user-data-dir={profile}", "--window-size=1000,900"],
            "perfLoggingPrefs": {"enableNetwork": True},
        }
        always = {
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
            "timeouts": dict.fromkeys(("script", "pageLoad", "implicit"), int(PATIENCE_S * 1000)),
        }
        made = _call(f"{driver}/session", {"capabilities": {"alwaysMatch": always}})
        browser = Browser(f"{driver}/session/{made['sessionId']}")
        try:
            yield browser
        finally:
            _call(browser.session, None, "DELETE")


@contextmanager
def _driver() -> Iterator[str]:
    with subprocess.Popen(
        [DRIVER, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as child:
        assert child.stdout is not None
        try:
            line = next(one for one in child.stdout if _STARTED in one)
            port = int(line.partition(_STARTED)[2].strip().rstrip("."))
            yield f"http://127.0.0.1:{port}"
        finally:
            child.terminate()


def _call(url: str, body: Mapping[str, object] | None, method: str | None = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(url, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=2 * PATIENCE_S) as answer:
            return json.load(answer)["value"]
    except urllib.error.HTTPError as error:
        raise AssertionError(json.load(error)["value"]["message"]) from None
