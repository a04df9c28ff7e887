"""One module for each agent: how it says what it is about to do, and how it is answered.

A module has `NAME`, `TITLE`, `read(document, environ) -> Call`, `say(call, answer) -> Reply`
and `registration(command, *, strict) -> list of entries` (see `doors/setup/registrations.py`).
What the families of agents share is `common`'s.
Enter by the module that is named like the agent.
Imported by: `doors.hook`, `doors.setup`, `doors.doctor`.
Always true: these modules import nothing but `talk`, `chain` and `common`, because the hook that
starts cold loads one of them; what an agent cannot say is said on the safe side.
"""

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
