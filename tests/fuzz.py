"""Random questions at every address of a filled log: `python -m tests.fuzz SCHEMATHESIS …`.

Options behind it are for schemathesis: `--seed N` asks the same questions again.

A service of its own is filled with every case of the format, then asked by schemathesis what
`/openapi.json` says can be asked: all with the read token, then the door with its own. It fails on
any 5xx, on an answer that isn't described, on a wrong parameter that is taken, and on a right one
that is refused. It takes three minutes at most.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.folding import CASES, MINUTES
from tests.support.process import INGEST, READ, Child, serving
from tests.support.spoken import M4A

EXAMPLES = 30
MOST_S = 180
CHECKS = (
    *("not_a_server_error", "status_code_conformance", "content_type_conformance"),
    *("response_headers_conformance", "response_schema_conformance"),
    *("negative_data_rejection", "unsupported_method"),
)  # Not ignored_auth: it shows wrong tokens by the hundred, and their answers are held back.
RIGHT_IS_TAKEN = "positive_data_acceptance"
# What no schema can tell right from wrong; left out where all that is right must be taken.
OPAQUE = {"cursor", "since", "unit", "tz", "layer"}
API = "/api/v1"
# Of what a parameter is given, so much is really there; the rest is made up.
SHARE = 0.7


def fill(child: Child) -> None:
    """Every case, once as it stands and once in minutes; returns when all are folded. Three
    recordings, at which nobody works."""
    for _ in range(3):
        assert child.record(M4A)[0] == 201
    last = ""
    for path in sorted(CASES.iterdir()):
        for headers in ({}, {"automation_aggregation": MINUTES}):
            status, said = child.post(path.read_bytes(), **headers)
            assert status in {200, 400}, said  # a cut body is refused
            last = said.get("delivery_id", last)
    child.until("delivery folded", delivery_id=last)


def known(child: Child) -> dict[str, list[str]]:
    """Values that are there, by the parameters that take them."""
    metrics, records, points, deliveries = (
        child.get(f"{API}/{path}")[1]
        for path in ("metrics", "records", "points?metric=step_count&limit=20", "deliveries")
    )
    days = sorted({one["day"] for one in points["items"] + records["items"] if "day" in one})
    times = [*days, *(one["at"] for one in points["items"] if "at" in one)]
    pages = [child.get(f"{API}/{name}?limit=1")[1]["next"] for name in ("metrics", "records")]
    return {
        "query.metric": [one["name"] for one in metrics["items"]],
        "query.cursor": [one for one in (*pages, points["next"]) if one],
        "query.since": [child.get(f"{API}/changes")[1]["cursor"]],
        **dict.fromkeys(("query.from", "query.to", "query.at"), times),
        "query.tz": ["UTC", "Europe/Berlin", "Pacific/Apia", "Asia/Kathmandu"],
        "path.day": days,
        "path.key": [one["key"] for one in records["items"]],
        "path.id": [one["delivery_id"] for one in deliveries["items"]]
        + [one["recording_id"] for one in child.get(f"{API}/recordings")[1]["items"]],
        "query.q": ["fox", "quick brown", "a"],
    }


def settings(values: Mapping[str, Sequence[str]]) -> str:
    """The settings of schemathesis, in which JSON's texts and lists are TOML's, too."""
    lists = [f"{json.dumps(name)} = {{ values = {json.dumps(of)} }}" for name, of in values.items()]
    uses = [
        f"{json.dumps(name)} = {{ dictionary = {json.dumps(name)}, probability = {SHARE} }}"
        for name in values
    ]
    return "\n".join(["[dictionaries]", *lists, "[parameters]", *uses, ""])


def without(document: dict[str, Any], names: Container[str]) -> dict[str, Any]:
    """The document without these parameters, where they aren't needed."""
    for operations in document["paths"].values():
        for one in operations.values():
            one["parameters"] = [
                each for each in one["parameters"] if each["required"] or each["name"] not in names
            ]
    return document


@dataclass(frozen=True, slots=True)
class Fuzzer:
    """schemathesis, with the folder it works in, the service it asks, until when, and options."""

    program: str
    folder: Path
    url: str
    deadline: float
    more: Sequence[str]

    def ask(
        self, document: Mapping[str, Any], checks: Sequence[str], token: str, *choice: str
    ) -> bool:
        """One run: whether all was well. TimeoutExpired when the time is used up."""
        (self.folder / "openapi.json").write_text(json.dumps(document))
        command = [self.program, "--config-file", "schemathesis.toml", "run", "openapi.json"]
        command += ["--url", self.url, "--header", f"Authorization:Bearer {token}"]
        command += ["--checks", ",".join(checks), "--phases", "coverage,fuzzing"]
        # One worker: ast.parse of Python 3.11, which hypothesis calls, fails in several threads.
        command += ["--max-examples", str(EXAMPLES), "--workers", "1"]
        command += ["--continue-on-failure", "--request-timeout", "10", *self.more, *choice]
        left_s = self.deadline - time.monotonic()
        return subprocess.run(command, cwd=self.folder, timeout=left_s, check=False).returncode == 0


def main(program: str, *more: str) -> int:
    right = (*CHECKS, RIGHT_IS_TAKEN)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "data").mkdir(mode=0o700)
        with serving(folder / "data", HEALTHLOG_RECORDINGS_WORKERS="0") as child:
            fill(child)
            (folder / "schemathesis.toml").write_text(settings(known(child)))
            document = child.get("/openapi.json")[1]
            url, deadline = f"http://127.0.0.1:{child.port}", time.monotonic() + MOST_S
            fuzzer = Fuzzer(program, folder, url, deadline, more)
            read = ("--exclude-path", "/ingest", "--exclude-path", "/recordings")
            well = [
                fuzzer.ask(document, CHECKS, READ, *read),
                fuzzer.ask(document, right, INGEST, "--include-path", "/ingest"),
                # What is audio, no schema can say.
                fuzzer.ask(document, CHECKS, INGEST, "--include-path", "/recordings"),
                fuzzer.ask(without(document, OPAQUE), right, READ, *read),
            ]
            child.stop()
            # Whoever stops a recording is told so as loudly as of any other stop.
            told = (line for line in child.lines if line["msg"] != "recording stopped")
            failed = [line for line in told if line["level"] == "ERROR"]
    for line in failed:
        print(json.dumps(line, indent=1))
    return 0 if all(well) and not failed else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
