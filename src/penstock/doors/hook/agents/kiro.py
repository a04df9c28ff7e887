"""Kiro, in the editor and on the command line: `PreToolUse` answered by the exit code.

Exit 2 blocks and its stderr is for the model; what a hook prints with exit 0 is added to the
model's context. Nothing can be asked or granted. Version 2 of its command line spells events
with a small letter.
"""

from penstock.doors.hook.agents import common
from penstock.doors.hook.messages import AFTER, BEFORE, OTHER, HookCall, started, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from penstock.doors.hook.messages import Document, Entries, Environ

NAME = "kiro"
TITLE = "Kiro"
EVENTS = {"pretooluse": BEFORE, "posttooluse": AFTER}
say = common.by_exit_code


def read(document: "Document", environ: "Environ") -> HookCall:
    """Return what Kiro is about to do."""
    event = EVENTS.get(text(document.get("hook_event_name")).lower(), OTHER)
    return common.made(NAME, event, document, root=started(environ))


def registration(command: str, *, strict: bool) -> "Entries":
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
                "timeout": common.TIMEOUT,
            },
            "defaults": {"version": "v1"},
        }
        for event in ("PreToolUse", "PostToolUse")
    ]
