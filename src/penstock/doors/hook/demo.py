"""Call the real hook for a demonstration: a process, JSON in, the agent's words out.

Always true: nothing is left behind; the state lies beside the project that is shown.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess

from penstock.doors.hook.registry import hook_command
from penstock.doors.hook.resident_client import SWITCH


def asked(root: str, tool: str, tool_input: dict[str, str]) -> str:
    """Return what the hook says to one call, for a person to read."""
    document = {
        "session_id": "demo",
        "cwd": root,
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": tool_input,
        "tool_use_id": "call-1",
    }
    place = os.path.dirname(root)
    done = subprocess.run(  # noqa: S603 - our own command
        shlex.split(hook_command("claude")),
        input=json.dumps(document).encode(),
        env={"HOME": place, "CLAUDE_PROJECT_DIR": root, SWITCH: "off"},
        capture_output=True,
        timeout=60,
        check=False,
    )
    if not done.stdout:
        return "nothing is said against it"
    said = json.loads(done.stdout)["hookSpecificOutput"]
    return f"{said.get('permissionDecision', 'told')}: {said['permissionDecisionReason']}"
