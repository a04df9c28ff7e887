"""Qwen Code: Claude Code's hooks, with Gemini's tools and a timeout in milliseconds.

It can be asked, told and denied. Without a terminal an `ask` is a denial there. In its `yolo`
mode nobody reads, so what would be asked is denied with a reason for the agent.
"""

from penstock.doors.hook.agents.common import TIMEOUT, call_id, noted, reason, said
from penstock.doors.hook.talk import (
    AFTER,
    ALLOW,
    ASK,
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

NAME = "qwen"
TITLE = "Qwen Code"
EVENTS = {"PreToolUse": BEFORE, "PostToolUse": AFTER, "SessionStart": START}
WORDS = {BEFORE: "PreToolUse", AFTER: "PostToolUse", START: "SessionStart"}
MATCHER = "^(write_file|edit|notebook_edit|run_shell_command|mcp__.*)$"
ATTENDED = ("default", "plan", "auto_edit", "auto-edit")
MILLISECONDS = 1000


def read(document: "Mapping[str, Any]", environ: "Mapping[str, str]") -> Call:
    """Return what Qwen Code is about to do."""
    tool, tool_input = text(document.get("tool_name")), table(document.get("tool_input"))
    given = document.get("tool_use_id") or document.get("tool_call_id")
    return Call(
        NAME,
        EVENTS.get(text(document.get("hook_event_name")), OTHER),
        tool=tool,
        tool_input=tool_input,
        cwd=text(document.get("cwd")),
        root=environ.get("QWEN_PROJECT_DIR", "") or started(environ),
        session=text(document.get("session_id")),
        call_id=call_id(given, tool, tool_input),
        attended=document.get("permission_mode") in ATTENDED,
    )


def say(call: Call, answer: Answer) -> Reply:
    """Return the answer in Qwen Code's words."""
    words: dict[str, object] = {}
    if call.event == BEFORE and (answer.verdict != ALLOW or answer.granted):
        asked = answer.verdict == ASK and not call.attended
        words["permissionDecision"] = "deny" if asked else answer.verdict
        words["permissionDecisionReason"] = reason(answer)
    if answer.notes and call.event in WORDS:
        words["additionalContext"] = noted(answer)
    if not words:
        return SILENT
    return said({"hookSpecificOutput": {"hookEventName": WORDS[call.event], **words}})


def registration(command: str, *, strict: bool) -> "list[dict[str, Any]]":
    """Return what `init` adds to the project's settings. There is no switch to fail closed."""
    del strict
    hook = {"type": "command", "command": command, "timeout": TIMEOUT * MILLISECONDS}
    return [
        {
            "file": ".qwen/settings.json",
            "at": ["hooks", event],
            "add": {"matcher": MATCHER, "hooks": [hook]},
        }
        for event in ("PreToolUse", "PostToolUse")
    ]
