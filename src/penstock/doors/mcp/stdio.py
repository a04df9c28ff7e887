"""Speak the protocol over the wire that `wire` took: messages in, messages out.

Reading lines is `lines`' work, answering the server's.
Always true: what leaves is one whole message a line; what comes in and is none is answered with
the protocol's own error, and the next line is read.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from penstock.doors.mcp.lines import INVALID_REQUEST, Lines, Wrong, parsed
from penstock.doors.mcp.wire import Wire

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.server.lowlevel import Server

Incoming = SessionMessage | Exception


async def serve(server: Server[Any], wire: Wire) -> None:
    """Serve one client until it closes its end."""
    async with _streams(wire) as (read, write):
        await server.run(read, write, server.create_initialization_options())


@asynccontextmanager
async def _streams(
    wire: Wire,
) -> AsyncIterator[
    tuple[MemoryObjectReceiveStream[Incoming], MemoryObjectSendStream[SessionMessage]]
]:
    to_server, read = anyio.create_memory_object_stream[Incoming](0)
    write, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    sending = anyio.Lock()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_receive, wire, to_server, sending)
        tasks.start_soon(_send, wire, from_server, sending)
        yield read, write
        tasks.cancel_scope.cancel()


async def _receive(
    wire: Wire, server: MemoryObjectSendStream[Incoming], sending: anyio.Lock
) -> None:
    lines = iter(Lines(wire.more))
    async with server:
        while True:
            line = await anyio.to_thread.run_sync(_next, lines, abandon_on_cancel=True)
            if line is None:
                return
            found = line if isinstance(line, Wrong) else _message(line)
            if isinstance(found, Wrong):
                await _answer(wire, found, sending)
            elif found is not None:
                await server.send(SessionMessage(found))


def _next(lines: Iterator[bytes | Wrong]) -> bytes | Wrong | None:
    return next(lines, None)


def _message(line: bytes) -> types.JSONRPCMessage | Wrong | None:
    if not line.strip():
        return None
    found = parsed(line)
    if isinstance(found, Wrong):
        return found
    try:
        return types.jsonrpc_message_adapter.validate_python(found, by_name=False)
    except ValidationError:
        told = "bad-request: the message is no request, notification or response"
        known = found.get("id")
        named = known if isinstance(known, str | int) else None
        return Wrong(code=INVALID_REQUEST, message=told, request_id=named)


async def _send(
    wire: Wire, messages: MemoryObjectReceiveStream[SessionMessage], sending: anyio.Lock
) -> None:
    async with messages:
        async for one in messages:
            text = one.message.model_dump_json(by_alias=True, exclude_unset=True)
            await _write(wire, text, sending)


async def _answer(wire: Wire, wrong: Wrong, sending: anyio.Lock) -> None:
    await _write(wire, json.dumps(wrong.as_json()), sending)


async def _write(wire: Wire, text: str, sending: anyio.Lock) -> None:
    """Write in a thread: a client that reads slowly must not stop everything else."""
    async with sending:
        try:
            await anyio.to_thread.run_sync(wire.send, text.encode() + b"\n")
        except (BrokenPipeError, ConnectionError):
            return  # the client is gone; its end of input ends us
