"""Codex: `PreToolUse`, `PostToolUse`, `SessionStart` and `Stop` as Claude Code has them, in part.

It knows a denial and further context, and takes everything else (`ask`, a bare `allow`, any
key that it does not know) for a hook that failed; then it writes. So nothing else is said before
a call; after one, and when a session starts, its user is shown `systemMessage`.
`write_stdin` into a running shell calls no hook at all.
"""

from penstock.doors.hook.agents import common
from penstock.doors.hook.messages import (
    AFTER,
    BEFORE,
    END,
    START,
    HookAnswer,
    HookCall,
    Reply,
    started,
    warned,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from penstock.doors.hook.messages import Document, Entries, Environ

NAME = "codex"
TITLE = "Codex"
EVENTS = {"PreToolUse": BEFORE, "PostToolUse": AFTER, "SessionStart": START, "Stop": END}
MATCHER = "apply_patch|Bash|mcp__.*"


def read(document: "Document", environ: "Environ") -> HookCall:
    """Return what Codex is about to do."""
    return common.made(NAME, common.event(document, EVENTS), document, root=started(environ))


def say(call: HookCall, answer: HookAnswer) -> Reply:
    """Return the answer in Codex's words; what would be asked is denied, and nothing granted."""
    words = common.permission(call, answer, knows_deny_only=True)
    if answer.warnings and shows(call):
        name = next(name for name, event in EVENTS.items() if event == call.event)
        more = {"additionalContext": common.noted(answer)} if answer.notes else {}
        context = {"hookSpecificOutput": {"hookEventName": name, **more}} if more else {}
        return common.said({**context, "systemMessage": warned(answer)})
    return common.hook_output(EVENTS, call, answer, words)


def shows(call: HookCall) -> bool:
    """Say whether the user is shown `systemMessage`; before a call it might allow it."""
    return call.event in (AFTER, START)


def registration(command: str, *, strict: bool) -> "Entries":
    """Return what `init` adds to the project's hooks. There is no switch to fail closed."""
    del strict
    return common.matching(".codex/hooks.json", EVENTS, MATCHER, command, common.TIMEOUT)
