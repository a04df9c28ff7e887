"""Windsurf's Cascade: one hook for each kind of action, answered by the exit code alone.

Exit 2 blocks and its stderr is for the agent; nothing can be asked or granted, and any other
failure lets the action run. What is told beside an allow reaches the person and not the agent.
"""

from penstock.doors.hook.agents.common import call_id, noted, refused
from penstock.doors.hook.talk import (
    AFTER,
    ALLOW,
    BEFORE,
    OTHER,
    SILENT,
    Answer,
    Call,
    Reply,
    table,
    text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

NAME = "windsurf"
TITLE = "Windsurf"
ACTIONS = ("write_code", "run_command", "mcp_tool_use")
TOOLS = (*ACTIONS, "read_code")
EVENTS = {"pre": BEFORE, "post": AFTER}


def read(document: "Mapping[str, Any]", environ: "Mapping[str, str]") -> Call:
    """Return what Cascade is about to do; the action is the tool, under its name before."""
    action, info = text(document.get("agent_action_name")), table(document.get("tool_info"))
    when, _, name = action.partition("_")
    event = EVENTS.get(when, OTHER) if name in TOOLS else OTHER
    tool = f"pre_{name}"
    turn = text(document.get("execution_id"))
    about = call_id("", tool, info)
    return Call(
        NAME,
        event,
        tool=tool,
        tool_input=info,
        # Not in the JSON: the hook is started in the project.
        root=environ.get("ROOT_WORKSPACE_PATH", "") or environ.get("PWD", ""),
        session=text(document.get("trajectory_id")),
        call_id=f"{turn}-{about}" if turn and about else about,
    )


def say(call: Call, answer: Answer) -> Reply:
    """Return a refusal; what is told beside an allow is shown to the person."""
    if call.event == BEFORE and answer.verdict != ALLOW:
        return refused(answer)
    return Reply(noted(answer) + "\n") if answer.notes else SILENT


def registration(command: str, *, strict: bool) -> "list[dict[str, Any]]":
    """Return what `init` adds to the project's hooks. There is no switch to fail closed."""
    del strict
    return [
        {
            "file": ".windsurf/hooks.json",
            "at": ["hooks", f"{when}_{action}"],
            "add": {"command": command, "show_output": True},
        }
        for when in ("pre", "post")
        for action in ACTIONS
    ]
