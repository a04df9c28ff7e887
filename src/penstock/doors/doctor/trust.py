"""Whether an agent that runs trusted hooks only trusts ours: Codex, Gemini, Copilot.

Each of them skips what it does not trust without a word, so this is looked up where each of
them remembers it.
Always true: what cannot be found out counts as not trusted.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from penstock.core.digest import digest
from penstock.core.errors import InputError
from penstock.doors.setup.agent_files import (
    BAD,
    NOTE,
    OK,
    WARN,
    Finding,
    SettingsPlace,
    below,
    commented,
    json_of,
    settings_of,
    shown,
    table_of,
    toml_of,
    wrong_types,
)
from penstock.doors.setup.entries import places, value_at

CODEX_TYPES = frozenset({"command", "mcp_tool", "prompt", "agent"})

# Codex


def codex(place: SettingsPlace) -> Iterator[Finding]:
    """Look at Codex's settings and at what it trusts."""
    own = os.path.join(place.root, ".codex/hooks.json")
    document = yield from settings_of(own, place)
    if document is not None:
        yield from wrong_types(document, own, place, CODEX_TYPES)
    folder = place.settings("CODEX_HOME", ".codex")
    config = os.path.join(folder, "config.toml")
    for path in (config, os.path.join(place.root, ".codex/config.toml")):
        features = toml_of(path).get("features")
        if isinstance(features, dict) and features.get("hooks") is False:
            yield Finding(
                name="disabled",
                status=BAD,
                what=f"`{shown(path, place)}` disables the feature `hooks`",
                hint="remove `hooks = false` from [features]",
            )
    if document is not None:
        yield _codex_trust(toml_of(config), own, document)


def _codex_trust(config: Mapping[str, Any], path: str, document: Mapping[str, Any]) -> Finding:
    """An untrusted hook is skipped without a word, and so is one that changed since."""
    state = table_of(table_of(config, "hooks"), "state")
    trusted: set[str] = set()
    others: dict[str, set[str]] = {event: set() for event in CODEX_UNTRUSTED}
    for event, group, handler, value in _codex_hooks(document):
        keys = {f"{one}:{event}:{group}:{handler}" for one in (path, os.path.realpath(path))}
        rows = [row for key, row in state.items() if key in keys and isinstance(row, dict)]
        same = any(row.get("trusted_hash") == codex_hash(event, value) for row in rows)
        off = any(row.get("enabled") is False for row in rows)
        others.get(event, trusted).add(
            "off" if off else "trusted" if same else "changed" if rows else "never"
        )
    if trusted == {"trusted"}:
        what = "the hook is trusted in Codex"
        left = [CODEX_UNTRUSTED[event] for event, found in others.items() if not found <= trusted]
        if not left:
            return Finding(name="trust", status=OK, what=what)
        what = f"{what}, but not for {' or '.join(left)}"
        return Finding(name="trust", status=NOTE, what=what, hint="trust it with /hooks in codex")
    why = {
        "off": "the hook is disabled in Codex",
        "changed": "the hook has changed since it was trusted, so Codex skips it",
        "never": "the hook is not trusted in Codex, so Codex skips it silently",
    }
    return Finding(
        name="trust",
        status=BAD,
        what=next((why[one] for one in why if one in trusted), why["never"]),
        hint="start codex in this project, trust the project, then trust the hook with /hooks",
    )


def _codex_hooks(document: Mapping[str, Any]) -> Iterator[tuple[str, int, int, Json]]:
    """Yield each hook of ours as Codex counts it: event, group, place in it, and its group."""
    for place in places(document):
        _, event, number, *inner = place
        group = value_at(document, place[:3])
        handlers = group.get("hooks", [])
        for at in [int(inner[1])] if inner else range(len(handlers)):
            alone = {**group, "hooks": [handlers[at]]}
            yield SNAKE.get(str(event), str(event)), int(number), at, alone


