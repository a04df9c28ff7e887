"""Codex: `PreToolUse`, `PostToolUse` and `SessionStart` in Claude Code's shape, with fewer words.

It knows a denial and further context, and takes everything else (`ask`, a bare `allow`, any
key that it does not know) for a hook that failed; then it writes. So nothing else is said.
`write_stdin` into a running shell calls no hook at all.
"""

from penstock.doors.hook.agents import common
from penstock.doors.hook.messages import AFTER, BEFORE, START, HookAnswer, HookCall, Reply, started

TYPE_CHECKING = False
if TYPE_CHECKING:
    from penstock.doors.hook.messages import Document, Entries, Environ

NAME = "codex"
TITLE = "Codex"
EVENTS = {"PreToolUse": BEFORE, "PostToolUse": AFTER, "SessionStart": START}
MATCHER = "apply_patch|Bash|mcp__.*"


def read(document: "Document", environ: "Environ") -> HookCall:
    """Return what Codex is about to do."""
    return common.made(NAME, common.event(document, EVENTS), document, root=started(environ))


def say(call: HookCall, answer: HookAnswer) -> Reply:
    """Return the answer in Codex's words; what would be asked is denied, and nothing granted."""
    words = common.permission(call, answer, knows_deny_only=True)
    return common.hook_output(EVENTS, call, answer, words)


def registration(command: str, *, strict: bool) -> "Entries":
    """Return what `init` adds to the project's hooks. There is no switch to fail closed."""
    del strict
    return common.matching(".codex/hooks.json", EVENTS, MATCHER, command, common.TIMEOUT)
