"""Where a hook is registered and how it is started: for one person, a team, or every project.

`local` is one person's own file in the project, with the absolute interpreter of this machine.
`shared` is the file that a team commits, with a command that finds `penstock-hook` on PATH and
denies the call where it is missing. `global` is a file in the home. An agent that reads one file
only in a project has the same file for both; then the command tells which it is.
Always true: a shared command never lets a call pass because Penstock is missing or broken.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Mapping

from msgspec import Struct

import penstock
from penstock.core.distribution import NAME
from penstock.core.own_commands import HOOK_PROGRAM
from penstock.doors.hook.agents import NAMES, agent_module
from penstock.doors.hook.main import CLOSED
from penstock.doors.setup.agent_files import SettingsPlace

LOCAL, SHARED, GLOBAL = "local", "shared", "global"
SCOPES = (LOCAL, SHARED, GLOBAL)
SHELL = "/bin/sh"
MADE_BY = "penstock-"  # the name of the shell in a shared command: who wrote it

# Files that an agent reads beside the ones that are committed.
LOCAL_FILES: Mapping[str, str] = {
    ".claude/settings.json": ".claude/settings.local.json",
    ".github/hooks/penstock.json": ".github/hooks/penstock.local.json",
    ".kiro/hooks/penstock.json": ".kiro/hooks/penstock.local.json",
}


class HomeFolder(Struct, frozen=True, kw_only=True):
    """Where an agent's settings are in the home: what replaces the beginning of a project's file.

    `below` is where in the variable's place they lie.
    """

    replaces: str
    usual: str
    variable: str = ""
    below: str = ""


HOMES: Mapping[str, HomeFolder] = {
    "claude": HomeFolder(replaces=".claude/", usual=".claude", variable="CLAUDE_CONFIG_DIR"),
    "codex": HomeFolder(replaces=".codex/", usual=".codex", variable="CODEX_HOME"),
    "gemini": HomeFolder(
        replaces=".gemini/", usual=".gemini", variable="GEMINI_CLI_HOME", below=".gemini"
    ),
    "cursor": HomeFolder(replaces=".cursor/", usual=".cursor", variable="CURSOR_CONFIG_DIR"),
    "copilot": HomeFolder(replaces=".github/", usual=".copilot", variable="COPILOT_HOME"),
    "windsurf": HomeFolder(replaces=".windsurf/", usual=".codeium/windsurf"),
    "kiro": HomeFolder(replaces=".kiro/", usual=".kiro", variable="KIRO_HOME"),
    "cline": HomeFolder(replaces=".clinerules/hooks/", usual="Documents/Cline/Hooks"),
    "qwen": HomeFolder(replaces=".qwen/", usual=".qwen", variable="QWEN_HOME"),
    "opencode": HomeFolder(
        replaces=".opencode/", usual=".config/opencode", variable="OPENCODE_CONFIG_DIR"
    ),
    "amp": HomeFolder(replaces=".amp/", usual=".config/amp"),
}


# Files


def file_in(scope: str, agent: str, file: str, place: SettingsPlace) -> str:
    """Return where an entry for a project's file goes; in the home it is absolute, links resolved.

    A person who keeps their settings elsewhere and links to them wants them changed there.
    """
    if scope == LOCAL:
        return LOCAL_FILES.get(file, file)
    if scope == SHARED:
        return file
    rest = file.removeprefix(HOMES[agent].replaces)
    return os.path.realpath(os.path.join(home_folder(agent, place), rest))


def home_folder(agent: str, place: SettingsPlace) -> str:
    """Return where an agent's settings for every project lie."""
    home = HOMES[agent]
    if not place.environ.get(home.variable, "") and home.usual.startswith(".config/"):
        rest = home.usual.removeprefix(".config/")
        return place.settings("XDG_CONFIG_HOME", home.usual, below=rest)
    return place.settings(home.variable, home.usual, below=home.below)


