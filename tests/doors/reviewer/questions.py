"""Ask `decision_reviewer` in this process, in a place of its own."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penstock.reviewer import main
from tests.cli.quick import run_here
from tests.doors.reviewer import logs
from tests.project import Done, Project

CONFIG = "claude-code-permissions-hook.toml"
FLAT = """
[audit]
audit_file = "{log}"
audit_level = "all"

[[deny]]
id = "deny-rm"
description = "Never"
tool = "Bash"
command_regex = "^rm .*-rf"

[[allow]]
id = "allow-cargo"
tool = "Bash"
command_regex = "^cargo (build|test)"

[[allow]]
id = "allow-src"
tool = "Read"
file_path_regex = "^/p/src/"
"""
SECTIONED = """
[logging]
log_file = "{log}.operational"
review_log_file = "{log}"

[llm_fallback]
enabled = true
endpoint = "https://openrouter.ai/api/v1"
model = "anthropic/claude-haiku-4.5"

[security]
priority = 5

[[security.deny]]
id = "deny-destructive-rm"
tool = "Bash"
command_regex = "^rm .*-rf"

[[tools.allow]]
id = "allow-context7"
tool_regex = "^mcp__context7__.*"
tool_exclude_regex = "_delete$"
"""


@dataclass(frozen=True)
class Place:
    """A folder with a rules file of the original, its log, and a home."""

    root: Path
    home: Path

    @property
    def log(self) -> Path:
        return self.root / "decisions.log"

    @property
    def config(self) -> Path:
        return self.root / CONFIG

    def rules(self, text: str = FLAT) -> Place:
        self.config.write_text(text.replace("{log}", str(self.log)))
        return self

    def logged(self, *lines: logs.Line, spaced: bool = False) -> Place:
        logs.write(self.log, lines, spaced=spaced, mode="a")
        return self

    def run(self, *argv: str, env: dict[str, str] | None = None) -> Done:
        environ = {**Project(self.root, self.home).environ, **(env or {})}
        return run_here(main, argv, cwd=self.root, environ=environ)

    def ask(self, kind: str, *more: str, **keys: Any) -> Any:
        """Return the answer to a query that must have one."""
        done = self.run("query", json.dumps({"type": kind, **keys}), *more)
        assert done.code == 0, done.out + done.err
        return done.json

    def refused(self, query: object, *more: str) -> tuple[str, str]:
        """Return the code and the message of a query that has no answer."""
        done = self.run("query", query if isinstance(query, str) else json.dumps(query), *more)
        assert done.code == 1, done.out
        error = done.json["error"]
        assert set(error) == {"code", "message", "details"}
        return error["code"], error["message"]
