"""Carry the protocol over streamable HTTP, on loopback.

The SDK's own transport does the sessions, the server is that of every door (`doors.http`); here
is a look at each body before anything reads it.
Always true: only loopback is listened on, another user of the machine and a page of another site
cannot ask (Host and Origin are checked), a body is bounded, and nothing is printed on stdout.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from penstock.core.text.display import in_line
from penstock.doors.http.connection import Bounds
from penstock.doors.http.routes import Head, once
from penstock.doors.http.server import Server, run
from penstock.doors.http.talk import Log
from penstock.doors.mcp.framing import INVALID_REQUEST, LONGEST, LineFault, parsed
from penstock.doors.mcp.peer import stranger

if TYPE_CHECKING:
    import socket

    from mcp.server import lowlevel
    from starlette.types import ASGIApp, Receive, Scope, Send

PATH = "/mcp"
BOUNDS = Bounds(answer=3600.0)  # a call may wait for a person


def serve(server: lowlevel.Server[Any], on: socket.socket) -> None:
    """Serve until a signal says stop; the address is told on stderr."""
    app = server.streamable_http_app(streamable_http_path=PATH, max_request_body_size=LONGEST)
    name = on.getsockname()
    host = f"[{name[0]}]" if ":" in name[0] else name[0]
    _say(f"listening on http://{host}:{name[1]}{PATH}")
    run(Server(BodyCheck(app), admit=_anybody, bounds=BOUNDS, log=Log(_say), lifespan="on"), on)


def _say(line: str, **_facts: object) -> None:
    sys.stderr.write(f"penstock mcp: {in_line(line)}\n")
    sys.stderr.flush()


def _anybody(_head: Head) -> None:
    """Let every head in: who may ask is settled by `BodyCheck` and the SDK."""


class BodyCheck:
    """Refuse bodies that readers could disagree about, before anything reads them."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, its sender and its body looked at."""
        if scope["type"] == "http" and _strange(scope):
            await _answer(
                send, LineFault(code=INVALID_REQUEST, message="not-yours: another user"), 403
            )
            return
        if scope["type"] != "http" or scope.get("method") != "POST":
            await self.app(scope, receive, send)
            return
        body = await _body(receive)
        found = parsed(body) if body is not None else _too_large()
        if isinstance(found, LineFault):
            await _answer(send, found, 413 if body is None else 400)
            return
        await self.app(scope, once(body or b"", receive), send)


def _strange(scope: Scope) -> bool:
    client, server = scope.get("client"), scope.get("server")
    return bool(client and server and stranger(tuple(client), tuple(server)))


async def _body(receive: Receive) -> bytes | None:
    """Return the whole body, None when it is too large."""
    data = bytearray()
    while True:
        message = await receive()
        data += message.get("body", b"")
        if len(data) > LONGEST:
            return None
        if message["type"] != "http.request" or not message.get("more_body", False):
            return bytes(data)


def _too_large() -> LineFault:
    return LineFault(
        code=INVALID_REQUEST, message=f"too-large: the body is longer than {LONGEST} bytes"
    )


async def _answer(send: Send, wrong: LineFault, status: int) -> None:
    body = json.dumps(wrong.as_json()).encode()
    head = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": head})
    await send({"type": "http.response.body", "body": body})
