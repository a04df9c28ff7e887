"""GitHub Copilot, on the command line and in the cloud: `preToolUse` with a flat decision.

An error of the hook denies there, a timeout does not. An `ask` is a question at a terminal and
a denial in the cloud. Its arguments come as an object or as JSON text; events in Claude Code's
spelling come with Claude Code's fields.
"""

from penstock.doors.hook.agents.common import TIMEOUT, call_id, noted, parsed, reason, said
from penstock.doors.hook.talk import (
    AFTER,
    ALLOW,
    ASK,
    BEFORE,
    SILENT,
    Answer,
    Call,
    Reply,
    started,
    text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

NAME = "copilot"
TITLE = "GitHub Copilot"


def read(document: "Mapping[str, Any]", environ: "Mapping[str, str]") -> Call:
    """Return what Copilot is about to do. Its own events have no name, only a result or none."""
    tool = text(document.get("toolName")) or text(document.get("tool_name"))
    tool_input = parsed(document.get("toolArgs", document.get("tool_input")))
    ran = "toolResult" in document or document.get("hook_event_name") == "PostToolUse"
    given = document.get("toolCallId") or document.get("tool_use_id")
    return Call(
        NAME,
        AFTER if ran else BEFORE,
        tool=tool,
        tool_input=tool_input,
        cwd=text(document.get("cwd")),
        root=started(environ),
        session=text(document.get("sessionId")) or text(document.get("session_id")),
        call_id=call_id(given, tool, tool_input),
        attended=not environ.get("GITHUB_ACTIONS"),
    )


def say(call: Call, answer: Answer) -> Reply:
    """Return the answer in Copilot's words."""
    words: dict[str, object] = {}
    if call.event == BEFORE and (answer.verdict != ALLOW or answer.granted):
        asked = answer.verdict == ASK and not call.attended
        words["permissionDecision"] = "deny" if asked else answer.verdict
        words["permissionDecisionReason"] = reason(answer)
    if answer.notes:
        words["additionalContext"] = noted(answer)
    return said(words) if words else SILENT


def registration(command: str, *, strict: bool) -> "list[dict[str, Any]]":
    """Return the hook file that `init` makes; errors deny there whatever the rules say."""
    del strict
    hook = {"type": "command", "bash": command, "timeoutSec": TIMEOUT}
    return [
        {
            "file": ".github/hooks/penstock.json",
            "at": ["hooks", event],
            "add": hook,
            "defaults": {"version": 1},
        }
        for event in ("preToolUse", "postToolUse")
    ]
