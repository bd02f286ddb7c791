"""A service whose log nobody reads any more."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.bodies import ONE_DAY
from tests.support.patience import PATIENCE_S
from tests.support.process import INGEST, TOKENS, environment
from tests.support.sources import ROOT

LONGEST_PIPE = 64 * 1024
NAME = "n" * 400


@pytest.fixture
def unread(data: Path) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """The service with its port; of its log one line was read, and no more ever is."""
    reader, writer = os.pipe()
    command = [sys.executable, "-m", "healthlog", "serve", "--data", str(data)]
    with subprocess.Popen(
        [*command, "--listen", "127.0.0.1:0"], stdout=writer, cwd=ROOT, env=environment(**TOKENS)
    ) as process:
        os.close(writer)
        try:
            line = b""
            while not line.endswith(b"\n"):
                line += os.read(reader, 1)
            yield process, int(json.loads(line)["listen"].rpartition(":")[2])
        finally:
            os.close(reader)
            process.kill()


@pytest.mark.scenario("operations", "Unread log holds nobody up")
def test_deliveries_are_answered_though_nobody_reads_the_log(
    unread: tuple[subprocess.Popen[bytes], int],
) -> None:
    process, port = unread
    headers = {"Authorization": f"Bearer {INGEST}", "automation-name": NAME}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    for _ in range(2 * LONGEST_PIPE // len(NAME)):
        connection.request("POST", "/ingest", ONE_DAY, headers)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200
    connection.close()
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE_S) == 0
