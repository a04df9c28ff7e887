"""Notice when an agent's settings would switch the hooks off.

Claude Code reads its settings again during a session and tells us of it; an answer of "block"
keeps the old hooks in force, though the file stays as it was written.
Always true: a settings file is only read here, and one that cannot be understood counts as
one that switches off: the client drops every hook of such a file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress

from penstock.app import Workspace
from penstock.core.errors import StoreError
from penstock.doors.hook.messages import HookCall

KNOWN = "hooked.json"
LARGEST = 4 << 20
OFF = "disableAllHooks"
NAME = "penstock"


def switches_off(here: Workspace, call: HookCall, environ: Mapping[str, str]) -> str:
    """Return why the settings as they are now would stop the hooks; "" when they do not."""
    before = _remembered(here)
    for path in dict.fromkeys([*_settings(here.root, environ), call.settings]):
        text = _text(path) if path else None
        why = _wrong(text, path in before) if text is not None else ""
        if why:
            return f"`{os.path.basename(path)}` {why}"
        if text is None and path in before:
            return f"`{os.path.basename(path)}` was deleted, including Penstock's hooks"
    return ""


def remember(here: Workspace, environ: Mapping[str, str]) -> None:
    """Remember which settings files hold our hooks now."""
    hooked = [path for path in _settings(here.root, environ) if NAME in (_text(path) or "")]
    with suppress(OSError, StoreError):
        here.write_state(KNOWN, json.dumps(hooked).encode())


def _wrong(text: str, had_hooks: bool) -> str:
    try:
        found = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return "is not JSON, which drops its hooks"
    if not isinstance(found, dict):
        return "is not an object, which drops its hooks"
    if found.get(OFF):
        return f"sets `{OFF}`"
    if had_hooks and NAME not in json.dumps(found.get("hooks", {})):
        return "no longer has Penstock's hooks"
    return ""


def _settings(root: str, environ: Mapping[str, str]) -> Iterator[str]:
    for folder in dict.fromkeys((root, environ.get("CLAUDE_PROJECT_DIR") or root)):
        yield os.path.join(folder, ".claude", "settings.json")
        yield os.path.join(folder, ".claude", "settings.local.json")
    home = environ.get("HOME", "")
    folder = environ.get("CLAUDE_CONFIG_DIR") or (os.path.join(home, ".claude") if home else "")
    if folder:
        yield os.path.join(root, folder, "settings.json")


def _text(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(LARGEST)
    except OSError:
        return None


def _remembered(here: Workspace) -> frozenset[str]:
    try:
        found = json.loads(here.read_state(KNOWN, limit=LARGEST) or b"[]")
    except (OSError, ValueError, StoreError):
        return frozenset()
    return frozenset(path for path in found if isinstance(path, str))
