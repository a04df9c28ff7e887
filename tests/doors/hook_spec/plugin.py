"""Run the plugin's script as a client does: JSON in, exit code, stdout and stderr out."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import REPOSITORY

CHECKOUT = REPOSITORY
SCRIPT = Path("hooks/write-control.sh")
POLICY = Path("hooks/config/write-policies.json")
PATIENCE = 60  # only ever reached by a script that hangs


@functools.cache
def bare_path() -> str:
    """Return a PATH with bash and a python3 that is new enough, the system's if it is."""
    asked = ["/usr/bin/python3", "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
    if os.access(asked[0], os.X_OK) and subprocess.run(asked, check=False).returncode == 0:
        return "/usr/bin:/bin"
    return f"{Path(sys.executable).parent}:/usr/bin:/bin"


@dataclass(frozen=True)
class Said:
    code: int
    out: str
    err: str

    @property
    def answer(self) -> dict[str, Any]:
        """The one JSON document on stdout, without its envelope."""
        (line,) = self.out.splitlines()
        document = json.loads(line)
        assert document.keys() == {"hookSpecificOutput"}
        found: dict[str, Any] = document["hookSpecificOutput"]
        assert found.pop("hookEventName") == "PreToolUse"
        return found

    @property
    def silent(self) -> bool:
        return (self.code, self.out) == (0, "")


@dataclass(frozen=True)
class Plugin:
    """A plugin's root, and the project that its hook is asked about."""

    root: Path
    project: Path

    def run(
        self,
        stdin: bytes,
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        path: str | None = None,
        first: str = "",
    ) -> Said:
        """Run the script; `first` is what a shell does before it becomes the script."""
        script = str(self.root / SCRIPT)
        argv = ["/bin/bash", "-c", f'{first}; exec "$0"', script] if first else [script]
        done = subprocess.run(
            argv,
            input=stdin,
            capture_output=True,
            cwd=cwd or self.project,
            env={"PATH": path or bare_path(), **(env or {})},
            timeout=PATIENCE,
            check=False,
        )
        return Said(done.returncode, done.stdout.decode(), done.stderr.decode())

    def run_with_open_stdin(self, written: bytes, *, first: str = "") -> Said:
        """Run the script with a stdin that is not closed until the script has ended."""
        script = str(self.root / SCRIPT)
        with subprocess.Popen(
            ["/bin/bash", "-c", f'{first or ":"}; exec "$0"', script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.project,
            env={"PATH": bare_path()},
        ) as running:
            assert running.stdin
            assert running.stdout
            assert running.stderr
            running.stdin.write(written)
            running.stdin.flush()
            code = running.wait(PATIENCE)
            return Said(code, running.stdout.read().decode(), running.stderr.read().decode())

    def call(self, path: object, tool: str = "Write", **more: object) -> Said:
        """Ask about one path, in the form that Claude Code sends."""
        key = "notebook_path" if tool == "NotebookEdit" else "file_path"
        call = {"tool_name": tool, "tool_input": {key: path, "content": "x"}, **more}
        return self.run(json.dumps(call).encode())

    def policy(self, text: str | bytes | None) -> None:
        """Put a policy in force, or take it away."""
        file = self.root / POLICY
        if text is None:
            file.unlink()
        else:
            file.write_bytes(text if isinstance(text, bytes) else text.encode())


def copied(folder: Path) -> Plugin:
    """Return a plugin of its own beside an empty project; the source is the checkout's."""
    root, project = folder / "a plugin", folder / "project"
    project.mkdir()
    shutil.copytree(CHECKOUT / "hooks", root / "hooks")
    (root / "src").symlink_to(CHECKOUT / "src")
    return Plugin(root, project)
