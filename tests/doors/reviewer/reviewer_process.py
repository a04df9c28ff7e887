"""Call `decision_reviewer` as people and agents do: a process of its own, JSON out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.doors.reviewer.repos import NAME, Repo, clean, repo_at
from tests.project import Done

SWITCH = {"DECISION_REVIEWER_ALLOW_WRITES": "1"}
START = "import sys; from penstock.reviewer import main; main(sys.argv[1:])"
AGENT_WORDS = ("CLAUDE", "CODEX", "GEMINI", "CURSOR", "OPENCODE", "AGENT", "COPILOT", "PYTHONDONT")
RULES = """# The rules of this machine.
[audit]
audit_file = "/tmp/audit.log"   # needed

# Never.
[[deny]]
id = "deny-rm"
tool = "Bash"
command_regex = "^rm "

[[allow]]
id = "allow-cargo-safe"   # building is fine
tool = "Bash"
command_regex = "^cargo (build|test)( |$)"
command_exclude_regex = "[&;|`<>\\n]"
"""
NPM = {
    "id": "allow-npm-install",
    "description": "Allow npm install commands",
    "tool": "Bash",
    "command_regex": "^npm install( |$)",
    "command_exclude_regex": "&|;|\\||`|\\$\\(|[<>\\n]",
}


def adding(rule: Mapping[str, object] = NPM, **more: object) -> dict[str, object]:
    """Return the operation that adds a rule."""
    return {"type": "add_rule", "rule_type": "allow", "rule": dict(rule), **more}


@dataclass(frozen=True)
class Reviewer:
    """A rules file, a home of its own, and the command."""

    folder: Path
    home: Path
    name: str = NAME
    more: dict[str, str] = field(default_factory=dict)

    @property
    def file(self) -> Path:
        return self.folder / self.name

    @property
    def environ(self) -> dict[str, str]:
        mine = {k: v for k, v in clean(self.home).items() if not k.startswith(AGENT_WORDS)}
        return {**mine, **SWITCH, **self.more}

    def run(self, *words: str, env: Mapping[str, str] | None = None) -> Done:
        done = subprocess.run(
            [sys.executable, "-c", START, *words],
            cwd=self.folder,
            env={**self.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def apply(self, operation: object, *words: str, env: Mapping[str, str] | None = None) -> Done:
        """Apply one operation to the rules file."""
        text = operation if isinstance(operation, str) else json.dumps(operation)
        target = () if "--target-file" in words else ("--target-file", str(self.file))
        return self.run("apply", "--json", text, *target, *words, env=env)

    def made(self, operation: object, *words: str) -> dict[str, Any]:
        """Apply an operation that must succeed and return the answer."""
        done = self.apply(operation, *words)
        assert done.code == 0, done.out + done.err
        answer: dict[str, Any] = done.json
        return answer

    def shell(self, command: str) -> Done:
        """Run a line of shell with `decision_reviewer` on the PATH."""
        place = self.home / "bin"
        place.mkdir(exist_ok=True)
        program = place / "decision_reviewer"
        program.write_text(f"#!{sys.executable}\n{START}\n")
        program.chmod(0o755)
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=self.home,
            env={**self.environ, "PATH": f"{place}:{os.environ['PATH']}"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    @property
    def log(self) -> Path:
        return self.home / ".config/decision-reviewer-audit.log"

    def logged(self) -> list[dict[str, Any]]:
        text = self.log.read_text() if self.log.exists() else ""
        return [json.loads(line) for line in text.splitlines()]

    def backups(self) -> list[str]:
        return sorted(file.name for file in self.folder.iterdir() if file.suffix == ".bak")

    def everything(self) -> dict[str, tuple[int, bytes]]:
        """Return every file below the rules' folder and the home, to see that none changed."""
        files = [f for top in (self.folder, self.home) for f in top.rglob("*") if f.is_file()]
        return {str(f): (f.stat().st_mtime_ns, f.read_bytes()) for f in files}

    @property
    def repo(self) -> Repo:
        return Repo(self.folder)


def plain(at: Path, rules: str = RULES, **more: str) -> Reviewer:
    """Return a rules file that lies in no repository."""
    return _reviewer(at, rules, **more)


def in_git(at: Path, rules: str = RULES, **more: str) -> Reviewer:
    """Return a rules file that is committed in a repository."""
    made = _reviewer(at, rules, **more)
    repo_at(made.folder)
    made.repo.git("add", made.name)
    made.repo.git("commit", "-q", "-m", "first")
    return made


def _reviewer(at: Path, rules: str, name: str = NAME, **env: str) -> Reviewer:
    made = Reviewer(folder=at / "rules", home=at / "home", name=name, more=env)
    for folder in (made.folder, made.home):
        folder.mkdir(parents=True, exist_ok=True)
    made.file.write_text(rules)
    return made
