"""OpenCode: a plugin inside it (`presets/opencode.js`) that asks us before and after each tool.

The plugin throws on exit 2, with what stderr says, and gives the agent what stdout says after
the tool has run. Nothing can be asked or granted. A plugin that does not load is no gate.
"""

from penstock.doors.hook.agents.common import call_id, noted, refused
from penstock.doors.hook.talk import (
    AFTER,
    ALLOW,
    BEFORE,
    OTHER,
    SILENT,
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

NAME = "opencode"
TITLE = "OpenCode"
EVENTS = {"before": BEFORE, "after": AFTER}
FILE = ".opencode/plugins/penstock.js"


def read(document: "Mapping[str, Any]", environ: "Mapping[str, str]") -> Call:  # noqa: ARG001 - every agent's module is called so
    """Return what the plugin says that the agent is about to do."""
    tool, tool_input = text(document.get("tool")), table(document.get("input"))
    cwd = text(document.get("cwd"))
    return Call(
        NAME,
        EVENTS.get(text(document.get("event")), OTHER),
        tool=tool,
        tool_input=tool_input,
        cwd=cwd,
        root=text(document.get("root")) or cwd,
        session=text(document.get("session")),
        call_id=call_id(document.get("call"), tool, tool_input),
    )


def say(call: Call, answer: Answer) -> Reply:
    """Return a refusal, or what the agent is to know."""
    if call.event == BEFORE and answer.verdict != ALLOW:
        return refused(answer)
    return Reply(noted(answer) + "\n") if answer.notes else SILENT


def registration(command: str, *, strict: bool) -> "list[dict[str, Any]]":
    """Return the plugin that `init` makes."""
    from penstock.doors.hook.shim import shim

    return [{"file": FILE, "text": shim("opencode.js", command, strict=strict)}]
