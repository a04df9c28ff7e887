"""Kiro, in the editor and on the command line: `PreToolUse` answered by the exit code.

Exit 2 blocks and its stderr is for the model; what a hook prints with exit 0 is added to the
model's context. Nothing can be asked or granted. Version 2 of its command line spells events
with a small letter.
"""

from penstock.doors.hook.agents.common import TIMEOUT, call_id, noted, refused
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

NAME = "kiro"
TITLE = "Kiro"
EVENTS = {"pretooluse": BEFORE, "posttooluse": AFTER}


def read(document: "Mapping[str, Any]", environ: "Mapping[str, str]") -> Call:
    """Return what Kiro is about to do."""
    tool, tool_input = text(document.get("tool_name")), table(document.get("tool_input"))
    return Call(
        NAME,
        EVENTS.get(text(document.get("hook_event_name")).lower(), OTHER),
        tool=tool,
        tool_input=tool_input,
        cwd=text(document.get("cwd")),
        root=started(environ),
        session=text(document.get("session_id")),
        call_id=call_id(document.get("tool_use_id"), tool, tool_input),
    )


def say(call: Call, answer: Answer) -> Reply:
    """Return a refusal, or what the model is to know."""
    if call.event == BEFORE and answer.verdict != ALLOW:
        return refused(answer)
    return Reply(noted(answer) + "\n") if answer.notes else SILENT


def registration(command: str, *, strict: bool) -> "list[dict[str, Any]]":
    """Return the hook file that `init` makes. There is no switch to fail closed."""
    del strict
    return [
        {
            "file": ".kiro/hooks/penstock.json",
            "at": ["hooks"],
            "add": {
                "name": f"penstock-{event}",
                "trigger": event,
                # Its tools have other names in each version, so every call is looked at.
                "matcher": ".*",
                "action": {"type": "command", "command": command},
                "timeout": TIMEOUT,
            },
            "defaults": {"version": "v1"},
        }
        for event in ("PreToolUse", "PostToolUse")
    ]
