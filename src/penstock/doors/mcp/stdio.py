"""Speak the protocol over the wire that `framing` took: messages in, messages out.

Reading lines is `framing`' work, answering the server's. The SDK has a transport of its own; it
holds a line of any length, takes the last of two equal keys, says nothing to what is no message,
and drops answers that are not ready when the input ends.
Always true: what leaves is one whole message a line; what comes in and is none is answered with
the protocol's own error, and the next line is read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from penstock.doors.mcp.framing import INVALID_REQUEST, LineFault, LineReader, Wire, parsed

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.server.lowlevel import Server

Incoming = SessionMessage | Exception


CANCELLED = "notifications/cancelled"
DRAIN = 10.0  # seconds for what was asked before the client closed its end


async def serve(server: Server[Any], wire: Wire) -> None:
    """Serve one client until it closes its end and has its answers."""
    to_server, read = anyio.create_memory_object_stream[Incoming](0)
    write, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    line = StdioClient(wire)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(line.receive, to_server)
        tasks.start_soon(line.send, from_server)
        await server.run(read, write, server.create_initialization_options())
        tasks.cancel_scope.cancel()


class StdioClient:
    """The one client of this process: what it asked and has no answer to yet."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._writing = anyio.Lock()
        self._open: set[types.RequestId] = set()
        self._settled = anyio.Event()

    async def receive(self, server: MemoryObjectSendStream[Incoming]) -> None:
        """Pass on every message that comes, until there are no more."""
        lines = iter(LineReader(self._wire.more))
        async with server:
            while True:
                line = await anyio.to_thread.run_sync(_next, lines, abandon_on_cancel=True)
                if line is None:
                    return await self._drain()
                found = line if isinstance(line, LineFault) else _message(line)
                if isinstance(found, LineFault):
                    await self._write(json.dumps(found.as_json()))
                elif found is not None:
                    self._note(found)
                    await server.send(SessionMessage(found))

    def _note(self, found: types.JSONRPCMessage) -> None:
        """Remember what is to be answered; what the client takes back need not be."""
        if isinstance(found, types.JSONRPCRequest):
            self._open.add(found.id)
        elif isinstance(found, types.JSONRPCNotification) and found.method == CANCELLED:
            self._open.discard((found.params or {}).get("requestId", ""))

    async def _drain(self) -> None:
        """Closing the stream cancels what is being done, so answers go out first."""
        with anyio.move_on_after(DRAIN):
            while self._open:
                self._settled = anyio.Event()
                await self._settled.wait()

    async def send(self, messages: MemoryObjectReceiveStream[SessionMessage]) -> None:
        """Send every message of the server's."""
        async with messages:
            async for one in messages:
                await self._write(one.message.model_dump_json(by_alias=True, exclude_unset=True))
                if isinstance(one.message, types.JSONRPCResponse | types.JSONRPCError):
                    self._open.discard(one.message.id)
                    self._settled.set()

    async def _write(self, text: str) -> None:
        """Write in a thread: a client that reads slowly must not stop everything else."""
        async with self._writing:
            try:
                await anyio.to_thread.run_sync(self._wire.send, text.encode() + b"\n")
            except (BrokenPipeError, ConnectionError):
                return  # the client is gone; its end of input ends us


def _next(lines: Iterator[bytes | LineFault]) -> bytes | LineFault | None:
    return next(lines, None)


def _message(line: bytes) -> types.JSONRPCMessage | LineFault | None:
    if not line.strip():
        return None
    found = parsed(line)
    if isinstance(found, LineFault):
        return found
    try:
        return types.jsonrpc_message_adapter.validate_python(found, by_name=False)
    except ValidationError:
        told = "bad-request: the message is no request, notification or response"
        known = found.get("id")
        named = known if isinstance(known, str | int) else None
        return LineFault(code=INVALID_REQUEST, message=told, request_id=named)
