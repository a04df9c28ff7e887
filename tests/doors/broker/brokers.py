"""A workspace with a broker in front: an agent asks, a person's program answers."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from penstock.broker import Broker, Role

Result = dict[str, Any]
LOG = ".agentzero_audit.jsonl"
EMPTY = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


class Bench:
    """One workspace on the disk, with both ends of its broker."""

    def __init__(self, folder: Path, config: Mapping[str, object] | str | None = None) -> None:
        self.root = folder / "project"
        self.state = folder / "state" / "project-1"
        self.root.mkdir(exist_ok=True)
        (folder / "state").mkdir(exist_ok=True, mode=0o700)
        self.config = config
        self._calls = 0
        self._open: dict[Role, Broker] = {}

    def broker(self, role: Role = Role.AGENT) -> Broker:
        if role not in self._open:
            self._open[role] = Broker(
                self.root, self.config, role=role, state=os.fspath(self.state)
            )
        return self._open[role]

    def restart(self, config: Mapping[str, object] | str | None = None) -> None:
        """Let both ends end, and begin anew with what is on the disk."""
        self._open.clear()
        self.config = config if config is not None else self.config

    def later(self, seconds: float) -> None:
        """Let time pass, as far as the queue can tell, and begin anew."""
        self.broker().gate._parts.proposals.last_wall(time.time() + seconds)
        self.restart()

    def ask(self, tool: str, **parameters: object) -> Result:
        """Send what an agent sends."""
        return self._send(Role.AGENT, tool, parameters)

    def answer(self, tool: str, **parameters: object) -> Result:
        """Send what a person's program sends."""
        return self._send(Role.FRONT_END, tool, parameters)

    def _send(self, role: Role, tool: str, parameters: Mapping[str, object]) -> Result:
        self._calls += 1
        ids = {"tool_call_id": f"tc-{self._calls}", "context_id": "ctx-1"}
        request = {"type": "tool_request", "tool_name": tool, **ids, **parameters}
        return self.broker(role).execute_tool(request)

    def propose(self, path: str, content: str) -> str:
        """Propose, and return the id of what waits."""
        found = self.ask("write_file", path=path, content=content)
        assert found["details"]["status"] == "hitl_required", found
        return str(found["details"]["hitl"]["hitl_id"])

    def apply(self, path: str, hitl_id: str) -> Result:
        return self.answer("apply_proposal", path=path, hitl_id=hitl_id)

    def reject(self, path: str, hitl_id: str, reason: str = "") -> Result:
        return self.answer("reject_proposal", path=path, hitl_id=hitl_id, reason=reason)

    def write(self, path: str, content: str | bytes) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    def holds(self, path: str) -> bytes | None:
        file = self.root / path
        return file.read_bytes() if file.is_file() else None

    def tree(self) -> dict[str, bytes]:
        """Return every file of the workspace but the log, with what it holds."""
        return {
            str(file.relative_to(self.root)): file.read_bytes()
            for file in sorted(self.root.rglob("*"))
            if file.is_file() and not file.name.startswith(".agentzero_audit")
        }

    def log(self) -> list[Result]:
        """Return the lines of the log, in order."""
        text = (self.root / LOG).read_text(encoding="ascii")
        return [json.loads(line) for line in text.splitlines()]


@contextmanager
def bench(config: Mapping[str, object] | str | None = None) -> Iterator[Bench]:
    """A workspace that is gone afterwards, with no rules of any user."""
    folder = Path(tempfile.mkdtemp(prefix="penstock-broker-"))
    kept = os.environ.get("XDG_CONFIG_HOME")
    os.environ["XDG_CONFIG_HOME"] = str(folder / "no-config")
    try:
        yield Bench(folder, config)
    finally:
        if kept is None:
            del os.environ["XDG_CONFIG_HOME"]
        else:
            os.environ["XDG_CONFIG_HOME"] = kept
        shutil.rmtree(folder, ignore_errors=True)


def code(found: Result) -> str:
    """Return the code of an answer that says no; anything else is a failure of the test."""
    assert found["ok"] is False, found
    assert found["details"]["status"] in ("denied", "error")
    assert found["details"]["error"]["message"]
    return str(found["details"]["error"]["code"])


def status(found: Result) -> str:
    assert found["ok"] is (found["details"]["status"] in ("allowed", "hitl_required"))
    return str(found["details"]["status"])
