"""Which agents are here, and what a person still has to do for each of them.

An agent is here when its directory is in the project, in the home or where its variable says,
or its program on PATH.
Always true: looking changes nothing, and an agent that is not here is never guessed at.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping

from msgspec import Struct

from penstock.doors.hook.agents import NAMES

NOTHING: Mapping[str, str] = {}


class Signs(Struct, frozen=True, kw_only=True):
    """How an agent is noticed: names in the project and in the home, a variable, programs."""

    project: tuple[str, ...] = ()
    home: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    variable: str = ""


SIGNS: Mapping[str, Signs] = {
    "claude": Signs(
        project=(".claude", "CLAUDE.md"),
        home=(".claude", ".claude.json"),
        programs=("claude",),
        variable="CLAUDE_CONFIG_DIR",
    ),
    "codex": Signs(
        project=(".codex",), home=(".codex",), programs=("codex",), variable="CODEX_HOME"
    ),
    "gemini": Signs(
        project=(".gemini", "GEMINI.md"),
        home=(".gemini",),
        programs=("gemini",),
        variable="GEMINI_CLI_HOME",
    ),
    "cursor": Signs(
        project=(".cursor", ".cursorrules"),
        home=(".cursor",),
        programs=("cursor", "cursor-agent"),
        variable="CURSOR_CONFIG_DIR",
    ),
    "copilot": Signs(
        project=(".github/hooks", ".github/copilot-instructions.md"),
        home=(".copilot",),
        programs=("copilot",),
        variable="COPILOT_HOME",
    ),
    "windsurf": Signs(
        project=(".windsurf", ".devin"), home=(".codeium/windsurf",), programs=("windsurf",)
    ),
    "kiro": Signs(
        project=(".kiro",), home=(".kiro",), programs=("kiro", "kiro-cli"), variable="KIRO_HOME"
    ),
    "cline": Signs(
        project=(".clinerules", ".cline"),
        home=("Documents/Cline", ".cline"),
        programs=("cline",),
        variable="CLINE_DIR",
    ),
    "qwen": Signs(
        project=(".qwen", "QWEN.md"), home=(".qwen",), programs=("qwen",), variable="QWEN_HOME"
    ),
    "opencode": Signs(
        project=(".opencode", "opencode.json", "opencode.jsonc"),
        home=(".config/opencode",),
        programs=("opencode",),
        variable="OPENCODE_CONFIG_DIR",
    ),
    "amp": Signs(project=(".amp",), home=(".config/amp",), programs=("amp",)),
}

# What Penstock cannot do for a person, in the order in which it is done.
LEFT: Mapping[str, tuple[str, ...]] = {
    "claude": ("restart running sessions to load the hook",),
    "codex": (
        "start codex here, trust the project, then trust the hook with /hooks: until then it is "
        "skipped silently",
    ),
    "gemini": ("trust this folder in gemini; hooks do not run in untrusted folders",),
    "cursor": ("restart Cursor and check Settings > Hooks",),
    "copilot": (
        "start copilot here and trust the folder: `-p` runs no hooks in untrusted folders",
        "commit .github/hooks/penstock.json for the cloud agent, which needs Penstock too",
    ),
    "windsurf": ("restart the editor",),
    "kiro": (
        "restart Kiro; version 2 of its command line reads hooks from its agents' files only",
    ),
    "cline": ("enable hooks in Cline's settings",),
    "qwen": ("restart qwen",),
    "opencode": ("restart opencode",),
    "amp": ("restart amp; plugins are experimental there",),
}


def present(
    root: str, home: str, path: str | None = None, *, environ: Mapping[str, str] = NOTHING
) -> dict[str, str]:
    """Return the agents that are here, each with what tells so."""
    found = {agent: _sign(SIGNS[agent], root, home, path, environ) for agent in NAMES}
    return {agent: sign for agent, sign in found.items() if sign}


def _sign(signs: Signs, root: str, home: str, path: str | None, environ: Mapping[str, str]) -> str:
    for name in signs.project:
        if os.path.lexists(os.path.join(root, name)):
            return f"{name} in the project"
    for name in signs.home if home else ():
        if os.path.lexists(os.path.join(home, name)):
            return f"~/{name}"
    moved = environ.get(signs.variable, "") if signs.variable else ""
    if moved and os.path.isdir(os.path.expanduser(moved)):
        return f"${signs.variable}"
    for program in signs.programs:
        if shutil.which(program, path=path):
            return f"{program} on PATH"
    return ""
