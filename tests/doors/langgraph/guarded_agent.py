"""An agent whose tools PenstockMiddleware guards; only the model is scripted."""

from __future__ import annotations

from typing import Any

from langchain.agents import create_agent
from langchain_core.tools import BaseTool, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from penstock.doors.langgraph.middleware import PenstockMiddleware
from tests.doors.langgraph.scripted_model import Call, Scripted, tools_of
from tests.project import Project

LONG = "".join(f"line {number}\n" for number in range(270))
SHORT = "".join(f"new {number}\n" for number in range(56))
THREAD: Any = {"configurable": {"thread_id": "t-1"}}
START: Any = {"messages": [("user", "go on")]}
REPLACED: Call = ("write_file", {"file_path": "app.py", "content": SHORT})


class Guarded:
    """One agent with its project; `ran` names every tool that really ran.

    `before` are other middlewares, which see each call first.
    """

    def __init__(self, project: Project, *turns: list[Call], **options: Any) -> None:
        self.project = project
        self.ran: list[str] = []
        self.saver: Any = options.pop("saver", InMemorySaver())
        self.more: list[BaseTool] = options.pop("tools", [])
        self.before: list[Any] = options.pop("before", [])
        self.model = Scripted(turns=list(turns))
        self.options = options
        self.agent = self.build()

    def build(self) -> Any:
        """Make the agent, as a program that starts anew does."""
        return create_agent(
            self.model,
            [*tools_of(self.project.root, self.ran), *self.more],
            middleware=[*self.before, PenstockMiddleware(self.project.root, **self.options)],
            checkpointer=self.saver,
        )

    def start(self) -> Any:
        return self.agent.invoke(START, THREAD)

    def resume(self, *decisions: dict[str, Any]) -> Any:
        return self.agent.invoke(Command(resume={"decisions": list(decisions)}), THREAD)


def question(result: Any) -> dict[str, Any]:
    """Return the one question that an agent stopped with."""
    (asked,) = result["__interrupt__"]
    value: dict[str, Any] = asked.value
    return value


APPROVE = {"type": "approve"}
ASKS = 'version = 1\n[defaults]\nwrite = "ask"\n[approval]\nttl_seconds = 60\n'


def with_key(project: Project, *command: str) -> None:
    """Run a command that is given the passphrase of the approver's key."""
    given = {"PENSTOCK_PASSPHRASE_FD": "0"}
    done = project.run(*command, env=given, stdin="correct horse battery staple\n")
    assert done.code == 0, done.err


def by_key(project: Project, proposal: str) -> None:
    """Approve at the queue, by a key that is set up for it."""
    with_key(project, "approver", "init")
    with_key(project, "approve", proposal, "--yes")


def replacing(project: Project, **options: Any) -> Guarded:
    """Return an agent that wants to replace a long file; a person was asked."""
    project.write("app.py", LONG)
    scene = Guarded(project, [REPLACED], **options)
    scene.start()
    return scene


def patch_of(*names: str) -> str:
    """Return a patch that leaves one line of each file."""
    gone = "".join(f"-{line}" for line in LONG.splitlines(keepends=True))
    head = "--- a/{0}\n+++ b/{0}\n@@ -1,270 +1 @@\n"
    return "".join(f"{head.format(name)}{gone}+new\n" for name in names)


def patcher(ran: list[str]) -> BaseTool:
    """Return a tool that takes patches and notes those that got through to it."""

    @tool
    def apply_patch(patch: str) -> str:
        """Apply a patch."""
        ran.append(patch)
        return "patched"

    return apply_patch
