"""Call the hook as an agent does: a process of its own, JSON on stdin, the answer on stdout."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import penstock
from tests.forked import HOOK, may_fork, run_forked
from tests.project import Done, Project

PATIENT = str(Path(__file__).with_name("patient.py"))
LAUNCHER = str(Path(penstock.__file__).with_name("hook.py"))


@dataclass
class Hook:
    """The hook in one project; each tool call has an id of its own.

    It has no deadline unless `hurried`; an installed one is not this checkout's to patch.
    """

    project: Project
    agent: str = "claude"
    closed: bool = False
    attended: bool = False
    resident: str = "off"
    hurried: bool = False
    launcher: str = LAUNCHER
    python: str = sys.executable
    calls: list[str] = field(default_factory=list)

    def environ(self) -> dict[str, str]:
        return {
            "HOME": str(self.project.home),
            "PATH": "/usr/bin:/bin",
            "XDG_STATE_HOME": str(self.project.home / "state"),
            "XDG_CONFIG_HOME": str(self.project.home / "config"),
            "CLAUDE_PROJECT_DIR": str(self.project.root),
            "CLAUDE_CODE_ENTRYPOINT": "cli" if self.attended else "sdk-cli",
            "PENSTOCK_RESIDENT": self.resident,
        }

    def send(
        self, data: bytes, *, env: Mapping[str, str] | None = None, timeout: float = 60
    ) -> Done:
        more = ["closed"] if self.closed else []
        patient = [PATIENT] if self.launcher == LAUNCHER and not self.hurried else []
        argv = [*patient, self.launcher, self.agent, *more]
        environ = {**self.environ(), **(env or {})}
        usual = patient and self.python == sys.executable and self.resident == "off"
        if usual and may_fork(env):
            cwd = str(self.project.root)
            said = run_forked(HOOK, argv, cwd=cwd, environ=environ, data=data, timeout=timeout)
            return Done(said.returncode, said.stdout.decode(), said.stderr.decode())
        done = subprocess.run(
            [self.python, "-I", "-S", *argv],
            cwd=self.project.root,
            env=environ,
            input=data,
            capture_output=True,
            timeout=timeout,
            check=False,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    def document(self, event: str, tool: str, tool_input: object, call: str) -> dict[str, Any]:
        return {
            "session_id": "session-1",
            "cwd": str(self.project.root),
            "hook_event_name": event,
            "tool_name": tool,
            "tool_input": tool_input,
            "tool_use_id": call,
        }

    def call(self, event: str, tool: str, tool_input: object, call: str = "") -> Done:
        document = self.document(event, tool, tool_input, call or "toolu_0")
        return self.send(json.dumps(document).encode())

    def before(self, tool: str, tool_input: object, call: str = "") -> Done:
        return self.call("PreToolUse", tool, tool_input, call)

    def after(self, tool: str, tool_input: object, call: str = "") -> Done:
        return self.call("PostToolUse", tool, tool_input, call)

    def write(self, path: str, content: str, call: str = "") -> Done:
        return self.before("Write", {"file_path": self.at(path), "content": content}, call)

    def at(self, path: str) -> str:
        return path if path.startswith("/") else f"{self.project.root}/{path}"

    def events(self) -> list[dict[str, Any]]:
        done = self.project.run("audit", "log", "--json")
        found: list[dict[str, Any]] = json.loads(done.out)["events"]
        return found


def said(done: Done, *, warned: bool = False) -> dict[str, Any]:
    """Return what was said to the agent; nothing for a silent answer."""
    assert done.code == 0, done.err
    assert bool(done.err) is warned, done.err
    if not done.out:
        return {}
    found: dict[str, Any] = json.loads(done.out)["hookSpecificOutput"]
    return found
