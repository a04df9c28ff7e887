"""Qwen Code: Claude Code's hooks, with Gemini's tools and a timeout in milliseconds.

It can be asked, told and denied. Without a terminal an `ask` is a denial there. In its `yolo`
mode nobody reads, so what would be asked is denied with a reason for the agent.
"""

from penstock.doors.hook.agents import common
from penstock.doors.hook.messages import AFTER, BEFORE, START, HookAnswer, HookCall, Reply, started

TYPE_CHECKING = False
if TYPE_CHECKING:
    from penstock.doors.hook.messages import Document, Entries, Environ

NAME = "qwen"
TITLE = "Qwen Code"
EVENTS = {"PreToolUse": BEFORE, "PostToolUse": AFTER, "SessionStart": START}
MATCHER = "^(write_file|edit|notebook_edit|run_shell_command|mcp__.*)$"
READS = "^(read_file|read_many_files|search_file_content|grep_search|grep)$"
ATTENDED = ("default", "plan", "auto_edit", "auto-edit")


def read(document: "Document", environ: "Environ") -> HookCall:
    """Return what Qwen Code is about to do."""
    return common.made(
        NAME,
        common.event(document, EVENTS),
        document,
        root=environ.get("QWEN_PROJECT_DIR", "") or started(environ),
        given=document.get("tool_use_id") or document.get("tool_call_id"),
        attended=document.get("permission_mode") in ATTENDED,
    )


def say(call: HookCall, answer: HookAnswer) -> Reply:
    """Return the answer in Qwen Code's words."""
    return common.hook_output(EVENTS, call, answer, common.permission(call, answer))


def registration(command: str, *, strict: bool) -> "Entries":
    """Return what `init` adds to the project's settings. There is no switch to fail closed."""
    del strict
    return common.matching(
        ".qwen/settings.json",
        EVENTS,
        MATCHER,
        command,
        common.MILLISECONDS,
        before=f"{READS}|{MATCHER}",
    )
