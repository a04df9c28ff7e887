"""Ask the client for its roots, and remember them where a request must be sent twice.

The workspace is the boundary that the gate holds; roots can only make it narrower. Clients of
the handshake era are asked while the call runs; newer ones get the question as an answer and
send the call again, with the roots.
Always true: a client that says it has roots, and does not tell them, gets nothing done.
"""

from __future__ import annotations

import json
import os
from typing import Any
from urllib.parse import unquote, urlsplit

import anyio
import mcp_types as types
from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from msgspec import Struct
from msgspec.structs import replace
from pydantic import ValidationError

from penstock.core.errors import InputError, RefusedError

SECONDS = 10.0
MOST = 64
ROOTS, PAGE = "roots", "approval_page"


class Round(Struct, frozen=True, kw_only=True):
    """What earlier rounds of one call have settled; None for roots means not known yet."""

    roots: tuple[str, ...] | None = None
    waits: str = ""

    def as_text(self) -> str:
        """Return it as the state that a client sends back."""
        roots = None if self.roots is None else list(self.roots)
        return json.dumps({"roots": roots, "waits": self.waits})


def round_of(params: types.InputResponseRequestParams) -> Round:
    """Return what a call brings back; what is none of ours counts as nothing."""
    found = Round()
    try:
        state = json.loads(params.request_state or "{}")
        roots, waits = state.get("roots"), state.get("waits", "")
        if isinstance(roots, list) and all(isinstance(root, str) for root in roots):
            found = replace(found, roots=tuple(roots[:MOST]))
        if isinstance(waits, str):
            found = replace(found, waits=waits)
    except (ValueError, AttributeError, RecursionError):
        found = Round()
    answer = (params.input_responses or {}).get(ROOTS)
    if isinstance(answer, types.ListRootsResult):
        found = replace(found, roots=resolved(answer))
    return found


async def roots_of(
    ctx: ServerRequestContext[Any, Any], known: Round
) -> tuple[str, ...] | types.InputRequiredResult:
    """Return the client's roots, or the answer that asks it for them."""
    if known.roots is not None:
        return known.roots
    capabilities = ctx.session.client_capabilities
    if capabilities is None or capabilities.roots is None:
        return ()
    if not ctx.session.can_send_request:
        return types.InputRequiredResult(
            input_requests={ROOTS: types.ListRootsRequest()}, request_state=known.as_text()
        )
    return resolved(await _asked(ctx))


async def _asked(ctx: ServerRequestContext[Any, Any]) -> types.ListRootsResult:
    try:
        with anyio.fail_after(SECONDS):
            return await ctx.session.send_request(
                types.ListRootsRequest(),
                types.ListRootsResult,
                metadata=ServerMessageMetadata(related_request_id=ctx.request_id),
            )
    except (MCPError, ValidationError, TimeoutError) as problem:
        raise RefusedError(
            "roots-unknown",
            "the client has roots but does not list them",
            because=str(problem) or f"there was no answer within {SECONDS:.0f} seconds",
            hint="the client should answer roots/list, or not declare roots",
        ) from None


def resolved(answer: types.ListRootsResult) -> tuple[str, ...]:
    """Return the roots as resolved directories; one that is no directory here is no root.

    A client that names none sets no boundary. One whose roots are all elsewhere does.
    """
    if not answer.roots:
        return ()
    if len(answer.roots) > MOST:
        raise InputError("too-many-roots", f"the client names more than {MOST} roots")
    found = [path for root in answer.roots if (path := _path(str(root.uri)))]
    if not found:
        raise RefusedError("outside-roots", "none of the client's roots is a directory here")
    return tuple(os.path.realpath(path) for path in found)


def _path(uri: str) -> str:
    parts = urlsplit(uri)
    path = unquote(parts.path)
    local = parts.scheme == "file" and parts.netloc in ("", "localhost")
    return path if local and path.startswith("/") and "\0" not in path else ""
