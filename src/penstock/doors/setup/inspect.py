"""Look at a project's registrations without running anything.

Is each event registered that should be, does the hook get to see every tool, is its
interpreter still there and an interpreter at all, would a stopped server be an open door; is
one registered twice, by another version or from another installation.
Always true: what is compared with is what `init` would write today.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any

import penstock
from penstock.core.distribution import NAME
from penstock.core.own_commands import HOOK_PROGRAM, PENSTOCK
from penstock.core.text.late_regex import late_regex
from penstock.doors.hook.agents import agent_module
from penstock.doors.setup.agent_files import BAD, NOTE, OK, WARN, Finding, SettingsPlace, shown
from penstock.doors.setup.entries import HOOK
from penstock.doors.setup.registrations import Registration, find_everywhere
from penstock.doors.setup.scopes import (
    LOCAL,
    SHARED,
    hook_command,
    is_shim,
    shared_command,
    written_by,
)
from penstock.doors.setup.unseen_reads import unseen

KEEP_OUT = "keep secrets outside the project if this matters"
START = "sessionstart"  # whatever its capitals
ENDS = ("stop", "afteragent")
INIT = "run `penstock init` again in your own terminal"
SECONDS = 20.0


def looked_at(agent: str, mine: list[Registration]) -> Iterator[Finding]:
    """Yield what is to be said about the registrations of one agent."""
    for file in dict.fromkeys(_group(one) for one in mine):
        yield from _missing(agent, [one for one in mine if _group(one) == file])
    yield from _commands(mine)
    yield from _open_http(mine)
    if mine:
        yield Finding(name="reads", status=NOTE, what=unseen(agent), hint=KEEP_OUT)


def _group(one: Registration) -> str:
    """Return what holds a whole registration: a settings file, or a directory of files of ours."""
    return one.file if one.event else os.path.dirname(one.file)


def registered_hooks(place: SettingsPlace) -> list[dict[str, object]]:
    """Return each registration: the agent, the file, for whom, and whether it can work.

    Nothing is run for it.
    """
    found = find_everywhere(place)
    rows = dict.fromkeys((one.agent, one.file, one.scope) for one in found)
    return [
        {
            "agent": agent,
            "file": file,
            "scope": scope,
            "ok": _can_work(agent, [one for one in found if one.file == file], found),
        }
        for agent, file, scope in rows
    ]


def _can_work(agent: str, mine: list[Registration], found: list[Registration]) -> bool:
    beside = [one for one in found if one.agent == agent and _group(one) == _group(mine[0])]
    findings = [*looked_at(agent, beside if not mine[0].event else mine)]
    return all(finding.status != BAD for finding in findings)


def sight(place: SettingsPlace) -> Callable[[str], list[str]]:
    """Return what tells which agents' registered hooks get to see a call of a tool beforehand."""
    before = [one for one in find_everywhere(place) if not one.event or _BEFORE.search(one.event)]

    @cache
    def agents(tool: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.agent for one in before if _sees(one.matcher, tool)))

    return lambda tool: list(agents(tool))


_BEFORE = late_regex(r"(?i)pre|before|permission")


def _sees(matcher: str, tool: str) -> bool:
    if matcher in ("", "*"):
        return True
    try:
        return re.fullmatch(matcher, tool) is not None
    except re.error:
        return False


# Several registrations of one agent


def compared(mine: Sequence[Registration], place: SettingsPlace) -> Iterator[Finding]:
    """Compare an agent's registrations with each other and with this installation."""
    yield from _doubled(mine, place)
    yield from _shared(mine)
    for command in dict.fromkeys(command_of(one) for one in mine if HOOK in one.runs):
        if _launcher(command) not in ("", _launcher(hook_command("claude"))):
            yield Finding(
                name="installation",
                status=WARN,
                what=f"the hook runs another installation: `{_launcher(command)}`",
                hint="the registered one decides; run `penstock init` to register this one",
            )


def _doubled(mine: Sequence[Registration], place: SettingsPlace) -> Iterator[Finding]:
    scopes = {(_group(one), one.scope): one for one in mine}
    if len(scopes) < 2:
        return
    names = [f"`{shown(one.file, place)}` ({one.scope})" for one in scopes.values()]
    yield Finding(
        name="double",
        status=WARN,
        what=f"registered {len(names)} times: {', '.join(names)}; each call is judged by all of "
        "them, and the strictest answer wins",
        hint=_keep_one({scope for _, scope in scopes}),
    )


def _keep_one(scopes: set[str]) -> str:
    if LOCAL in scopes:
        return "`penstock init --local` or `--shared` keeps only one"
    return "keep both, or remove the global one with `penstock uninstall --global`"


def _shared(mine: Sequence[Registration]) -> Iterator[Finding]:
    """Compare the shared command with the program that it finds here, and with today's command."""
    shared = next((one for one in mine if one.scope == SHARED), None)
    if shared is None:
        return
    command = command_of(shared)
    version = written_by(command)
    today = {shared_command(shared.agent), shared_command(shared.agent, closed=True)}
    if command not in today:
        whose = f"version {version}" if version else "something else"
        yield Finding(
            name="command-differs",
            status=NOTE,
            what=f"the command in `{shared.file}` was written by {whose} and is not the one that "
            f"{penstock.__version__} writes; the committed one is what runs",
            hint="`penstock init --shared` updates it; commit the result",
        )
    found = _on_path()
    installed = _version_beside(found) if found else ""
    if found and installed not in ("", penstock.__version__):
        yield Finding(
            name="version",
            status=WARN,
            what=f"`{found}` is version {installed}, and this command {penstock.__version__}; "
            "the first one on PATH is what judges",
            hint="upgrade the older one",
        )


