"""GitHub Copilot, on the command line and in the cloud: `preToolUse` with a flat decision.

An error of the hook denies there, a timeout does not. An `ask` is a question at a terminal and
a denial in the cloud. Its arguments come as an object or as JSON text; events in Claude Code's
spelling come with Claude Code's fields.
"""

from penstock.doors.hook.agents import common
from penstock.doors.hook.messages import (
    AFTER,
    BEFORE,
    SILENT,
    START,
    HookAnswer,
    HookCall,
    Reply,
    started,
    text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from penstock.doors.hook.messages import Document, Entries, Environ

NAME = "copilot"
TITLE = "GitHub Copilot"


def read(document: "Document", environ: "Environ") -> HookCall:
    """Return what Copilot is about to do."""
    return common.made(
        NAME,
        _event(document),
        document,
        tool=text(document.get("toolName")),
        tool_input=common.parsed(document.get("toolArgs", document.get("tool_input"))),
        root=started(environ),
        session=text(document.get("sessionId")),
        given=document.get("toolCallId") or document.get("tool_use_id"),
        attended=not environ.get("GITHUB_ACTIONS"),
    )


def _event(document: "Document") -> str:
    """Its own events have no name: a result is there or not, a session's start has a source."""
    if "toolResult" in document or document.get("hook_event_name") == "PostToolUse":
        return AFTER
    return START if "source" in document and "toolName" not in document else BEFORE


def say(call: HookCall, answer: HookAnswer) -> Reply:
    """Return the answer in Copilot's words."""
    words = common.permission(call, answer)
    if answer.notes:
        words["additionalContext"] = common.noted(answer)
    return common.said(words) if words else SILENT


def registration(command: str, *, strict: bool) -> "Entries":
    """Return the hook file that `init` makes; errors deny there whatever the rules say."""
    del strict
    hook = {"type": "command", "bash": command, "timeoutSec": common.TIMEOUT}
    hooks = {"preToolUse": hook, "postToolUse": hook, "sessionStart": hook}
    return common.entries(".github/hooks/penstock.json", hooks, defaults={"version": 1})
