"""A Bot API in a process of its own: for tests that fork, which a process with threads mustn't.

`python -m tests.support.bot_api_process` prints its address, then answers one line of JSON with
another: the name of a command with its arguments.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.support.bot_api import BotApi, bot_api
from tests.support.process import environment
from tests.support.sources import ROOT


class Distant:
    """The client's end: a Bot API elsewhere."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.url = self._line()

    def anew(self) -> None:
        """As if nothing had ever happened."""
        self._ask("anew")

    def voice(self, chat_id: int, content: bytes) -> None:
        self._ask("voice", chat_id, content.hex())

    def large(self, chat_id: int) -> None:
        """Somebody sends a file that is too large."""
        self._ask("large", chat_id)

    def waiting(self) -> int:
        """How many updates are not confirmed."""
        found = self._ask("waiting")
        assert isinstance(found, int)
        return found

    def texts(self) -> list[str]:
        """What the bot has said."""
        found = self._ask("texts")
        assert isinstance(found, list)
        return found

    def _ask(self, *words: object) -> object:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(words) + "\n")
        self._process.stdin.flush()
        return json.loads(self._line())

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


@contextmanager
def distant_bot_api() -> Iterator[Distant]:
    """A Bot API in another process for as long as the block lasts."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.support.bot_api_process"],
        cwd=ROOT,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield Distant(process)
        assert process.stdin is not None
        process.stdin.close()


def _obeyed(api: BotApi, name: str, *words: Any) -> object:
    if name == "anew":
        api.updates.clear()
        api.calls.clear()
        api.sent.clear()
    elif name == "voice":
        api.voice(words[0], bytes.fromhex(words[1]))
    elif name == "large":
        audio = {"file_id": api.file(b"x"), "duration": 1, "file_size": 1 << 30}
        api.message(words[0], audio=audio)
    elif name == "waiting":
        return len(api.updates)
    elif name == "texts":
        return api.texts
    return None


def main() -> None:
    with bot_api() as api:
        print(api.url, flush=True)
        for line in sys.stdin:
            print(json.dumps(_obeyed(api, *json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
