"""Run the real command in a project of its own, with state and configuration apart."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import penstock
from tests.forked import COMMAND, may_fork, run_forked

MAIN = str(Path(penstock.__file__).parent / "cli" / "__main__.py")
AGENT_WORDS = ("CLAUDE", "CODEX", "GEMINI", "CURSOR", "OPENCODE", "AGENT", "COPILOT")
# A command starts more than twice as fast when it need not be compiled each time.
SLOWING = ("PYTHONDONTWRITEBYTECODE",)


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass(frozen=True)
class Project:
    root: Path
    home: Path

    def write(self, path: str, text: str | bytes) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    @property
    def environ(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith((*AGENT_WORDS, *SLOWING))}
        return {
            **kept,
            "HOME": str(self.home),
            "XDG_STATE_HOME": str(self.home / "state"),
            "XDG_CONFIG_HOME": str(self.home / "config"),
        }

    def run(self, *argv: str, env: Mapping[str, str] | None = None, stdin: str = "") -> Done:
        environ = {**self.environ, **(env or {})}
        if may_fork(env):
            cwd, data = str(self.root), stdin.encode()
            words = [MAIN, *argv]
            said = run_forked(COMMAND, words, cwd=cwd, environ=environ, data=data, timeout=120)
            return Done(said.returncode, _text(said.stdout), _text(said.stderr))
        done = subprocess.run(
            [sys.executable, "-m", "penstock.cli", *argv],
            cwd=self.root,
            env=environ,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def judge(self, tool: str, tool_input: object, *more: str) -> Done:
        return self.run("judge", "--tool", tool, "--input", json.dumps(tool_input), *more)


def _text(data: bytes) -> str:
    """Return what was printed, with the line ends that a text file is read with."""
    return data.decode().replace("\r\n", "\n").replace("\r", "\n")
