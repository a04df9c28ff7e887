"""A service on this machine that takes messages: it answers, refuses or hangs as it is told."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DEADLINE = 60.0


class Mailbox:
    """What came in, in order; `status` is what is answered, `open` lets requests end."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.status = 200
        self.got: list[dict[str, Any]] = []
        self.asked = 0
        self.open = threading.Event()
        self.open.set()
        self._changed = threading.Condition()

    @property
    def target(self) -> str:
        return f"json://user:s3cr3t-t0k3n@127.0.0.1:{self.port}/s3cr3t-path"

    def take(self, body: bytes) -> int:
        with self._changed:
            self.asked += 1
            self._changed.notify_all()
        self.open.wait(DEADLINE)
        with self._changed:
            if self.status == 200:
                self.got.append(json.loads(body))
            self._changed.notify_all()
        return self.status

    def until(self, condition: Callable[[], bool]) -> None:
        """Wait until something came, and fail if nothing does."""
        end = time.monotonic() + DEADLINE
        with self._changed:
            while not condition():
                left = end - time.monotonic()
                assert left > 0, f"this never came; there were {self.got}"
                self._changed.wait(left)


@contextmanager
def mailbox() -> Iterator[Mailbox]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            status = box.take(body)
            try:
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()
            except OSError:
                return  # whoever asked has gone

        def log_request(self, code: object = "-", size: object = "-") -> None:
            """Say nothing on stderr."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        box = Mailbox(server.server_address[1])
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield box
        finally:
            box.open.set()
            server.shutdown()
            thread.join()
