"""Gemini CLI: `BeforeTool`, `AfterTool`, `SessionStart`, `AfterAgent`; a `decision` of their own.

Claude Code's `permissionDecision` is ignored there, so it is never said. An `ask` without a
terminal ends the whole run at once, and a hook cannot tell whether there is one: what would
be asked is denied. Context reaches the model after a tool only; before it, the person is told.
"""

from penstock.doors.hook.agents import common
from penstock.doors.hook.messages import (
    AFTER,
    ALLOW,
    BEFORE,
    END,
    SILENT,
    START,
    HookAnswer,
    HookCall,
    Reply,
    started,
    table,
    text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from penstock.doors.hook.messages import Document, Entries, Environ

NAME = "gemini"
TITLE = "Gemini CLI"
EVENTS = {"BeforeTool": BEFORE, "AfterTool": AFTER, "SessionStart": START, "AfterAgent": END}
MATCHER = "^(write_file|replace|run_shell_command|mcp_.*)$"
READS = "^(read_file|read_many_files|search_file_content|grep_search|grep)$"


def read(document: "Document", environ: "Environ") -> HookCall:
    """Return what Gemini is about to do; a server's tool gets the name that all agents share."""
    foreign = table(document.get("mcp_context"))
    server, name = text(foreign.get("server_name")), text(foreign.get("tool_name"))
    return common.made(
        NAME,
        common.event(document, EVENTS),
        document,
        tool=f"mcp__{server}__{name}" if server and name else "",
        root=environ.get("GEMINI_PROJECT_DIR", "") or started(environ),
    )


def say(call: HookCall, answer: HookAnswer) -> Reply:
    """Return the answer in Gemini's words."""
    words: dict[str, object] = {}
    if call.event == BEFORE and answer.verdict != ALLOW:
        words = {"decision": "deny", "reason": common.reason(answer)}
    elif call.event == BEFORE and answer.granted:
        words = {"decision": "allow", "reason": answer.reason}
    shown = [*answer.notes, *answer.warnings] if call.event == BEFORE else [*answer.warnings]
    if shown:
        words["systemMessage"] = "\n".join(shown)
    if call.event != BEFORE and answer.notes:
        name = next((name for name, event in EVENTS.items() if event == call.event), "")
        context = {"hookEventName": name, "additionalContext": common.noted(answer)}
        words.update({"hookSpecificOutput": context} if name else {})
    return common.said(words) if words else SILENT


def shows(call: HookCall) -> bool:
    """Say whether the user is shown `systemMessage`: at every event that we register."""
    return call.event in EVENTS.values()


def registration(command: str, *, strict: bool) -> "Entries":
    """Return what `init` adds to the project's settings. There is no switch to fail closed."""
    del strict
    return common.matching(
        ".gemini/settings.json",
        EVENTS,
        MATCHER,
        command,
        common.MILLISECONDS,
        before=f"{READS}|{MATCHER}",
    )
