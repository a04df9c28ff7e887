"""Look at a project's registrations without running anything.

Is each event registered that should be, does the hook get to see every tool, is its
interpreter still there and an interpreter at all, would a stopped server be an open door.
Always true: what is compared with is what `init` would write today.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterable, Iterator
from typing import Any

from penstock.doors.hook.agents import agent_module
from penstock.doors.setup import registrations
from penstock.doors.setup.agent_files import BAD, NOTE, OK, Finding
from penstock.doors.setup.entries import HOOK
from penstock.doors.setup.registrations import Registration

START = "sessionstart"  # whatever its capitals
INIT = "run `penstock init` again, in a terminal of your own"


def looked_at(agent: str, mine: list[Registration]) -> Iterator[Finding]:
    """Yield what is to be said about the registrations of one agent."""
    yield from _missing(agent, mine)
    yield from _commands(mine)
    yield from _open_http(mine)


def _missing(agent: str, mine: list[Registration]) -> Iterator[Finding]:
    """Compare what is registered with what `init` would register."""
    entries = agent_module(agent).registration("x" + HOOK, strict=False)
    wanted = {_wanted_event(entry) for entry in entries}
    there = {event_of(one) for one in mine}
    # A session's start only warms the engine, except Claude Code's, which also remembers the
    # settings; a registration from before there was one for the others protects all the same.
    cold = {event for event in wanted if event.lower() == START and agent != "claude"}
    for event in sorted(wanted - there):
        what = f"nothing is registered for `{event}`"
        status, name = (NOTE, "start") if event in cold else (BAD, "registered")
        yield Finding(name=name, status=status, what=what, hint=INIT)
    matchers = {_wanted_event(entry): _matcher(entry) for entry in entries}
    for one in mine:
        if one.matcher != matchers.get(event_of(one), one.matcher):
            yield Finding(
                name="matcher",
                status=BAD,
                what=f"`{one.file}` lets the hook see `{one.matcher}` only",
                hint=INIT,
            )
    if wanted - cold <= there:
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
    for command in dict.fromkeys(command_of(one) for one in mine if HOOK in one.runs):
        words = _words(command)
        if len(words) < 2:
            yield Finding(name="command", status=BAD, what=f"`{command}` is no command", hint=INIT)
            continue
        python, launcher = words[0], next((word for word in words if HOOK in word), "")
        for path in (python, launcher):
            if not os.path.exists(path):
                yield Finding(
                    name="command", status=BAD, what=f"`{path}` does not exist any more", hint=INIT
                )
        if os.path.exists(python) and not os.access(python, os.X_OK):
            yield Finding(name="command", status=BAD, what=f"`{python}` cannot be run", hint=INIT)
        if not os.path.isabs(python) or registrations.is_shim(python):
            yield Finding(
                name="shim",
                status=BAD,
                what=f"`{python}` is not an interpreter but something that looks for one",
                hint=INIT,
            )


def _open_http(mine: Iterable[Registration]) -> Iterator[Finding]:
    for one in mine:
        hook = http_of(one)
        if hook and one.event == "PreToolUse" and hook.get("onFailure") != "block":
            yield Finding(
                name="http",
                status=BAD,
                what="a stopped server would be an open door: `onFailure` is not `block`",
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
