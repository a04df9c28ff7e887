"""Cursor: `preToolUse` and `postToolUse` hooks with a flat `permission`.

An `ask` is taken there and not acted on, so it is a denial. Where the registration says
`failClosed` an empty answer blocks, so an allow is said aloud; on `preToolUse` it grants
nothing that Cursor itself would ask about.
"""

from penstock.doors.hook.agents.common import TIMEOUT, call_id, first, noted, reason, said
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
    table,
    text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

NAME = "cursor"
TITLE = "Cursor"
EVENTS = {"preToolUse": BEFORE, "postToolUse": AFTER, "sessionStart": START}


def read(document: "Mapping[str, Any]", environ: "Mapping[str, str]") -> Call:
    """Return what Cursor is about to do."""
    tool, tool_input = text(document.get("tool_name")), table(document.get("tool_input"))
    roots = first(document.get("workspace_roots"))
    cwd = text(document.get("cwd")) or roots
    return Call(
        NAME,
        EVENTS.get(text(document.get("hook_event_name")), OTHER),
        tool=tool,
        tool_input=tool_input,
        cwd=cwd,
        root=environ.get("CURSOR_PROJECT_DIR", "") or roots,
        session=text(document.get("conversation_id")),
        call_id=call_id(document.get("tool_use_id"), tool, tool_input),
    )


def say(call: Call, answer: Answer) -> Reply:
    """Return the answer in Cursor's words."""
    if call.event != BEFORE:
        return said({"additional_context": noted(answer)}) if answer.notes else SILENT
    words: dict[str, object] = {"permission": "allow"}
    if answer.verdict != ALLOW:
        # The model was seen to get the first of these and not the second.
        words = {"permission": "deny", "user_message": reason(answer)}
        words["agent_message"] = reason(answer)
    elif answer.notes:
        words["agent_message"] = noted(answer)
    return said(words)


def registration(command: str, *, strict: bool) -> "list[dict[str, Any]]":
    """Return what `init` adds to the project's hooks: every call, as no list of tools is sure."""
    after: dict[str, Any] = {"command": command, "timeout": TIMEOUT}
    before = {**after, "failClosed": True} if strict else after
    return [
        {
            "file": ".cursor/hooks.json",
            "at": ["hooks", event],
            "add": entry,
            "defaults": {"version": 1},
        }
        for event, entry in (("preToolUse", before), ("postToolUse", after))
    ]