SNAKE = {
    "PreToolUse": "pre_tool_use",
    "PostToolUse": "post_tool_use",
    "SessionStart": "session_start",
    "Stop": "stop",
}
# What protects nothing, with what is missing where it is not trusted.
CODEX_UNTRUSTED = {
    "session_start": "session start (the first call is slower)",
    "stop": "turn end (isolated runs are synced a little later)",
}
Json = dict[str, Any]


def codex_hash(event: str, group: Json) -> str:
    """Return the digest that Codex keeps of a hook that was trusted (as of 0.166)."""
    hooks = [{"async": False, **hook} for hook in group["hooks"]]
    matcher = {"matcher": group["matcher"]} if "matcher" in group else {}
    known = {"event_name": event, "hooks": hooks, **matcher}
    text = json.dumps(known, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return digest(text.encode("utf-8", "surrogatepass"))


# Gemini


def gemini_files(place: SettingsPlace) -> list[str]:
    """Return every settings file that Gemini reads."""
    return [
        os.path.join(place.root, ".gemini/settings.json"),
        os.path.join(_gemini_home(place), "settings.json"),
        place.settings(
            "GEMINI_CLI_SYSTEM_SETTINGS_PATH", f"{place.system}/etc/gemini-cli/settings.json"
        ),
    ]


def _gemini_home(place: SettingsPlace) -> str:
    return place.settings("GEMINI_CLI_HOME", ".gemini", below=".gemini")


def gemini(place: SettingsPlace) -> Iterator[Finding]:
    """Look at Gemini's settings and at what it trusts."""
    trusting = True
    for path in gemini_files(place):
        document = yield from settings_of(path, place)
        if document is None:
            continue
        hooks, tools = table_of(document, "hooksConfig"), table_of(document, "tools")
        if hooks.get("enabled") is False or tools.get("enableHooks") is False:
            yield Finding(
                name="disabled",
                status=BAD,
                what=f"`{shown(path, place)}` disables hooks (`hooksConfig.enabled`)",
                hint="remove that line",
            )
        if hooks.get("disabled"):
            yield Finding(
                name="disabled-some",
                status=WARN,
                what=f"`{shown(path, place)}` disables some hooks by name",
                hint="check with /hooks that Penstock's hook is not one of them",
            )
        trust = table_of(table_of(document, "security"), "folderTrust")
        trusting = trusting and trust.get("enabled") is not False
    if trusting:
        yield _gemini_trust(place)


def _gemini_trust(place: SettingsPlace) -> Finding:
    try:
        usual = os.path.join(_gemini_home(place), "trustedFolders.json")
        said = json_of(place.settings("GEMINI_CLI_TRUSTED_FOLDERS_PATH", usual)) or {}
    except InputError:
        said = {}
    for path, trust in said.items():
        trusted = {"TRUST_FOLDER": path, "TRUST_PARENT": os.path.dirname(path)}.get(str(trust), "")
        if trusted and below(place.root, trusted):
            return Finding(name="trust", status=OK, what="the folder is trusted in Gemini")
    return Finding(
        name="trust",
        status=BAD,
        what="the folder is not trusted in Gemini, so project hooks do not run",
        hint="start gemini in this project and trust the folder",
    )


# Copilot


def copilot(place: SettingsPlace) -> Iterator[Finding]:
    """Look at Copilot's hook file and at what it trusts."""
    document = yield from settings_of(
        os.path.join(place.root, ".github/hooks/penstock.json"), place
    )
    if document is None:
        return
    config = commented(os.path.join(place.settings("COPILOT_HOME", ".copilot"), "config.json"))
    for key in ("trustedFolders", "trusted_folders"):
        folders = config.get(key)
        for folder in folders if isinstance(folders, list) else ():
            if below(place.root, str(folder)):
                yield Finding(name="trust", status=OK, what="the folder is trusted in Copilot")
                return
    yield Finding(
        name="trust",
        status=BAD,
        what="the folder is not trusted in Copilot, so `-p` runs no project hooks",
        hint="start copilot in this project and trust the folder",
    )
