"""Cline: an executable named after its event, answered by `cancel`.

Only `cancel` stops it: a hook that fails in whatever way, exit code 2 included, lets the call
run. So every call is answered in JSON, with `cancel` and a reason or without. Nothing can be
asked or granted. Its command line ends the task at a refusal.
"""

from penstock.core.audit.chain import encode
from penstock.doors.hook.agents import common
from penstock.doors.hook.messages import (
    AFTER,
    ALLOW,
    BEFORE,
    OTHER,
    HookAnswer,
    HookCall,
    Reply,
    table,
    text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from penstock.doors.hook.messages import Document, Entries, Environ

NAME = "cline"
TITLE = "Cline"
EVENTS = {"preToolUse": BEFORE, "postToolUse": AFTER}
IDS = {"preToolUse": "tool_call", "postToolUse": "tool_result"}
FILES = ("PreToolUse", "PostToolUse")
SCRIPT = """\
#!/bin/sh
# Made by `penstock init`, and removed by `penstock uninstall`.
exec {command}
"""
# Whatever happens to the hook, Cline goes on unless it is told otherwise.
CLOSED_SCRIPT = """\
#!/bin/sh
# Made by `penstock init`, and removed by `penstock uninstall`.
hook() {{
  exec {command}
}}
said=$(hook) || said='{{"cancel":true,"errorMessage":"the Penstock hook failed"}}'
printf '%s\\n' "$said"
"""


def read(document: "Document", environ: "Environ") -> HookCall:  # noqa: ARG001 - every agent's module is called so
    """Return what Cline is about to do; a server's tool is taken out of its wrapping.

    The extension names the event by `hookName` and the command line otherwise, but both have
    the call under the same key.
    """
    key = next((key for key in EVENTS if key in document), "")
    inside, told = table(document.get(key)), table(document.get(IDS.get(key, "")))
    tool, tool_input = text(inside.get("toolName")), table(inside.get("parameters"))
    if tool == "use_mcp_tool":
        server, own = text(tool_input.get("server_name")), text(tool_input.get("tool_name"))
        tool, tool_input = f"mcp__{server}__{own}", common.parsed(tool_input.get("arguments"))
    elif tool == "run_commands":
        tool_input = {**tool_input, "commands": _commands(tool_input.get("commands"))}
    root = common.first(document.get("workspaceRoots"))
    return HookCall(
        NAME,
        EVENTS.get(key, OTHER),
        tool=tool,
        tool_input=tool_input,
        cwd=root,
        root=root,
        session=text(document.get("taskId")),
        call_id=common.call_id(told.get("id"), tool, tool_input),
        subagent=text(document.get("parent_agent_id")),
    )


def _commands(value: object) -> object:
    """Return commands as texts; a program with its words is joined as Cline itself does."""
    if not isinstance(value, list):
        return value
    return [_joined(one) if isinstance(one, dict) else one for one in value]


def _joined(command: "Document") -> object:
    words = command.get("args", [])
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        return command
    quoted = [
        encode(word) if any(c.isspace() or c == '"' for c in word) else word for word in words
    ]
    return " ".join([text(command.get("command")), *quoted])


def say(call: HookCall, answer: HookAnswer) -> Reply:
    """Return the answer in Cline's words."""
    words: dict[str, object] = {"cancel": False}
    if call.event == BEFORE and answer.verdict != ALLOW:
        words = {"cancel": True, "errorMessage": common.reason(answer)}
    if answer.notes:
        words["contextModification"] = common.noted(answer)
    return common.said(words)


def registration(command: str, *, strict: bool) -> "Entries":
    """Return the files that `init` makes; what has run already is never cancelled."""
    before = (CLOSED_SCRIPT if strict else SCRIPT).format(command=command)
    texts = zip(FILES, (before, SCRIPT.format(command=command)), strict=True)
    return [
        {"file": f".clinerules/hooks/{event}", "text": script, "mode": 0o755}
        for event, script in texts
    ]
