"""The MCP server: the protocol's requests become calls of tools, their answers its results.

The gate is synchronous and is asked by one thread at a time; a search runs beside it. What a
tool does is in its own module, what a transport carries is `stdio`'s and `http`'s work.
Always true: every call is answered; what Penstock refuses, and what it cannot do, is a tool
error with a code; and that somebody opens the approval page proves nothing.
"""

from __future__ import annotations

import json
import sys
import threading
import time
import traceback
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar
from urllib.parse import quote, unquote

import anyio
import anyio.from_thread
import anyio.to_thread
import mcp_types as types
from mcp.server import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from msgspec import Struct, field
from msgspec.structs import replace

from penstock import __version__
from penstock.app import Workspace
from penstock.core.errors import PenstockError, StoreError
from penstock.core.model import Actor
from penstock.core.text.display import spoken
from penstock.doors.mcp import status_tools
from penstock.doors.mcp.outcome_text import WAITS
from penstock.doors.mcp.results import refusal, result, sendable, shown, status_of
from penstock.doors.mcp.roots import PAGE, Round, roots_of, round_of
from penstock.doors.mcp.tool_call import (
    SERVER,
    Json,
    Progress,
    ToolAnswer,
    ToolCall,
    number_of,
    text_of,
)
from penstock.doors.mcp.tool_table import LONGEST_WAIT, TOOLS, Tool

Context = ServerRequestContext[Any, Any]
T = TypeVar("T")
POLICY = "penstock://policy"
HISTORY = "penstock://history/"
LOOK_EVERY = 0.25  # seconds between two looks at a proposal that is waited for
TELL_EVERY = 0.2  # seconds between two tellings of progress
PAGE_SECONDS = 30.0
INSTRUCTIONS = """Penstock checks every change to the files of this project. Reads and searches \
skip protected files. A write that the rules allow is written at once (status `applied`). A \
write that needs approval is saved as a pending change (status `hitl_required`, with a \
`proposal_id`) and is not written yet: continue with other work, call `proposal_status` later, \
and do not send it again. A denial is an error that says why and what to do instead; do not \
look for a way around it. You can't approve or apply changes; only the user can."""


def made(here: Workspace, *, page: str = "") -> Server[Any]:
    """Return the server of a workspace. `page` is the approval page, `{id}` the proposal."""
    desk = Toolbox(here=here, page=page)
    return Server(
        SERVER,
        version=__version__,
        title="Penstock",
        description="The gate between AI coding agents and a project's files",
        instructions=INSTRUCTIONS,
        on_list_tools=desk.list_tools,
        on_call_tool=desk.call_tool,
        on_list_resources=desk.list_resources,
        on_list_resource_templates=desk.list_templates,
        on_read_resource=desk.read_resource,
    )


class Offer(Struct, frozen=True, kw_only=True):
    """A page on which a person can decide about something that waits."""

    waits: str
    url: str

    @property
    def message(self) -> str:
        """What the person is asked."""
        return f"A change needs your approval ({self.waits}). Open the approval page?"

    @property
    def asked(self) -> types.ElicitRequest:
        """The same as a request, for clients that get it as an answer."""
        params = types.ElicitRequestURLParams(message=self.message, url=self.url)
        return types.ElicitRequest(params=params)


