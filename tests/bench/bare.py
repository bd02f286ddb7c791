"""A bare server, the floor of accepting: `python -m tests.bench.bare FOLDER` prints its port.

It does what has to be done for a body to be safe and nothing else: reads it, hashes and compresses
it at the same level, writes body and meta, syncs both and their folder, inserts a row.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
import sqlite3
import sys
import threading
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

_PIECE = 64 * 1024


class Bare(ThreadingHTTPServer):
    """Threads of one connection each, one lock around the row."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.folder = folder
        self.number = 0
        self.lock = threading.Lock()
        self.rows = sqlite3.connect(
            folder / "bare.db", isolation_level=None, check_same_thread=False
        )
        self.rows.execute("PRAGMA journal_mode = wal")
        self.rows.execute("PRAGMA synchronous = FULL")
        self.rows.execute("CREATE TABLE d (id INTEGER PRIMARY KEY, size INT, sha256 TEXT)")

    def keep(self, handler: Handler) -> dict[str, object]:
        with self.lock:
            self.number += 1
            number = self.number
        path = self.folder / f"{number:08}.json.gz"
        digest, packer = hashlib.sha256(), zlib.compressobj(1, zlib.DEFLATED, 31)
        size = left = int(handler.headers["Content-Length"])
        with open(path.with_suffix(".part"), "wb", buffering=0) as body:
            while left:
                piece = handler.rfile.read1(min(left, _PIECE))
                left -= len(piece)
                digest.update(piece)
                body.write(packer.compress(piece))
            body.write(packer.flush())
            os.fsync(body.fileno())
        meta = {"id": number, "size": size, "sha256": digest.hexdigest()}
        with self.lock:
            with open(path.with_suffix(".meta.part"), "wb", buffering=0) as beside:
                beside.write(json.dumps(meta).encode())
                os.fsync(beside.fileno())
            os.rename(path.with_suffix(".meta.part"), path.with_suffix(".meta"))
            os.rename(path.with_suffix(".part"), path)
            self._sync_folder()
            self.rows.execute("INSERT INTO d VALUES (?, ?, ?)", (number, size, meta["sha256"]))
        return meta

    def _sync_folder(self) -> None:
        folder = os.open(self.folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


class Handler(BaseHTTPRequestHandler):
    """Answers a POST once its body is safe."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Bare

    def do_POST(self) -> None:
        answer = json.dumps(self.server.keep(self)).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Nobody reads it."""


def main() -> int:
    server = Bare(Path(sys.argv[1]))
    assert server.socket.family == socket.AF_INET
    print(server.server_port, flush=True)
    server.serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main())
