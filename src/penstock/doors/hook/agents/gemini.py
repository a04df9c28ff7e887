"""Gemini CLI: `BeforeTool` and `AfterTool` hooks with a `decision` of their own.

Claude Code's `permissionDecision` is ignored there, so it is never said. An `ask` without a
terminal ends the whole run at once, and a hook cannot tell whether there is one: what would
be asked is denied. Context reaches the model after a tool only; before it, the person is told.
"""

from penstock.doors.hook.agents.common import TIMEOUT, call_id, noted, reason, said
from penstock.doors.hook.talk import (
    AFTER,
    ALLOW,
    BEFORE,
    OTHER,
    SILENT,
    START,
    Answer,
    Call,
    Reply,
    started,
    table,
    text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

NAME = "gemini"
TITLE = "Gemini CLI"
EVENTS = {"BeforeTool": BEFORE, "AfterTool": AFTER, "SessionStart": START}
WORDS = {AFTER: "AfterTool", START: "SessionStart"}
MATCHER = "^(write_file|replace|run_shell_command|mcp_.*)$"
MILLISECONDS = 1000


def read(document: "Mapping[str, Any]", environ: "Mapping[str, str]") -> Call:
    """Return what Gemini is about to do; a server's tool gets the name that all agents share."""
    tool, tool_input = text(document.get("tool_name")), table(document.get("tool_input"))
    foreign = table(document.get("mcp_context"))
    server, name = text(foreign.get("server_name")), text(foreign.get("tool_name"))
    if server and name:
        tool = f"mcp__{server}__{name}"
    return Call(
        NAME,
        EVENTS.get(text(document.get("hook_event_name")), OTHER),
        tool=tool,
        tool_input=tool_input,
        cwd=text(document.get("cwd")),
        root=environ.get("GEMINI_PROJECT_DIR", "") or started(environ),
        session=text(document.get("session_id")),
        call_id=call_id(document.get("tool_use_id"), tool, tool_input),
    )


def say(call: Call, answer: Answer) -> Reply:
    """Return the answer in Gemini's words."""
    if call.event == BEFORE:
        return _before(answer)
    if not answer.notes or call.event not in WORDS:
        return SILENT
    context = {"hookEventName": WORDS[call.event], "additionalContext": noted(answer)}
    return said({"hookSpecificOutput": context})


def _before(answer: Answer) -> Reply:
    words: dict[str, object] = {}
    if answer.verdict != ALLOW:
        words = {"decision": "deny", "reason": reason(answer)}
    elif answer.granted:
        words = {"decision": "allow", "reason": answer.reason}
    if answer.notes:
        words["systemMessage"] = noted(answer)
    return said(words) if words else SILENT


def registration(command: str, *, strict: bool) -> "list[dict[str, Any]]":
    """Return what `init` adds to the project's settings. There is no switch to fail closed."""
    del strict
    hook = {"type": "command", "command": command, "timeout": TIMEOUT * MILLISECONDS}
    return [
        {
            "file": ".gemini/settings.json",
            "at": ["hooks", event],
            "add": {"matcher": MATCHER, "hooks": [hook]},
        }
        for event in ("BeforeTool", "AfterTool")
    ]