class Toolbox(Struct, dict=True):
    """One workspace's tools and resources, and what their calls share."""

    here: Workspace
    page: str = ""
    gate_turn: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(1))
    search_turn: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(2))

    # -- tools -----------------------------------------------------------------------------

    async def list_tools(self, ctx: Context, params: object) -> types.ListToolsResult:
        """Tell every tool."""
        return types.ListToolsResult(tools=[shown(tool) for tool in TOOLS.values()])

    async def call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Answer one call; whatever happens, the answer is a result."""
        tool = TOOLS.get(params.name)
        if tool is None:
            raise _unknown("tool", params.name)
        try:
            return await self._call(ctx, tool, params)
        except PenstockError as known:
            problem = known
        except Exception:  # noqa: BLE001 - a call without an answer would hang the agent
            traceback.print_exc(file=sys.stderr)
            problem = StoreError(
                "internal",
                "internal error",
                hint="check the server's stderr; the audit log says what was written",
            )
        await self._in_turn(partial(self._tell, ctx, params, problem))
        return refusal(problem)

    async def _call(
        self, ctx: Context, tool: Tool, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        known = round_of(params)
        roots = await roots_of(ctx, known)
        if isinstance(roots, types.InputRequiredResult):
            return roots
        asked = replace(self._asked(ctx, tool.name), roots=roots)
        arguments = tool.checked(params.arguments or {})
        answer = await self._answer(ctx, tool, asked, arguments, known)
        offer = self._page_of(ctx, answer, known)
        if offer is None:
            return result(answer)
        if not ctx.session.can_send_request:
            state = Round(roots=roots, waits=offer.waits).as_text()
            return types.InputRequiredResult(
                input_requests={PAGE: offer.asked}, request_state=state
            )
        await self._open(ctx, offer)
        now = await self._in_turn(partial(status_tools.again, asked, arguments, offer.waits))
        return result(now or answer)

    async def _answer(
        self, ctx: Context, tool: Tool, asked: ToolCall, arguments: Json, known: Round
    ) -> ToolAnswer:
        if known.waits and not tool.reads:
            again = await self._in_turn(partial(status_tools.again, asked, arguments, known.waits))
            if again is not None:
                return again
        run = partial(tool.run, asked, arguments)
        if tool.apart:
            return await self._apart(tool, asked, arguments)
        return await (self._waited(ctx, run, arguments) if tool.waits else self._in_turn(run))

    def _asked(self, ctx: Context, tool: str) -> ToolCall:
        client = ctx.session.client_params
        actor = Actor(
            agent=client.client_info.name[:80] if client else SERVER,
            session=_session(ctx),
            tool_call_id=str(ctx.request_id or ""),
        )
        return ToolCall(here=self.here, tool=tool, actor=actor, progress=_telling(ctx))

    def _tell(
        self, ctx: Context, params: types.CallToolRequestParams, problem: PenstockError
    ) -> None:
        """Put a call that came to nothing on the record."""
        path = text_of(params.arguments or {}, "path")[:1000]
        self._asked(ctx, params.name).add(status_of(problem), path=path, code=problem.code)

    # -- turns -----------------------------------------------------------------------------

    async def _in_turn(self, run: Callable[[], T]) -> T:
        return await anyio.to_thread.run_sync(run, limiter=self.gate_turn)

    async def _apart(self, tool: Tool, asked: ToolCall, arguments: Json) -> ToolAnswer:
        """Run beside the gate; a call that is cancelled stops looking."""
        stop = threading.Event()
        run = partial(tool.run, replace(asked, stopped=stop.is_set), arguments)
        try:
            return await anyio.to_thread.run_sync(
                run, limiter=self.search_turn, abandon_on_cancel=True
            )
        finally:
            stop.set()

    async def _waited(
        self, ctx: Context, run: Callable[[], ToolAnswer], arguments: Json
    ) -> ToolAnswer:
        """Ask again until somebody has answered or the time is over."""
        seconds = min(max(0, number_of(arguments, "wait_seconds") or 0), LONGEST_WAIT)
        end = time.monotonic() + seconds
        while True:
            answer = await self._in_turn(run)
            left = end - time.monotonic()
            if not answer.data["open"] or left <= 0:
                return answer
            await _quietly(ctx.session.report_progress(seconds - left, seconds, "waiting"))
            await anyio.sleep(min(LOOK_EVERY, left))

    # -- the approval page -----------------------------------------------------------------

    def _page_of(self, ctx: Context, answer: ToolAnswer, known: Round) -> Offer | None:
        """Return the offer to open the approval page, made once where a write waits."""
        asks = answer.data.get("status") == WAITS and "open" not in answer.data
        if not (self.page and asks) or known.waits or not _opens_pages(ctx):
            return None
        waits = str(answer.data["proposal_id"])
        return Offer(waits=waits, url=self.page.replace("{id}", quote(waits, safe="")))

    async def _open(self, ctx: Context, offer: Offer) -> None:
        """Offer the page while the call runs; what comes back is no approval."""
        with anyio.move_on_after(PAGE_SECONDS):
            sent = ctx.session.elicit_url(offer.message, offer.url, offer.waits, ctx.request_id)
            await _quietly(sent)

    # -- resources -------------------------------------------------------------------------

    async def list_resources(self, ctx: Context, params: object) -> types.ListResourcesResult:
        """Tell the resource that has a fixed name."""
        policy = types.Resource(
            uri=POLICY,
            name="policy",
            title="The active policy",
            description="Every rule, the defaults and the limits, with the revision.",
            mime_type="application/json",
        )
        return types.ListResourcesResult(resources=[policy])

    async def list_templates(
        self, ctx: Context, params: object
    ) -> types.ListResourceTemplatesResult:
        """Tell how to ask for a file's history."""
        history = types.ResourceTemplate(
            uri_template=HISTORY + "{+path}",
            name="history",
            title="A file's history",
            description="Audit log entries of one file: proposals, answers, writes, denials.",
            mime_type="application/json",
        )
        return types.ListResourceTemplatesResult(resource_templates=[history])

    async def read_resource(
        self, ctx: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult | types.InputRequiredResult:
        """Return a resource; what cannot be had is an error of the protocol."""
        try:
            roots = await roots_of(ctx, round_of(params))
            if isinstance(roots, types.InputRequiredResult):
                return roots
            asked = replace(self._asked(ctx, "read_file"), roots=roots)
            found = await self._in_turn(partial(_resource, asked, params.uri))
        except PenstockError as problem:
            told = sendable(problem.render())
            raise MCPError(types.INVALID_PARAMS, told, sendable(problem.as_json())) from None
        text = json.dumps(found, ensure_ascii=False, indent=2)
        content = types.TextResourceContents(
            uri=params.uri, mime_type="application/json", text=text
        )
        return types.ReadResourceResult(contents=[content])


def _resource(asked: ToolCall, uri: str) -> Json:
    if uri == POLICY:
        return status_tools.policy_in_force(asked)
    if uri.startswith(HISTORY):
        return status_tools.history_of(asked, unquote(uri.removeprefix(HISTORY)))
    raise _unknown("resource", uri)


def _unknown(what: str, name: str) -> MCPError:
    return MCPError(types.INVALID_PARAMS, f"there is no {what} `{sendable(spoken(name[:200]))}`")


def _session(ctx: Context) -> str:
    """Return the session of a client that comes by HTTP."""
    headers = getattr(ctx.request, "headers", None)
    return "" if headers is None else str(headers.get("mcp-session-id", ""))[:80]


def _opens_pages(ctx: Context) -> bool:
    capabilities = ctx.session.client_capabilities
    elicitation = capabilities.elicitation if capabilities else None
    return elicitation is not None and elicitation.url is not None


async def _quietly(sent: Awaitable[object]) -> None:
    """Send something that nobody depends on; that it does not arrive changes nothing."""
    with suppress(MCPError, ValueError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        await sent


def _telling(ctx: Context) -> Progress:
    """Return how a thread tells its progress, not more often than anyone can read."""
    told = [0.0]

    def tell(done: float, total: float | None, what: str) -> None:
        now = time.monotonic()
        if now - told[0] >= TELL_EVERY:
            told[0] = now
            send = partial(ctx.session.report_progress, done, total, what)
            anyio.from_thread.run(_sent, send)

    return tell


async def _sent(send: Callable[[], Awaitable[None]]) -> None:
    await _quietly(send())
