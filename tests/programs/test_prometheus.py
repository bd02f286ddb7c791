"""Prometheus itself asks the log, with the configuration and the expressions of the docs."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.bodies import TWO_DAYS
from tests.support.patience import PATIENCE_S
from tests.support.process import READ
from tests.support.serviced import GET, asked, posted, running
from tests.support.sources import ROOT

PAGE = (ROOT / "docs" / "programs.md").read_text(encoding="utf-8")
SCRAPE, RULES = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[:2]
EXPRESSIONS = re.findall(r"^\| [^|]+ \| `([^`]*healthlog_[^`]*)` \|$", PAGE, re.MULTILINE)
ALERTS = re.findall(r"expr: (.+)$", RULES, re.MULTILINE)
PATIENCE = 20_000
"""Questions that are asked, one after the other, until the first scrape is there."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.scenario("programs", "Prometheus reads how the log is doing"),
    pytest.mark.skipif(shutil.which("prometheus") is None, reason="prometheus is not installed"),
]


def configured(folder: Path, port: int) -> Path:
    """The configuration of the docs for a log on this port, asking it each second."""
    token = folder / "token"
    token.write_text(READ)
    (folder / "rules.yml").write_text(RULES)
    scrape = SCRAPE.replace("192.0.2.7:8787", f"127.0.0.1:{port}")
    scrape = scrape.replace("/etc/prometheus/healthlog-read-token", str(token))
    assert (str(port) in scrape, str(token) in scrape) == (True, True)
    file = folder / "prometheus.yml"
    scrape = scrape.replace("scrape_interval: 60s", "scrape_interval: 1s")
    file.write_text(f"rule_files: [rules.yml]\n{scrape}")
    return file


@contextmanager
def prometheus(folder: Path, config: Path) -> Iterator[str]:
    """The address of one that runs, on a port that the system chose."""
    command = [
        "prometheus",
        f"--config.file={config}",
        f"--storage.tsdb.path={folder / 'tsdb'}",
        "--web.listen-address=127.0.0.1:0",
        "--log.format=json",
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as child:
        assert child.stderr is not None
        try:
            lines = (json.loads(line) for line in child.stderr if line.startswith("{"))
            address = next(one["address"] for one in lines if one.get("msg") == "Listening on")
            next(one for one in lines if "ready to receive web requests" in one.get("msg", ""))
            yield f"http://{address}"
        finally:
            child.terminate()
            child.communicate()


def answer(base: str, expression: str) -> list[Any]:
    """What it finds for an expression."""
    query = urllib.parse.urlencode({"query": expression})
    with urllib.request.urlopen(f"{base}/api/v1/query?{query}", timeout=PATIENCE_S) as reply:
        found: list[Any] = json.load(reply)["data"]["result"]
    return found


def test_the_numbers_are_as_it_wants_them(data: Path) -> None:
    with running(data) as (service, log):
        assert posted(service, TWO_DAYS).status == 200
        log.until("delivery folded")
        text = asked(service, GET % (b"/metrics", READ.encode())).body
    done = subprocess.run(
        ["promtool", "check", "metrics"],
        input=text,
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_it_asks_by_the_configuration_of_the_docs(data: Path, tmp_path: Path) -> None:
    assert EXPRESSIONS
    assert ALERTS
    with running(data) as (service, log):
        assert posted(service, TWO_DAYS).status == 200
        log.until("delivery folded")
        config = configured(tmp_path, service.port)
        checked = subprocess.run(
            ["promtool", "check", "config", config], capture_output=True, text=True,
            timeout=PATIENCE_S, check=False,
        )  # fmt: skip
        assert checked.returncode == 0, checked.stdout + checked.stderr
        with prometheus(tmp_path, config) as base:
            asking = (answer(base, "healthlog_worker_alive") for _ in range(PATIENCE))
            [alive] = next(found for found in asking if found)
            assert alive["value"][1] == "1"
            assert [one["value"][1] for one in answer(base, "up")] == ["1"]
            for expression in (*EXPRESSIONS, *ALERTS):
                answer(base, expression)
            [parsed] = answer(base, 'healthlog_deliveries_total{status="parsed"}')
            assert parsed["value"][1] == "1"
            assert answer(base, "healthlog_last_delivery_timestamp_seconds")
