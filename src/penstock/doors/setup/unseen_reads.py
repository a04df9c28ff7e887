"""Which reads of each agent no hook is asked about.

A rule against reading holds where the agent asks first. What the client itself puts into a
prompt, and what an agent has no event for, it never asks about; `doctor`, `judge` and the page
on agents say so in these words.
Always true: an agent that is registered has a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping

ATTACHED = "files attached with `@` in a prompt"
UNSEEN_READS: Mapping[str, str] = {
    "claude": f"{ATTACHED}, and editor context",
    "codex": f"{ATTACHED}, images, and text typed into a running shell",
    "gemini": ATTACHED,
    "cursor": f"{ATTACHED}, its index, and open editor tabs",
    "copilot": f"{ATTACHED}, and editor context",
    "windsurf": f"searches, its index, and {ATTACHED}",
    "kiro": ATTACHED,
    "cline": f"{ATTACHED}, and open editor tabs",
    "qwen": ATTACHED,
    "opencode": ATTACHED,
    "amp": ATTACHED,
}
EVERYWHERE = f"no hook is asked about {ATTACHED}"


def unseen(agent: str) -> str:
    """Return the sentence for one agent."""
    return f"hooks are not asked about {UNSEEN_READS.get(agent, ATTACHED)}"
