"""A server that speaks the wire format of OpenAI-compatible endpoints, by a script."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Behaviour = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Endpoint

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked.append(Asked(self.path, dict(self.headers.items()), json.loads(body)))
        at = min(len(self.server.asked), len(self.server.script)) - 1
        self.close_connection = True
        try:
            self.server.script[at](self)
        except OSError:  # whoever asked did not wait for the end
            return

    def give(self, body: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        # Said, or a client may ask again on a line that is about to end.
        own = {"Content-Length": str(len(body)), "Connection": "close"}
        for name, value in {**own, **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        pass


@dataclass
class Asked:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class Endpoint(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script: list[Behaviour] = []
        self.asked: list[Asked] = []
        self.over = threading.Event()  # ends what would dawdle for ever

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


@contextmanager
def listening() -> Iterator[Endpoint]:
    endpoint = Endpoint()
    thread = threading.Thread(target=endpoint.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield endpoint
    finally:
        endpoint.over.set()
        endpoint.shutdown()
        endpoint.server_close()
        thread.join()


def completion(content: object) -> bytes:
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    return json.dumps({"id": "c", "object": "chat.completion", "choices": [choice]}).encode()


def says(verdict: str, reasoning: str = "because") -> Behaviour:
    content = json.dumps({"verdict": verdict, "reasoning": reasoning})
    return lambda client: client.give(completion(content), Content_Type="application/json")


def gives(body: bytes, status: int = 200, **headers: str) -> Behaviour:
    return lambda client: client.give(body, status, **headers)
