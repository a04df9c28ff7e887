"""One module for each agent: how it says what it is about to do, and how it is answered.

A module has `NAME`, `TITLE`, `read(document, environ) -> HookCall`, `say(call, answer) -> Reply`
and `registration(command, *, strict) -> list of entries` (see `doors/setup/entries.py`); where the
agent shows its user what `warnings` say, `shows(call) -> bool` tells at which events.
What the families of agents share is `common`'s.
Enter by the module that is named like the agent, or `agent_module`.
Imported by: `doors.hook`, `doors.setup` and `cli`.
Always true: these modules import nothing but small modules of the fast path, because a hook without
a daemon loads one of them; what an agent cannot say is said on the safe side.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAMES = (
    "claude",
    "codex",
    "gemini",
    "cursor",
    "copilot",
    "windsurf",
    "kiro",
    "cline",
    "qwen",
    "opencode",
    "amp",
)

# At which events (see `messages`) a note reaches an agent's model; the reason of a denial always
# does. Measured where `docs/reference/agents.md` says so, else as the agents document it.
_ALWAYS = ("before", "after", "start")
HEARS = {
    "claude": _ALWAYS,
    "codex": _ALWAYS,
    "gemini": ("after", "start"),
    "cursor": ("after", "start"),
    "copilot": _ALWAYS,
    "windsurf": (),
    "kiro": _ALWAYS,
    "cline": _ALWAYS,
    "qwen": _ALWAYS,
    "opencode": _ALWAYS,
    "amp": (),
}


def agent_module(agent: str) -> "Any":
    """Return the module of one agent. Raises InputError `unknown-agent`."""
    if agent not in NAMES:
        from penstock.core.errors import InputError

        known = ", ".join(NAMES)
        raise InputError("unknown-agent", f"there is no agent `{agent}`", hint=f"one of: {known}")
    return __import__(f"{__name__}.{agent}", fromlist=["read"])