def project_files() -> dict[str, str]:
    """Return every file in a project that a registration may be in, with its agent."""
    found: dict[str, str] = {}
    for agent in NAMES:
        for file in _files(agent):
            found[file] = agent
            found[LOCAL_FILES.get(file, file)] = agent
    return found


def home_files(place: SettingsPlace) -> dict[str, str]:
    """Return every file in the home that a registration may be in, with its agent."""
    return {file_in(GLOBAL, agent, file, place): agent for agent in NAMES for file in _files(agent)}


def has_one_file(agent: str) -> bool:
    """Say whether an agent reads the same file in a project for one person and for a team."""
    return not any(file in LOCAL_FILES for file in _files(agent))


def _files(agent: str) -> list[str]:
    entries = agent_module(agent).registration("", strict=False)
    return list(dict.fromkeys(str(entry["file"]) for entry in entries))


# Commands


def hook_command(agent: str, *, closed: bool = False) -> str:
    """Return the command for this machine: absolute, isolated, quoted for a shell.

    `closed` makes a hook that fails refuse, as far as it lives to say so.
    """
    launcher = os.path.join(os.path.dirname(os.path.abspath(penstock.__file__)), "hook.py")
    more = [CLOSED] if closed else []
    return shlex.join([interpreter(), "-I", "-S", launcher, agent, *more])


def shared_command(agent: str, *, closed: bool = False) -> str:
    """Return the command for every machine; where Penstock is missing the call is denied.

    A whole `sh -c`, because some agents start commands with the user's own shell. What others
    put on Python's path has no business in a hook. 126 and 127 are a program that is missing or
    cannot be started; `closed` takes every other failure for one, too.
    """
    more = f" {CLOSED}" if closed else ""
    passed = "0|2" if closed else "126|127"
    refused = _refusal(agent)
    ends = (
        f"case $code in {passed}) exit $code;; esac; {refused}"
        if closed
        else f"case $code in {passed}) {refused};; esac; exit $code"
    )
    script = (
        "unset PYTHONPATH PYTHONHOME; code=127; "
        f"if command -v {HOOK_PROGRAM} >/dev/null; then {HOOK_PROGRAM} {agent}{more}; code=$?; fi; "
        f"{ends}"
    )
    return shlex.join([SHELL, "-c", script, f"{MADE_BY}{penstock.__version__}"])


MISSING = (
    "Denied: Penstock protects this project, but its hook can't be started on this machine "
    f"({HOOK_PROGRAM} is missing on PATH, or broken). Install it with: pipx install {NAME} "
    "(or: pip install {name}), then start a new session. [not-installed]"
).replace("{name}", NAME)


def _refusal(agent: str) -> str:
    """Return how a shell says no to an agent: exit 2 with a reason, or Cline's own JSON."""
    if agent == "cline":
        said = json.dumps({"cancel": True, "errorMessage": MISSING})
        return f"echo {shlex.quote(said)}; exit 0"
    return f'echo "{MISSING}" >&2; exit 2'


def written_by(command: str) -> str:
    """Return the version of Penstock that wrote a shared command, "" for any other command."""
    try:
        last = shlex.split(command)[-1]
    except (ValueError, IndexError):
        return ""
    return last.removeprefix(MADE_BY) if last.startswith(MADE_BY) else ""


def interpreter() -> str:
    """Return this Python, as the environment names it, so that it survives an upgrade below it.

    A shim (a script that looks for a Python each time) costs many starts and depends on the
    directory; what runs now is known better.
    """
    named = os.path.abspath(sys.executable) if sys.executable else ""
    if named and not is_shim(named):
        return named
    base = getattr(sys, "_base_executable", "") or os.path.realpath("/proc/self/exe")
    return os.path.abspath(base)


def is_shim(path: str) -> bool:
    """Say whether an interpreter is a script that starts another one."""
    try:
        with open(path, "rb") as file:
            return file.read(2) == b"#!"
    except OSError:
        return False