def _on_path() -> str | None:
    """Return the program that a shared command finds here."""
    import shutil  # few who look at registrations have a shared one

    return shutil.which(HOOK_PROGRAM)


def _version_beside(program: str) -> str:
    """Return the version of the installation that a program of ours belongs to, if it tells."""
    import subprocess

    beside = os.path.join(os.path.dirname(program), PENSTOCK)
    try:
        done = subprocess.run(  # noqa: S603 - the command that belongs to the registered one
            [beside, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    words = done.stdout.split()
    return words[-1] if done.returncode == 0 and words else ""


def _launcher(command: str) -> str:
    return next((word for word in _words(command) if word.endswith(HOOK)), "")


def _missing(agent: str, mine: list[Registration]) -> Iterator[Finding]:
    """Compare what is registered with what `init` would register."""
    entries = agent_module(agent).registration("x" + HOOK, strict=False)
    wanted = {_wanted_event(entry) for entry in entries}
    there = {event_of(one) for one in mine}
    # A session's start only warms the engine, except Claude Code's, which also remembers the
    # settings; a registration from before there was one for the others protects all the same.
    spare = {event: "start" for event in wanted if event.lower() == START and agent != "claude"}
    # The end of a turn only syncs an isolated run a little earlier.
    spare |= {event: "turn-end" for event in wanted if event.lower() in ENDS}
    for event in sorted(wanted - there):
        what = f"nothing is registered for `{event}`"
        status, name = (NOTE, spare[event]) if event in spare else (BAD, "registered")
        yield Finding(name=name, status=status, what=what, hint=INIT)
    matchers = {_wanted_event(entry): _matcher(entry) for entry in entries}
    for one in mine:
        if one.matcher != matchers.get(event_of(one), one.matcher):
            yield Finding(
                name="matcher",
                status=BAD,
                what=f"`{one.file}` runs the hook only for `{one.matcher}`",
                hint=INIT,
            )
    if wanted - spare.keys() <= there:
        files = ", ".join(dict.fromkeys(one.file for one in mine))
        yield Finding(name="registered", status=OK, what=f"registered in {files}")


def _wanted_event(entry: Any) -> str:
    if "at" not in entry:
        return str(os.path.basename(entry["file"]))
    return str(entry["at"][-1] if len(entry["at"]) > 1 else entry["add"]["trigger"])


def _matcher(entry: Any) -> str:
    added = entry.get("add")
    return str(added.get("matcher", "")) if isinstance(added, dict) else ""


def event_of(one: Registration) -> str:
    """Return the event of a registration; a file of ours is named after it."""
    return one.event or os.path.basename(one.file)


def _commands(mine: Iterable[Registration]) -> Iterator[Finding]:
    """Look at each command without running it: is its interpreter there, is it one at all."""
    if any(one.scope == SHARED for one in mine) and _on_path() is None:
        yield Finding(
            name="command",
            status=BAD,
            what=f"`{HOOK_PROGRAM}` is not on PATH here, so every call is denied",
            hint=f"pipx install {NAME}, or put its directory on PATH",
        )
    for command in dict.fromkeys(command_of(one) for one in mine if HOOK in one.runs):
        words = _words(command)
        if len(words) < 2:
            yield Finding(
                name="command", status=BAD, what=f"`{command}` is not a command", hint=INIT
            )
            continue
        python, launcher = words[0], next((word for word in words if HOOK in word), "")
        for path in (python, launcher):
            if not os.path.exists(path):
                yield Finding(
                    name="command", status=BAD, what=f"`{path}` no longer exists", hint=INIT
                )
        if os.path.exists(python) and not os.access(python, os.X_OK):
            yield Finding(
                name="command", status=BAD, what=f"`{python}` can't be executed", hint=INIT
            )
        if not os.path.isabs(python) or is_shim(python):
            yield Finding(
                name="shim",
                status=BAD,
                what=f"`{python}` is not an interpreter but a shim that looks for one",
                hint=INIT,
            )


def _open_http(mine: Iterable[Registration]) -> Iterator[Finding]:
    for one in mine:
        hook = http_of(one)
        if hook and one.event == "PreToolUse" and hook.get("onFailure") != "block":
            yield Finding(
                name="http",
                status=BAD,
                what="a stopped server would allow everything: `onFailure` is not `block`",
                hint=INIT,
            )


def http_of(one: Registration) -> dict[str, Any]:
    """Return the registered value of a hook over HTTP, empty for a command."""
    value = one.value if isinstance(one.value, dict) else {}
    inner = value.get("hooks")
    hooks = inner if isinstance(inner, list) else [value]
    return next((h for h in hooks if isinstance(h, dict) and h.get("url") == one.runs), {})


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return []


def command_of(one: Registration) -> str:
    """Return the command of a registration; of a plugin of ours, the one that it starts."""
    if one.runs.startswith("exec "):
        return one.runs.removeprefix("exec ")
    if one.runs.startswith("const "):
        try:
            return shlex.join(json.loads(one.runs[one.runs.index("[") : one.runs.rindex("]") + 1]))
        except (ValueError, TypeError):
            return one.runs
    return one.runs
