"""`mcp` as an assistant starts it: a process of its own, spoken to over pipes."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from healthlog.mcp.stdio import LONGEST
from tests.support.clock import FakeClock
from tests.support.mcp import mcp_child, request
from tests.support.patience import PATIENCE_S
from tests.support.process import command, serving
from tests.support.reading import DAYS, open_desk, steps
from tests.support.sealed import drop_privileges, sealed

JULY = {"metric": "step_count", "bucket": "day", "from_": "2026-07-01", "to": "2026-08-01"}


def filled(data: Path) -> None:
    with open_desk(data, FakeClock()) as desk:
        desk.send(steps(("2026-07-01 00:00:00 +0200", 8001)), DAYS)


@pytest.mark.scenario("mcp", "Client is led through the handshake")
def test_a_client_is_led_through(data: Path) -> None:
    filled(data)
    with mcp_child(data) as child:
        told = child.greet()
        assert (told["protocolVersion"], told["serverInfo"]["name"]) == ("2025-06-18", "healthlog")
        assert child.ask("ping") == {}
        names = [tool["name"] for tool in child.ask("tools/list")["tools"]]
        assert names[:2] == ["list_metrics", "get_series"]
        result = child.call("get_series", **JULY)
        [one] = result["structuredContent"]["items"]
        assert (one["start"], one["value"]) == ("2026-07-01", 8001)
        assert result["content"][0]["text"].startswith("step_count by day: 1 value;")
        assert child.finish() == (0, b"", "")


@pytest.mark.scenario("mcp", "Line that is no message")
def test_a_line_that_is_too_long_is_passed_over(data: Path) -> None:
    with mcp_child(data) as child:
        child.send(b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * 3 * LONGEST + b'"}\n\n  \r\n')
        answer = child.next()
        assert (answer["id"], answer["error"]["code"]) == (None, -32700)
        assert child.ask("ping") == {}
        # The last line may lack its end.
        child.send(b'{"jsonrpc":"2.0","id":"last","method":"ping"}')
        status, out, _ = child.finish()
        assert (status, out) == (0, b'{"jsonrpc":"2.0","id":"last","result":{}}\n')


@pytest.mark.scenario("mcp", "Service goes on delivering")
def test_a_running_service_is_seen_at_work(data: Path) -> None:
    with serving(data) as service, mcp_child(data) as child:
        child.greet()
        assert "empty" in child.call("list_metrics")["content"][0]["text"]
        before = sorted(data.iterdir())
        for qty in (5000, 7000):
            body = steps(("2026-07-01 00:00:00 +0200", qty))
            assert service.post(body, automation_aggregation="Days")[0] == 200
            service.until("delivery folded")
            [one] = child.call("get_series", **JULY)["structuredContent"]["items"]
            assert one["value"] == qty
        assert sorted(data.iterdir()) == before
        assert service.stop() == 0
        # With the service gone, what it left is read as well.
        [one] = child.call("get_series", **JULY)["structuredContent"]["items"]
        assert one["value"] == 7000
        assert child.finish()[0] == 0
    checked = command("check", "--data", data)
    assert checked.returncode == 0, checked.stdout


@pytest.mark.scenario("mcp", "Nothing to look at")
def test_a_mart_may_come_later(data: Path) -> None:
    with mcp_child(data) as child:
        child.greet()
        result = child.call("list_metrics")
        assert result["isError"] is True
        assert str(data / "mart.db") in result["content"][0]["text"]
        filled(data)
        assert child.call("list_metrics")["isError"] is False


def test_a_sealed_directory_is_read(data: Path) -> None:
    filled(data)
    with sealed(data), mcp_child(data, preexec_fn=drop_privileges) as child:
        child.greet()
        [one] = child.call("get_series", **JULY)["structuredContent"]["items"]
        assert one["value"] == 8001


def test_a_directory_that_is_not_there_ends_it_with_a_sentence(tmp_path: Path) -> None:
    with mcp_child(tmp_path / "nowhere") as child:
        status, out, err = child.finish()
    assert (status, out) == (1, b"")
    assert "nowhere is not there; name it with --data" in err


def test_a_stop_from_outside_ends_it(data: Path) -> None:
    with mcp_child(data) as child:
        child.greet()
        child.process.send_signal(signal.SIGTERM)
        assert child.process.wait(PATIENCE_S) == 1


def test_a_client_that_leaves_ends_it(data: Path) -> None:
    with mcp_child(data) as child:
        child.greet()
        assert child.process.stdout is not None
        child.process.stdout.close()
        child.send(request("ping"))
        assert child.process.wait(PATIENCE_S) == 1
