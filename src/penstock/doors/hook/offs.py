"""Every way we know in which an agent's hooks can be off while they look registered.

Reads the agents' settings, in the project, in the home and for all users, as the agents do.
Whether a hook that runs answers rightly is `probe`'s.
Always true: looking changes nothing, and a file that cannot be read is told rather than passed
over.
"""

from __future__ import annotations

import glob
import json
import os
import tomllib
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from penstock.core.digest import digest
from penstock.core.errors import InputError
from penstock.doors.hook import jsontext
from penstock.doors.hook.entries import places, value_at

OK, NOTE, WARN, BAD = "ok", "note", "warn", "bad"
LARGEST = 16 * 1024 * 1024
CLAUDE_TYPES = frozenset({"command", "http", "mcp_tool", "prompt", "agent"})
CODEX_TYPES = frozenset({"command", "mcp_tool", "prompt", "agent"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """One thing that was looked at: how it is, and what to do where it is not well."""

    name: str
    status: str
    what: str
    hint: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where to look. `system` is put in front of the paths that are for all users."""

    root: str
    home: str
    system: str = ""
    claude: str = ""  # where they are not in the home: CLAUDE_CONFIG_DIR
    codex: str = ""  # CODEX_HOME


def place_of(root: str) -> Place:
    """Return where to look for a project on this machine."""
    environ = os.environ
    return Place(
        root=root,
        home=os.path.expanduser("~"),
        claude=environ.get("CLAUDE_CONFIG_DIR", ""),
        codex=environ.get("CODEX_HOME", ""),
    )


def ways_off(agent: str, place: Place) -> Iterator[Finding]:
    """Yield what speaks against an agent's hooks being run."""
    for look in LOOKS.get(agent, ()):
        yield from look(place)


# Claude Code, and those that took over its settings


def claude_files(place: Place) -> list[str]:
    """Return every settings file that Claude Code reads."""
    own = [os.path.join(place.root, ".claude", name) for name in ("settings.json", LOCAL)]
    managed = [
        f"{place.system}/etc/claude-code",
        f"{place.system}/Library/Application Support/ClaudeCode",
    ]
    wide = [os.path.join(folder, "managed-settings.json") for folder in managed]
    for folder in managed:
        wide += sorted(glob.glob(glob.escape(folder) + "/managed-settings.d/*.json"))
    folder = place.claude or os.path.join(place.home, ".claude")
    return [*own, os.path.join(folder, "settings.json"), *wide]


LOCAL = "settings.local.json"


def _claude(place: Place) -> Iterator[Finding]:
    for path in claude_files(place):
        document = yield from _settings(path, place)
        if document is None:
            continue
        yield from _disabled(document, path, place)
        yield from _types(document, path, place, CLAUDE_TYPES)
        if "managed-settings" in path and document.get("allowManagedHooksOnly"):
            yield Finding(
                name="managed-only",
                status=BAD,
                what=f"`{_shown(path, place)}` lets managed hooks run only",
                hint="have the hook added to the managed settings",
            )
    yield Finding(
        name="switches",
        status=NOTE,
        what="`claude --bare` and `--safe-mode` run no hooks, except those of managed settings",
    )


def _qwen(place: Place) -> Iterator[Finding]:
    for folder in (place.root, place.home):
        path = os.path.join(folder, ".qwen/settings.json")
        document = yield from _settings(path, place)
        if document is not None:
            yield from _disabled(document, path, place)


def _disabled(document: Mapping[str, Any], path: str, place: Place) -> Iterator[Finding]:
    if document.get("disableAllHooks"):
        yield Finding(
            name="disabled",
            status=BAD,
            what=f"`{_shown(path, place)}` sets disableAllHooks, which stops all hooks",
            hint="take that line out",
        )


def _types(
    document: Mapping[str, Any], path: str, place: Place, known: frozenset[str]
) -> Iterator[Finding]:
    """One hook of a type that the agent does not know drops all hooks of its file."""
    for event, group in _groups(document):
        inner = group.get("hooks")
        for hook in inner if isinstance(inner, list) else ():
            kind = hook.get("type") if isinstance(hook, dict) else None
            if kind not in known:
                yield Finding(
                    name="hook-type",
                    status=BAD,
                    what=f"`{_shown(path, place)}` has a hook of type `{kind}` for `{event}`, "
                    "which drops every hook of the file",
                    hint="correct or remove that hook",
                )


def _groups(document: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    hooks = document.get("hooks")
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for group in groups if isinstance(groups, list) else ():
            if isinstance(group, dict):
                yield event, group


# Codex


def _codex(place: Place) -> Iterator[Finding]:
    own = os.path.join(place.root, ".codex/hooks.json")
    document = yield from _settings(own, place)
    if document is not None:
        yield from _types(document, own, place, CODEX_TYPES)
    folder = place.codex or os.path.join(place.home, ".codex")
    config = os.path.join(folder, "config.toml")
    for path in (config, os.path.join(place.root, ".codex/config.toml")):
        features = _toml(path).get("features")
        if isinstance(features, dict) and features.get("hooks") is False:
            yield Finding(
                name="disabled",
                status=BAD,
                what=f"`{_shown(path, place)}` switches the feature `hooks` off",
                hint="take `hooks = false` out of [features]",
            )
    if document is not None:
        yield _codex_trust(_toml(config), own, document)


def _codex_trust(config: Mapping[str, Any], path: str, document: Mapping[str, Any]) -> Finding:
    """An untrusted hook is skipped without a word, and so is one that changed since."""
    state = _table(_table(config, "hooks"), "state")
    trusted: set[str] = set()
    for event, group, handler, value in _codex_hooks(document):
        keys = {f"{one}:{event}:{group}:{handler}" for one in (path, os.path.realpath(path))}
        rows = [row for key, row in state.items() if key in keys and isinstance(row, dict)]
        same = any(row.get("trusted_hash") == codex_hash(event, value) for row in rows)
        off = any(row.get("enabled") is False for row in rows)
        trusted.add("off" if off else "trusted" if same else "changed" if rows else "never")
    if trusted == {"trusted"}:
        return Finding(name="trust", status=OK, what="a person trusted the hook in Codex")
    why = {
        "off": "the hook is switched off in Codex",
        "changed": "the hook has changed since a person trusted it, and Codex skips it",
        "never": "Codex has not been told to trust the hook, and skips it without a word",
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


SNAKE = {"PreToolUse": "pre_tool_use", "PostToolUse": "post_tool_use"}
Json = dict[str, Any]


def codex_hash(event: str, group: Json) -> str:
    """Return the digest that Codex keeps of a hook that was trusted (as of 0.166)."""
    hooks = [{"async": False, **hook} for hook in group["hooks"]]
    known = {"event_name": event, "hooks": hooks, "matcher": group.get("matcher")}
    text = json.dumps(known, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return digest(text.encode("utf-8", "surrogatepass"))


# Gemini


def gemini_files(place: Place) -> list[str]:
    """Return every settings file that Gemini reads."""
    return [
        os.path.join(place.root, ".gemini/settings.json"),
        os.path.join(place.home, ".gemini/settings.json"),
        f"{place.system}/etc/gemini-cli/settings.json",
    ]


def _gemini(place: Place) -> Iterator[Finding]:
    trusting = True
    for path in gemini_files(place):
        document = yield from _settings(path, place)
        if document is None:
            continue
        hooks, tools = _table(document, "hooksConfig"), _table(document, "tools")
        if hooks.get("enabled") is False or tools.get("enableHooks") is False:
            yield Finding(
                name="disabled",
                status=BAD,
                what=f"`{_shown(path, place)}` switches hooks off (`hooksConfig.enabled`)",
                hint="take that line out",
            )
        if hooks.get("disabled"):
            yield Finding(
                name="disabled-some",
                status=WARN,
                what=f"`{_shown(path, place)}` switches some hooks off by name",
                hint="see that Penstock's is not among them: /hooks",
            )
        trust = _table(_table(document, "security"), "folderTrust")
        trusting = trusting and trust.get("enabled") is not False
    if trusting:
        yield _gemini_trust(place)


def _gemini_trust(place: Place) -> Finding:
    try:
        said = _json(os.path.join(place.home, ".gemini/trustedFolders.json")) or {}
    except InputError:
        said = {}
    for path, trust in said.items():
        trusted = {"TRUST_FOLDER": path, "TRUST_PARENT": os.path.dirname(path)}.get(str(trust), "")
        if trusted and _below(place.root, trusted):
            return Finding(name="trust", status=OK, what="the folder is trusted in Gemini")
    return Finding(
        name="trust",
        status=BAD,
        what="the folder is not trusted in Gemini, which runs no project hooks then",
        hint="start gemini in this project and trust the folder",
    )


# All others


def _plain(*files: str) -> Callable[[Place], Iterator[Finding]]:
    """Look only whether some files of the project can be read at all."""

    def look(place: Place) -> Iterator[Finding]:
        for file in files:
            yield from _settings(os.path.join(place.root, file), place)

    return look


def _cursor(place: Place) -> Iterator[Finding]:
    document = yield from _settings(os.path.join(place.root, ".cursor/hooks.json"), place)
    if document is not None and document.get("version") != 1:
        yield Finding(
            name="version",
            status=BAD,
            what="`.cursor/hooks.json` has no `version` of 1, and Cursor does not read it",
            hint='add "version": 1',
        )


def _copilot(place: Place) -> Iterator[Finding]:
    document = yield from _settings(os.path.join(place.root, ".github/hooks/penstock.json"), place)
    if document is None:
        return
    config = _commented(os.path.join(place.home, ".copilot/config.json"))
    for key in ("trustedFolders", "trusted_folders"):
        folders = config.get(key)
        for folder in folders if isinstance(folders, list) else ():
            if _below(place.root, str(folder)):
                yield Finding(name="trust", status=OK, what="the folder is trusted in Copilot")
                return
    yield Finding(
        name="trust",
        status=BAD,
        what="the folder is not trusted in Copilot, whose `-p` runs no project hooks then",
        hint="start copilot in this project and trust the folder",
    )


LOOKS: Mapping[str, Sequence[Callable[[Place], Iterator[Finding]]]] = {
    "claude": (_claude,),
    "codex": (_codex,),
    "gemini": (_gemini,),
    "qwen": (_qwen,),
    "cursor": (_cursor,),
    "copilot": (_copilot,),
    "windsurf": (_plain(".windsurf/hooks.json"),),
    "kiro": (_plain(".kiro/hooks/penstock.json"),),
}


# Reading


def _settings(path: str, place: Place) -> Generator[Finding, None, dict[str, Any] | None]:
    """Return a settings file as an object, None where there is none; tell what is wrong."""
    try:
        return _json(path)
    except InputError as wrong:
        yield Finding(
            name="settings",
            status=BAD,
            what=f"`{_shown(path, place)}` cannot be read, and its hooks are dropped: "
            f"{wrong.because or wrong.message}",
            hint="repair the file",
        )
    return None


def _json(path: str) -> dict[str, Any] | None:
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST)
    except FileNotFoundError:
        return None
    except OSError as fault:
        raise InputError(
            "unreadable", f"`{path}`", because=(fault.strerror or "").lower()
        ) from None
    document = jsontext.read(data, path)[1]
    if not isinstance(document, dict):
        why = "it is not an object"
        raise InputError("settings-shape", f"`{path}` has no settings", because=why)
    return document


def _commented(path: str) -> dict[str, Any]:
    """Return a file that an agent manages: JSON with lines of comment; {} where it is none."""
    try:
        with open(path, encoding="utf-8") as file:
            lines = [line for line in file.read(LARGEST).split("\n") if line.lstrip()[:2] != "//"]
        found = json.loads("\n".join(lines))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _below(path: str, folder: str) -> bool:
    return (path + "/").startswith(folder.rstrip("/") + "/")


def _toml(path: str) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except (OSError, ValueError):
        return {}


def _table(document: Mapping[str, Any], key: str) -> dict[str, Any]:
    found = document.get(key)
    return found if isinstance(found, dict) else {}


def _shown(path: str, place: Place) -> str:
    """Return a path as a person finds it: from the project, from the home, or whole."""
    for above, sign in ((place.root, ""), (place.home, "~/")):
        if above and path.startswith(above + "/"):
            return sign + path[len(above) + 1 :]
    return path
