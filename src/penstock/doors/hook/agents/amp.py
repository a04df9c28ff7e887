"""Amp: a plugin inside it (`presets/amp.js`) that asks us before each tool.

The plugin rejects a call on exit 2, with what stderr says, and the agent goes on. Nothing can
be asked or granted. Plugins are experimental there, and one that does not load is no gate.
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
    started,
    table,
    text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

NAME = "amp"
TITLE = "Amp"
EVENTS = {"before": BEFORE, "after": AFTER}
FILE = ".amp/plugins/penstock.ts"


def read(document: "Mapping[str, Any]", environ: "Mapping[str, str]") -> Call:
    """Return what the plugin says that the agent is about to do."""
    tool, tool_input = text(document.get("tool")), table(document.get("input"))
    return Call(
        NAME,
        EVENTS.get(text(document.get("event")), OTHER),
        tool=tool,
        tool_input=tool_input,
        cwd=text(document.get("cwd")),
        root=started(environ),
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

    return [{"file": FILE, "text": shim("amp.js", command, strict=strict)}]
