"""The agents of the tour: each asks through its own integration, in a process where it has one.

Always true: an agent here does what the answer lets it do, and nothing else; an answer that a busy
machine made late is asked for again.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from msgspec import Struct

SECONDS = 60
TRIES = 4
MCP_VERSION = "2025-06-18"

Result = TypeVar("Result")


class TooSlowError(Exception):
    """Raised where this machine is too busy to show a step of the tour."""


def until(expected: Callable[[Result], bool], ask: Callable[[], Result]) -> Result:
    """Ask until the answer is the one that the tour shows.

    A hook has a few seconds; when they are over it answers by names alone and stores nothing.
    """
    for _ in range(TRIES):
        found = ask()
        if expected(found):
            return found
    raise TooSlowError


class DemoAnswer(Struct, frozen=True):
    """What the hook said to a call: nothing at all lets it pass."""

    verdict: str = "allow"
    reason: str = ""
    note: str = ""


def answer(
    root: str, tool: str, tool_input: Mapping[str, str], *, verdict: str, person: bool = False
) -> DemoAnswer:
    """Ask the hook until it gives the verdict that the rules of the tour have for this call."""
    return until(
        lambda found: found.verdict == verdict,
        lambda: hook(root, tool, tool_input, person=person),
    )


def hook(
    root: str, tool: str, tool_input: Mapping[str, str], *, person: bool = False
) -> DemoAnswer:
    """Ask the real hook as Claude Code does; without a `person` the session is non-interactive."""
    from penstock.doors.hook.daemon_client import SWITCH
    from penstock.doors.setup.scopes import hook_command

    call = {
        "session_id": "demo",
        "cwd": root,
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": dict(tool_input),
        "tool_use_id": f"call-{tool}",
    }
    session = {"CLAUDE_CODE_ENTRYPOINT": "cli" if person else "sdk-cli"}
    environ = {**_home(), "CLAUDE_PROJECT_DIR": root, SWITCH: "off", **session}
    output = _run(shlex.split(hook_command("claude")), json.dumps(call), env=environ)
    document = json.loads(output) if output else {}
    said = document.get("hookSpecificOutput", {})
    return DemoAnswer(
        said.get("permissionDecision", "allow"),
        said.get("permissionDecisionReason", ""),
        said.get("additionalContext") or document.get("systemMessage", ""),
    )


def mcp(root: str, tool: str, arguments: Mapping[str, str]) -> dict[str, Any]:
    """Call a tool of the real MCP server, and return its structured answer."""
    client = {"name": "demo", "version": "1"}
    first = {"protocolVersion": MCP_VERSION, "capabilities": {}, "clientInfo": client}
    call = {"name": tool, "arguments": dict(arguments)}
    lines: list[dict[str, object]] = [
        {"id": 1, "method": "initialize", "params": first},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": call},
    ]
    text = "".join(json.dumps({"jsonrpc": "2.0", **line}) + "\n" for line in lines)
    answers = map(json.loads, _penstock("mcp", "--workspace", root, given=text).splitlines())
    found: dict[str, Any] = next((one["result"] for one in answers if one.get("id") == 2), {})
    content: dict[str, Any] = found.get("structuredContent", {})
    return content


def verify(root: str) -> dict[str, Any]:
    """Run `penstock audit verify`, and return its report."""
    report: dict[str, Any] = json.loads(_penstock("audit", "verify", "--workspace", root, "--json"))
    return report


def suggest() -> list[dict[str, Any]]:
    """Run `penstock rules suggest` here, and return the suggestions."""
    found: list[dict[str, Any]] = json.loads(_penstock("rules", "suggest"))["suggestions"]
    return found


def roll_back(command: str) -> bool:
    """Run the rollback command that an edit of the rules was answered with."""
    words = shlex.split(command)
    words = words[words.index("decision_reviewer") + 1 :]
    answer = json.loads(_penstock("rules", *words))
    return bool(answer["success"])


def _home() -> dict[str, str]:
    names = ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "PATH")
    return {name: os.environ[name] for name in names if name in os.environ}


def _penstock(*words: str, given: str = "") -> bytes:
    return _run([sys.executable, "-m", "penstock.cli", *words], given)


def _run(command: list[str], text: str, env: Mapping[str, str] | None = None) -> bytes:
    try:
        return subprocess.run(  # noqa: S603 - our own command
            command,
            input=text.encode(),
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            check=False,
        ).stdout
    except subprocess.TimeoutExpired as late:
        raise TooSlowError from late
