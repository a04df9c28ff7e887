"""`PenstockMiddleware`: the gate around every tool call of a LangChain agent.

After the model has spoken, all of its calls are looked at together, and a person is asked once
about those that need it, before any of them runs. Then each call is judged as it comes: it
passes, or an error that says why and what to do instead is its answer.
Always true: no tool runs that the rules deny; what a person approved is written by the gate,
compared with what the file held when they were asked.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from shlex import quote
from typing import Annotated, Any, NotRequired

from langchain.agents.middleware.types import (
    AgentMiddleware,
    AgentState,
    PrivateStateAttr,
    ToolCallRequest,
)
from langchain_core.messages import ToolMessage
from langgraph.func import task
from langgraph.runtime import Runtime
from pydantic import ValidationError

from penstock.app import open_workspace
from penstock.core.errors import RefusedError
from penstock.core.model import Verdict
from penstock.doors.langgraph.thread import thread_here
from penstock.doors.langgraph.tools.answers import (
    ToolReply,
    ToolRun,
    ask_and_settle,
    failed,
    settle,
)
from penstock.doors.langgraph.tools.calls import FAULTS, CallEntry, GraphCall, told
from penstock.doors.langgraph.tools.messages import (
    ASKED,
    Answer,
    asked_of,
    message_of,
    pending,
    wanted_of,
    with_notes,
)
from penstock.doors.langgraph.tools.review import decided
from penstock.doors.langgraph.tools.watch import watching
from penstock.doors.langgraph.tools.writes import ToolGate, written
from penstock.gate.doors import Door


class PenstockState(AgentState[Any]):
    """What the middleware keeps between the question and the tools: plain JSON values."""

    penstock_asked: NotRequired[Annotated[dict[str, Any], PrivateStateAttr]]


class PenstockMiddleware(AgentMiddleware[Any, Any, Any]):
    """Give an agent the gate: `create_agent(model, tools, middleware=[PenstockMiddleware()])`.

    List it last, so that what it judges is what runs.
    """

    state_schema = PenstockState

    def __init__(
        self,
        project_root: str | os.PathLike[str] | None = None,
        *,
        cwd: str | os.PathLike[str] | None = None,
        attended: bool | None = None,
        virtual_paths: bool = False,
        confined: bool = True,
        agent: str = "langchain",
        state: str | None = None,
    ) -> None:
        """Guard the project at a directory, or the one that the working directory lies in.

        `cwd` is where the tools' relative paths start (the project's root where one is named,
        else the working directory). Without a checkpointer, or with `attended` false, nobody
        is asked: what needs a person waits in the queue, and the tool does not run.
        `virtual_paths` is for the file tools of deepagents, whose `/` is the project's root.
        Writes outside the project are denied unless a rule allows them; with `confined` false
        the rules alone decide.
        """
        super().__init__()
        named = None if project_root is None else os.fspath(project_root)
        here = open_workspace(named, state=state, door=Door.GRAPH)
        base = os.fspath(cwd) if cwd is not None else "" if named is not None else os.getcwd()
        self.attended = attended
        self.tool_gate = ToolGate(
            here=here,
            agent=agent,
            cwd=os.path.abspath(base) if base else here.root,
            virtual=virtual_paths,
            confined=confined,
        )
        # LangGraph remembers a task with its step: when the step is run again the calls are not
        # looked at anew, so that an answer meets exactly the question that was asked.
        remembered: Any = task(name="penstock")
        self._look = remembered(self.tool_gate.look)

    # -- one question for all calls of a message ----------------------------------------------

    def after_model(self, state: Any, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Ask a person once about all calls of the message that need it."""
        del runtime
        calls = pending(state)
        if not calls:
            return None
        found: dict[str, CallEntry] = self._look(calls).result()
        return self._update(state, calls, found)

    async def aafter_model(self, state: Any, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Do the same in an agent that runs asynchronously."""
        del runtime
        calls = pending(state)
        if not calls:
            return None
        found: dict[str, CallEntry] = await self._look(calls)
        return await asyncio.to_thread(self._update, state, calls, found)

    def _update(
        self, state: Any, calls: list[GraphCall], found: dict[str, CallEntry]
    ) -> dict[str, Any] | None:
        kept = decided(self.tool_gate, calls, found) if self._asks() else found
        return {ASKED: kept} if kept or state.get(ASKED) else None

    def _asks(self) -> bool:
        return self.attended is not False and thread_here().resumable

    # -- each call as it comes -----------------------------------------------------------------

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Answer]
    ) -> Answer:
        """Let a call pass, or answer in its place."""
        found = self._before(request)
        if isinstance(found, ToolMessage):
            return found
        passed, run = found
        with watching(self.tool_gate, run.wanted, run.judged):
            answer = handler(passed)
        return with_notes(answer, run.judged)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Answer]]
    ) -> Answer:
        """Do the same in an agent that runs asynchronously."""
        found = await asyncio.to_thread(self._before, request)
        if isinstance(found, ToolMessage):
            return found
        passed, run = found
        watch = watching(self.tool_gate, run.wanted, run.judged)
        await asyncio.to_thread(watch.__enter__)
        try:
            answer = await handler(passed)
        finally:
            await asyncio.to_thread(watch.__exit__, None, None, None)
        return with_notes(answer, run.judged)

    def _before(self, request: ToolCallRequest) -> ToolMessage | tuple[ToolCallRequest, ToolRun]:
        wanted = wanted_of(request.tool_call)
        asked = asked_of(request, wanted)
        try:
            said = self._judged(wanted) if asked is None else settle(self.tool_gate, wanted, asked)
        except ValidationError:  # an answer that does not fit: it can be given again
            raise
        except RefusedError as no:
            said = ToolReply(text=f"Denied: {told(no)}", facts=failed(no).facts)
        except FAULTS as problem:  # what cannot be judged or recorded does not run
            text = f"Denied: Penstock could not judge this call: {told(problem)}"
            said = ToolReply(text=text, facts=failed(problem).facts)
        if isinstance(said, ToolReply):
            return message_of(wanted, said)
        args = self._sent_back(request, said.wanted.args)
        call: Any = {**request.tool_call, "args": args}
        return request.override(tool_call=call), said

    def _sent_back(self, request: ToolCallRequest, args: Mapping[str, object]) -> dict[str, object]:
        """Let a shell that lives on between calls begin where its commands are judged from.

        After `cd .git` the harmless `echo > config` would be another command than was judged.
        """
        command = args.get("command")
        lives_on = request.tool is not None and "restart" in request.tool.args
        if not (lives_on and isinstance(command, str)):
            return dict(args)
        return {
            **args,
            "command": f"command cd -- {quote(self.tool_gate.cwd)} || exit 1\n{command}",
        }

    def _judged(self, wanted: GraphCall) -> ToolReply | ToolRun:
        """Judge a call that was not in the message, was changed since, or needed nobody."""
        tools = self.tool_gate
        judged = tools.require(wanted)
        asks = judged.decision.verdict is Verdict.ASK
        if asks or tools.proposed_before(wanted, written(judged)):
            return ask_and_settle(tools, wanted, judged, asks=self._asks())
        tools.record(wanted, judged.decision, would=judged.would)
        return ToolRun(wanted=wanted, judged=judged)
