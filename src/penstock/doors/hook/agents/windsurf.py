"""Windsurf's Cascade: one hook for each kind of action, answered by the exit code alone.

Exit 2 blocks and its stderr is for the agent; nothing can be asked or granted, and any other
failure lets the action run. What is told beside an allow reaches the person and not the agent.
"""

from penstock.doors.hook.agents import common
from penstock.doors.hook.messages import AFTER, BEFORE, OTHER, HookCall, table, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from penstock.doors.hook.messages import Document, Entries, Environ

NAME = "windsurf"
TITLE = "Windsurf"
ACTIONS = ("write_code", "run_command", "mcp_tool_use")
TOOLS = (*ACTIONS, "read_code")
EVENTS = {"pre": BEFORE, "post": AFTER}
say = common.by_exit_code


def read(document: "Document", environ: "Environ") -> HookCall:
    """Return what Cascade is about to do; the action is the tool, under its name before."""
    action, info = text(document.get("agent_action_name")), table(document.get("tool_info"))
    when, _, name = action.partition("_")
    event = EVENTS.get(when, OTHER) if name in TOOLS else OTHER
    tool = f"pre_{name}"
    turn = text(document.get("execution_id"))
    about = common.call_id("", tool, info)
    return HookCall(
        NAME,
        event,
        tool=tool,
        tool_input=info,
        # Not in the JSON: the hook is started in the project.
        root=environ.get("ROOT_WORKSPACE_PATH", "") or environ.get("PWD", ""),
        session=text(document.get("trajectory_id")),
        call_id=f"{turn}-{about}" if turn and about else about,
    )


def shows(call: HookCall) -> bool:
    """Say whether the user is shown what a hook prints; before a call it may be a refusal."""
    return call.event == AFTER


def registration(command: str, *, strict: bool) -> "Entries":
    """Return what `init` adds to the project's hooks. There is no switch to fail closed."""
    del strict
    hook = {"command": command, "show_output": True}
    hooks = {f"{when}_{action}": hook for when in EVENTS for action in ACTIONS}
    hooks["pre_read_code"] = hook  # after a read there is nothing to settle
    return common.entries(".windsurf/hooks.json", hooks)
