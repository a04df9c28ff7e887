"""An application behind the server: whole answers, streams, clients that leave or dawdle."""

from __future__ import annotations

import asyncio
import http.client
import socket
import threading
from collections.abc import AsyncIterator, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Send

from penstock.doors.http.connection import Bounds
from penstock.doors.http.routes import LARGE, SMALL, Route, Routes
from penstock.doors.http.server import Server
from penstock.doors.http.talk import Log
from tests.doors.http.running_server import everything, in_thread

WITHIN = 20.0
PIECE, MOST_PIECES = b"x" * 65536, 100_000


@dataclass
class Seen:
    """What happened inside the application."""

    left: threading.Event = field(default_factory=threading.Event)
    written: int = 0
    scopes: list[MutableMapping[str, Any]] = field(default_factory=list)


@dataclass
class Application:
    """Does what the path says."""

    seen: Seen

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        self.seen.scopes.append(scope)
        await getattr(self, scope["path"].split("/")[1] or "whole")(scope, receive, send)

    async def start(self, send: Send, *headers: tuple[bytes, bytes], status: int = 200) -> None:
        await send({"type": "http.response.start", "status": status, "headers": list(headers)})

    async def piece(self, send: Send, body: bytes, *, more: bool = False) -> None:
        await send({"type": "http.response.body", "body": body, "more_body": more})

    async def whole(self, scope: Any, receive: Receive, send: Send) -> None:
        body = (await receive())["body"]
        await self.start(send, (b"x-sent", b"%d" % len(body)), (b"content-length", b"5"))
        await self.piece(send, b"hello")

    async def sized(self, scope: Any, receive: Receive, send: Send) -> None:
        await self.start(send, (b"content-length", b"10"))
        await self.piece(send, b"12345", more=True)
        await self.piece(send, b"67890")

    async def pieces(self, scope: Any, receive: Receive, send: Send) -> None:
        await self.start(send)
        for part in (b"one ", b"", b"two ", b"three"):
            await self.piece(send, part, more=True)
        await self.piece(send, b"")

    async def sneaky(self, scope: Any, receive: Receive, send: Send) -> None:
        await self.start(
            send,
            (b"x-a", b"1\r\nX-B: 2"),
        )
        await self.piece(send, b"ok")

    async def silent(self, scope: Any, receive: Receive, send: Send) -> None:
        pass

    async def fails(self, scope: Any, receive: Receive, send: Send) -> None:
        raise RuntimeError("not a word of this")

    async def breaks(self, scope: Any, receive: Receive, send: Send) -> None:
        await self.start(send)
        await self.piece(send, b"half", more=True)
        raise RuntimeError("not a word of this")

    async def endless(self, scope: Any, receive: Receive, send: Send) -> None:
        async def pieces() -> AsyncIterator[bytes]:
            for _ in range(MOST_PIECES):
                yield PIECE
                self.seen.written += 1
                await asyncio.sleep(0)

        try:
            await receive()
            await StreamingResponse(pieces())(scope, receive, send)
        finally:
            self.seen.left.set()

    async def waits(self, scope: Any, receive: Receive, send: Send) -> None:
        await receive()
        await self.start(send)
        await self.piece(send, b"first\n", more=True)
        try:
            assert (await receive())["type"] == "http.disconnect"
        finally:
            self.seen.left.set()


@dataclass
class Running:
    port: int
    seen: Seen
    told: list[str]

    def raw(self, text: str, *, more: str = "") -> bytes:
        with socket.create_connection(("127.0.0.1", self.port), timeout=WITHIN) as client:
            client.sendall(text.encode())
            if more:
                client.sendall(more.encode())
            client.shutdown(socket.SHUT_WR)
            return everything(client)

    def get(self, path: str, method: str = "GET", body: bytes | None = None) -> tuple[int, bytes]:
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WITHIN)
        try:
            client.request(method, path, body)
            response = client.getresponse()
            return response.status, response.read()
        finally:
            client.close()


def is_known(headers: Mapping[str, str]) -> bool:
    return headers.get("x-known") == "1"


@contextmanager
def running(**bounds: float) -> Iterator[Running]:
    seen, told = Seen(), list[str]()
    log = Log(lambda line, **_: told.append(line))
    hook = Route(method="POST", path="/hook/x", app=Response(b"{}"))
    routes = Routes([hook], rest=Application(seen), known=is_known, log=log)
    limits = Bounds(**bounds)  # type: ignore[arg-type]
    with in_thread(Server(routes, admit=routes.admit, bounds=limits, log=log)) as port:
        yield Running(port, seen, told)


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running() as one:
        yield one


HEAD = "GET {path} HTTP/1.{minor}\r\nHost: 127.0.0.1\r\n{more}\r\n"


def request(path: str, minor: int = 1, more: str = "") -> str:
    return HEAD.format(path=path, minor=minor, more=more)


