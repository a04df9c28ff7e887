"""Every way we know in which an agent's hooks can be off while they look registered.

Reads the agents' settings, in the project, in the home and for all users, as the agents do.
Whether a hook that runs answers rightly is `probe`'s.
Always true: looking changes nothing, and a file that cannot be read is told rather than passed
over.
"""

from __future__ import annotations

import glob
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from penstock.doors.doctor import trust
from penstock.doors.setup.agent_files import (
    BAD,
    NOTE,
    Finding,
    SettingsPlace,
    settings_of,
    shown,
    wrong_types,
)

GIT_SECONDS = 5.0
CLAUDE_TYPES = frozenset({"command", "http", "mcp_tool", "prompt", "agent"})


def ways_off(agent: str, place: SettingsPlace) -> Iterator[Finding]:
    """Yield what speaks against an agent's hooks being run."""
    for look in LOOKS.get(agent, ()):
        yield from look(place)


# Claude Code, and those that took over its settings


def claude_files(place: SettingsPlace) -> list[str]:
    """Return every settings file that Claude Code reads."""
    own = [os.path.join(place.root, ".claude", name) for name in ("settings.json", LOCAL)]
    managed = [
        f"{place.system}/etc/claude-code",
        f"{place.system}/Library/Application Support/ClaudeCode",
    ]
    wide = [os.path.join(folder, "managed-settings.json") for folder in managed]
    for folder in managed:
        wide += sorted(glob.glob(glob.escape(folder) + "/managed-settings.d/*.json"))
    folder = place.settings("CLAUDE_CONFIG_DIR", ".claude")
    return [*own, os.path.join(folder, "settings.json"), *wide]


LOCAL = "settings.local.json"


def _claude(place: SettingsPlace) -> Iterator[Finding]:
    for path in claude_files(place):
        document = yield from settings_of(path, place)
        if document is None:
            continue
        yield from _disabled(document, path, place)
        yield from wrong_types(document, path, place, CLAUDE_TYPES)
        if "managed-settings" in path and document.get("allowManagedHooksOnly"):
            yield Finding(
                name="managed-only",
                status=BAD,
                what=f"`{shown(path, place)}` allows only managed hooks",
                hint="ask your administrator to add the hook to the managed settings",
            )
    if _only_here(place.root, ".claude/settings.json"):
        yield Finding(
            name="worktree",
            status=NOTE,
            what="`.claude/settings.json` is not committed, so `claude --worktree` runs no hooks",
            hint="commit it, or register with `penstock init --agent claude --local`",
        )
    yield Finding(
        name="switches",
        status=NOTE,
        what="`claude --bare` and `--safe-mode` run no hooks, except those of managed settings",
    )


def _only_here(root: str, file: str) -> bool:
    """Say whether a file of a repository would be missing in a new worktree of it."""
    if not os.path.exists(os.path.join(root, file)):
        return False
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command; nothing of the project is run
            ["git", "-C", root, "ls-tree", "-z", "--name-only", "HEAD", "--", file],  # noqa: S607 - as the person's own
            capture_output=True,
            timeout=GIT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and not done.stdout


def _qwen(place: SettingsPlace) -> Iterator[Finding]:
    for path in (
        os.path.join(place.root, ".qwen/settings.json"),
        os.path.join(place.settings("QWEN_HOME", ".qwen"), "settings.json"),
        place.settings(
            "QWEN_CODE_SYSTEM_SETTINGS_PATH", f"{place.system}/etc/qwen-code/settings.json"
        ),
    ):
        document = yield from settings_of(path, place)
        if document is not None:
            yield from _disabled(document, path, place)


def _disabled(document: Mapping[str, Any], path: str, place: SettingsPlace) -> Iterator[Finding]:
    if document.get("disableAllHooks"):
        yield Finding(
            name="disabled",
            status=BAD,
            what=f"`{shown(path, place)}` sets disableAllHooks, which disables all hooks",
            hint="remove that line",
        )


# All others


def _plain(*files: str) -> Callable[[SettingsPlace], Iterator[Finding]]:
    """Look only whether some files of the project can be read at all."""

    def look(place: SettingsPlace) -> Iterator[Finding]:
        for file in files:
            yield from settings_of(os.path.join(place.root, file), place)

    return look


def _cursor(place: SettingsPlace) -> Iterator[Finding]:
    document = yield from settings_of(os.path.join(place.root, ".cursor/hooks.json"), place)
    if document is not None and document.get("version") != 1:
        yield Finding(
            name="version",
            status=BAD,
            what="`.cursor/hooks.json` has no `version: 1`, so Cursor ignores it",
            hint='add "version": 1',
        )


LOOKS: Mapping[str, Sequence[Callable[[SettingsPlace], Iterator[Finding]]]] = {
    "claude": (_claude,),
    "codex": (trust.codex,),
    "gemini": (trust.gemini,),
    "qwen": (_qwen,),
    "cursor": (_cursor,),
    "copilot": (trust.copilot,),
    "windsurf": (_plain(".windsurf/hooks.json"),),
    "kiro": (_plain(".kiro/hooks/penstock.json"),),
}
