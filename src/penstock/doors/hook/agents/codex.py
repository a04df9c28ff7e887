"""Codex: `PreToolUse` and `PostToolUse` hooks in Claude Code's shape, with fewer words.

It knows a denial and further context, and takes everything else (`ask`, a bare `allow`, any
key that it does not know) for a hook that failed; then it writes. So nothing else is said.
`write_stdin` into a running shell calls no hook at all.
"""

from penstock.doors.hook.agents.common import TIMEOUT, call_id, noted, reason, said
from penstock.doors.hook.talk import (
    AFTER,
    ALLOW,
    BEFORE,
    OTHER,
    SILENT,
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

NAME = "codex"
TITLE = "Codex"
EVENTS = {"PreToolUse": BEFORE, "PostToolUse": AFTER}
WORDS = {BEFORE: "PreToolUse", AFTER: "PostToolUse"}
MATCHER = "apply_patch|Bash|mcp__.*"


def read(document: "Mapping[str, Any]", environ: "Mapping[str, str]") -> Call:
    """Return what Codex is about to do."""
    tool, tool_input = text(document.get("tool_name")), table(document.get("tool_input"))
    return Call(
        NAME,
        EVENTS.get(text(document.get("hook_event_name")), OTHER),
        tool=tool,
        tool_input=tool_input,
        cwd=text(document.get("cwd")),
        root=started(environ),
        session=text(document.get("session_id")),
        call_id=call_id(document.get("tool_use_id"), tool, tool_input),
    )


def say(call: Call, answer: Answer) -> Reply:
    """Return the answer in Codex's words; what would be asked is denied."""
    words: dict[str, object] = {}
    if call.event == BEFORE and answer.verdict != ALLOW:
        words["permissionDecision"] = "deny"
        words["permissionDecisionReason"] = reason(answer)
    if answer.notes and call.event in WORDS:
        words["additionalContext"] = noted(answer)
    if not words:
        return SILENT
    return said({"hookSpecificOutput": {"hookEventName": WORDS[call.event], **words}})


def registration(command: str, *, strict: bool) -> "list[dict[str, Any]]":
    """Return what `init` adds to the project's hooks. There is no switch to fail closed."""
    del strict
    hook = {"type": "command", "command": command, "timeout": TIMEOUT}
    return [
        {
            "file": ".codex/hooks.json",
            "at": ["hooks", event],
            "add": {"matcher": MATCHER, "hooks": [hook]},
        }
        for event in EVENTS
    ]