def test_whole_answers_follow_each_other_on_one_connection(server: Running) -> None:
    found = server.raw(request("/whole"), more=request("/sized"))
    first, second = found.split(b"HTTP/1.1 200 OK\r\n")[1:]
    assert first.endswith(b"\r\n\r\nhello")
    assert second.endswith(b"\r\n\r\n1234567890")


def test_a_stream_goes_out_in_chunks_and_the_connection_stays(server: Running) -> None:
    found = server.raw(request("/pieces"), more=request("/whole"))
    assert b"\r\n\r\n4\r\none \r\n4\r\ntwo \r\n5\r\nthree\r\n0\r\n\r\nHTTP/1.1 200" in found
    assert server.get("/pieces") == (200, b"one two three")


@pytest.mark.parametrize("path", ["/whole", "/pieces", "/sized"])
def test_who_asks_for_the_head_gets_no_body(server: Running, path: str) -> None:
    text = request(path).replace("GET", "HEAD", 1)
    found = server.raw(text, more=request("/whole"))
    rest = found.partition(b"\r\n\r\n")[2]
    assert rest.startswith(b"HTTP/1.1 200 OK"), "the next answer follows at once"


def test_an_application_cannot_write_lines_of_the_head(server: Running) -> None:
    found = server.raw(request("/sneaky"))
    assert b"X-B" not in found


def test_the_scope_tells_what_was_asked(server: Running) -> None:
    server.raw(request("/whole/%C3%A4%20b?x=1&y=%2F", more="X-Thing: a\r\n"))
    scope = server.seen.scopes[-1]
    assert scope["path"] == "/whole/ä b"
    assert scope["raw_path"] == b"/whole/%C3%A4%20b"
    assert scope["query_string"] == b"x=1&y=%2F"
    assert (b"x-thing", b"a") in scope["headers"]


@pytest.mark.parametrize("path", ["/fails", "/silent"])
def test_what_cannot_be_answered_is_told_without_a_word_of_why(server: Running, path: str) -> None:
    status, body = server.get(path)
    assert status == 500
    assert b"not a word" not in body
    assert any(line.startswith("500 GET") for line in server.told)


def test_a_path_cannot_begin_a_line_of_the_log(server: Running) -> None:
    server.get("/fails/%0Apenstock%20serve:%20stopped")
    assert any("%0Apenstock" in line for line in server.told)
    assert not any("\n" in line for line in server.told)


def test_half_an_answer_does_not_look_like_a_whole_one(server: Running) -> None:
    with pytest.raises((http.client.IncompleteRead, ConnectionError)):
        server.get("/breaks")


@pytest.mark.parametrize(
    ("size", "known", "status"),
    [(SMALL, "0", 200), (SMALL + 1, "0", 413), (SMALL + 1, "1", 200), (LARGE + 1, "1", 413)],
)
def test_who_is_not_known_sends_little(server: Running, size: int, known: str, status: int) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=WITHIN) as client:
        more = f"X-Known: {known}\r\nContent-Length: {size}\r\nConnection: close\r\n"
        client.sendall(request("/whole", more=more).replace("GET", "POST", 1).encode())
        if status == 200:
            client.sendall(b"x" * size)
        assert everything(client).startswith(f"HTTP/1.1 {status} ".encode())


def test_a_client_that_does_not_read_is_waited_for_and_then_cut_off() -> None:
    with running(body=0.5) as server:
        client = socket.create_connection(("127.0.0.1", server.port), timeout=WITHIN)
        client.sendall(request("/endless").encode())
        assert server.seen.left.wait(WITHIN), "the application goes on for ever"
        assert server.seen.written < 400, "what nobody reads is not kept in memory"
        client.close()


def test_a_client_that_leaves_ends_the_stream(server: Running) -> None:
    server.seen.left.clear()
    client = socket.create_connection(("127.0.0.1", server.port), timeout=WITHIN)
    client.sendall(request("/waits").encode())
    assert b"first" in client.recv(65536)
    client.close()
    assert server.seen.left.wait(WITHIN)


def test_a_stop_ends_a_stream_with_its_last_chunk() -> None:
    with running() as server:
        client = socket.create_connection(("127.0.0.1", server.port), timeout=WITHIN)
        client.sendall(request("/waits").encode())
        assert b"first" in client.recv(65536)
    assert server.seen.left.is_set()
    assert everything(client) == b"0\r\n\r\n"
    client.close()


@pytest.mark.parametrize("path", ["/hook", "/hook/", "/hook/y", "/hookx", "/healthz", "/readyz"])
def test_what_is_the_hooks_never_reaches_the_application(server: Running, path: str) -> None:
    before = len(server.seen.scopes)
    assert server.get(path)[0] == 404
    assert len(server.seen.scopes) == before


def test_the_hook_answers_beside_it(server: Running) -> None:
    assert server.get("/hook/x", "POST", b"{}") == (200, b"{}")
