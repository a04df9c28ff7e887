"""Which agents are here, and what a person still has to do for each of them.

An agent is here when its directory is in the project or in the home, or its program on PATH.
Always true: looking changes nothing, and an agent that is not here is never guessed at.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass

from penstock.doors.hook.agents import NAMES


@dataclass(frozen=True, kw_only=True, slots=True)
class Signs:
    """How an agent is noticed: names in the project, names in the home, programs on PATH."""

    project: tuple[str, ...] = ()
    home: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()


SIGNS: Mapping[str, Signs] = {
    "claude": Signs(
        project=(".claude", "CLAUDE.md"), home=(".claude", ".claude.json"), programs=("claude",)
    ),
    "codex": Signs(project=(".codex",), home=(".codex",), programs=("codex",)),
    "gemini": Signs(project=(".gemini", "GEMINI.md"), home=(".gemini",), programs=("gemini",)),
    "cursor": Signs(
        project=(".cursor", ".cursorrules"), home=(".cursor",), programs=("cursor", "cursor-agent")
    ),
    "copilot": Signs(
        project=(".github/hooks", ".github/copilot-instructions.md"),
        home=(".copilot",),
        programs=("copilot",),
    ),
    "windsurf": Signs(
        project=(".windsurf", ".devin"), home=(".codeium/windsurf",), programs=("windsurf",)
    ),
    "kiro": Signs(project=(".kiro",), home=(".kiro",), programs=("kiro", "kiro-cli")),
    "cline": Signs(
        project=(".clinerules", ".cline"), home=("Documents/Cline", ".cline"), programs=("cline",)
    ),
    "qwen": Signs(project=(".qwen", "QWEN.md"), home=(".qwen",), programs=("qwen",)),
    "opencode": Signs(
        project=(".opencode", "opencode.json", "opencode.jsonc"),
        home=(".config/opencode",),
        programs=("opencode",),
    ),
    "amp": Signs(project=(".amp",), home=(".config/amp",), programs=("amp",)),
}

# What Penstock cannot do for a person, in the order in which it is done.
LEFT: Mapping[str, tuple[str, ...]] = {
    "claude": ("start a new session; one that runs already may still have its old hooks",),
    "codex": (
        "start codex here, trust the project, then trust the hook with /hooks: until then it is "
        "skipped without a word",
    ),
    "gemini": ("trust this folder in gemini: hooks of an untrusted one do not run",),
    "cursor": ("restart Cursor, and look under Settings > Hooks",),
    "copilot": (
        "start copilot here and trust the folder: `-p` runs no hooks of an untrusted one",
        "commit .github/hooks/penstock.json for the cloud agent, which needs Penstock too",
    ),
    "windsurf": ("restart the editor",),
    "kiro": (
        "restart Kiro; version 2 of its command line reads hooks from its agents' files only",
    ),
    "cline": ("switch hooks on in Cline's settings",),
    "qwen": ("restart qwen",),
    "opencode": ("restart opencode",),
    "amp": ("restart amp; plugins are experimental there",),
}


def present(root: str, home: str, path: str | None = None) -> dict[str, str]:
    """Return the agents that are here, each with what tells so."""
    found = {agent: _sign(SIGNS[agent], root, home, path) for agent in NAMES}
    return {agent: sign for agent, sign in found.items() if sign}


def _sign(signs: Signs, root: str, home: str, path: str | None) -> str:
    for name in signs.project:
        if os.path.lexists(os.path.join(root, name)):
            return f"{name} in the project"
    for name in signs.home if home else ():
        if os.path.lexists(os.path.join(home, name)):
            return f"~/{name}"
    for program in signs.programs:
        if shutil.which(program, path=path):
            return f"{program} on PATH"
    return ""
