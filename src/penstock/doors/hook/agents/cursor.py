"""Cursor: `preToolUse` and `postToolUse` hooks with a flat `permission`.

An `ask` is taken there and not acted on, so it is a denial. Where the registration says
`failClosed` an empty answer blocks, so an allow is said aloud; on `preToolUse` it grants
nothing that Cursor itself would ask about. The start of a session is answered and not
registered: a Cursor that does not know an event drops every hook of the file.
"""

from penstock.doors.hook.agents import common
from penstock.doors.hook.messages import (
    AFTER,
    ALLOW,
    BEFORE,
    SILENT,
    START,
    HookAnswer,
    HookCall,
    Reply,
    text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from penstock.doors.hook.messages import Document, Entries, Environ

NAME = "cursor"
TITLE = "Cursor"
EVENTS = {"preToolUse": BEFORE, "postToolUse": AFTER, "sessionStart": START}


def read(document: "Document", environ: "Environ") -> HookCall:
    """Return what Cursor is about to do."""
    first = common.first(document.get("workspace_roots"))
    return common.made(
        NAME,
        common.event(document, EVENTS),
        document,
        cwd=text(document.get("cwd")) or first,
        root=environ.get("CURSOR_PROJECT_DIR", "") or first,
        session=text(document.get("conversation_id")),
    )


def say(call: HookCall, answer: HookAnswer) -> Reply:
    """Return the answer in Cursor's words."""
    if call.event != BEFORE:
        return common.said({"additional_context": common.noted(answer)}) if answer.notes else SILENT
    words: dict[str, object] = {"permission": "allow"}
    if answer.verdict != ALLOW:
        # The model was seen to get the first of these and not the second.
        words = {"permission": "deny", "user_message": common.reason(answer)}
        words["agent_message"] = common.reason(answer)
    elif answer.notes:
        words["agent_message"] = common.noted(answer)
    return common.said(words)


def registration(command: str, *, strict: bool) -> "Entries":
    """Return what `init` adds to the project's hooks: every call, as no list of tools is sure."""
    after: dict[str, object] = {"command": command, "timeout": common.TIMEOUT}
    before = {**after, "failClosed": True} if strict else after
    hooks = {"preToolUse": before, "postToolUse": after}
    return common.entries(".cursor/hooks.json", hooks, defaults={"version": 1})
