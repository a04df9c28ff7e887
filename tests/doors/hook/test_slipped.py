"""Protected files that a program makes or changes all the same are told, recorded, taken back."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from penstock.doors.hook import protected_files
from penstock.doors.hook.engine import Engine
from tests.doors.hook.hooks import Hook, said
from tests.project import Project

RULES = """\
preset = "guard"

[[deny]]
id = "settings"
paths = ["config/secrets.toml", "db/**"]

[[deny]]
id = "no new ones"
paths = ["gen/**"]
actions = ["create"]
"""


@dataclass
class Session:
    """An agent that runs commands; what they do is done by the test in between."""

    root: Path
    state: Path
    calls: int = 0

    def ask(self, event: str, **more: object) -> dict[str, Any]:
        document = {"hook_event_name": event, "session_id": "s", "cwd": str(self.root), **more}
        environ = {"HOME": str(self.root.parent)}
        reply = Engine().reply("claude", json.dumps(document).encode(), environ)
        found: dict[str, Any] = json.loads(reply.stdout or "{}").get("hookSpecificOutput", {})
        return found

    def run(self, work: Callable[[], object]) -> str:
        """Run a command that does something, and return what the agent is told after it."""
        self.calls += 1
        given, number = {"command": "make"}, f"t{self.calls}"
        call = {"tool_name": "Bash", "tool_input": given, "tool_use_id": number}
        assert self.ask("PreToolUse", **call).get("permissionDecision") is None
        work()
        told: str = self.ask("PostToolUse", **call).get("additionalContext", "")
        return told

    def write(self, path: str, text: str = "x\n") -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def slips(self) -> list[str]:
        (log,) = self.state.glob("penstock/*/audit.jsonl")
        events = [json.loads(line) for line in log.read_text().splitlines()]
        return [event["path"] for event in events if event["op"] == "slipped"]


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    found = Session(tmp_path / "project", tmp_path / "state")
    for path in ("src/app/a.py", "config/a.toml", "penstock.toml", "empty/.keep"):
        found.write(path, RULES if path == "penstock.toml" else "x\n")
    found.ask("SessionStart")
    return found


NEW = [
    ".env",
    ".env.local",
    "config/secrets.toml",
    "empty/.env",
    "src/app/server.key",
    "new/deep/er/.env",
    "db/one.sql",
    ".claude/settings.local.json",
    "gen/code.py",
]


@pytest.mark.parametrize("path", NEW)
def test_a_protected_file_that_a_program_makes_is_told(session: Session, path: str) -> None:
    assert path in session.run(lambda: session.write(path))
    assert session.slips() == [path]
    assert session.run(lambda: None) == "", "once"
    assert path in session.run(lambda: session.write(path, "other\n")), "and watched from then on"


@pytest.mark.parametrize(
    "path", ["src/app/b.py", "notes.md", "new/a.txt", "package-lock.json", "node_modules/x/.env"]
)
def test_what_is_not_protected_or_written_by_tools_is_not_told(session: Session, path: str) -> None:
    assert session.run(lambda: session.write(path)) == ""
    assert session.slips() == []


def test_what_a_person_makes_between_two_commands_is_taken_over(session: Session) -> None:
    session.run(lambda: None)
    session.write(".env")
    session.write("person/.env")
    assert session.run(lambda: None) == ""
    assert ".env" in session.run(lambda: session.write(".env", "other\n"))
    assert session.slips() == [".env"]


def test_without_a_session_that_was_told_the_first_command_counts(session: Session) -> None:
    (register,) = session.state.glob("penstock/*/protected.json")
    for text in ("", "[]", '{"a": [1, 2, 3]}', '{"form": 2, "files": 7}', "{"):
        register.write_text(text)
        name = f"dir{len(text)}/.env"
        assert name in session.run(partial(session.write, name)), text


def test_rules_that_changed_meanwhile_make_nothing_look_new(session: Session) -> None:
    session.write("src/app/b.py")

    def work() -> None:
        session.write("penstock.toml", RULES.replace("db/**", "src/**"))
        session.write("src/app/c.py")

    told = session.run(work)
    assert "penstock.toml" in told
    assert "src/app" not in told
    assert "src/app/d.py" in session.run(lambda: session.write("src/app/d.py"))


def git(at: Path, *words: str) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    subprocess.run(["git", *who, *words], cwd=at, check=True, capture_output=True, timeout=60)


def test_what_git_makes_is_not_told_but_a_new_hook_is(session: Session) -> None:
    root = session.root
    assert session.run(lambda: git(root, "init", "-q")) == ""
    session.write("db/a.sql")
    git(root, "add", "-f", "db")
    git(root, "commit", "-qm", "one")
    tree = ".claude/worktrees/one"
    assert session.run(lambda: git(root, "worktree", "add", "-q", tree, "-b", "one")) == ""
    assert session.run(lambda: git(root, "clone", "-q", ".", "other/clone")) == ""
    assert session.run(lambda: session.write(f"{tree}/notes.txt")) == ""
    assert f"{tree}/db/a.sql" in session.run(lambda: session.write(f"{tree}/db/a.sql", "y\n"))
    assert f"{tree}/db/b.sql" in session.run(lambda: session.write(f"{tree}/db/b.sql"))
    hook = ".git/hooks/pre-commit"
    assert hook in session.run(lambda: session.write(hook))


def test_many_are_told_by_few_names_and_all_are_recorded(session: Session) -> None:
    def work() -> None:
        for number in range(30):
            session.write(f"keys/{number}.pem")

    told = session.run(work)
    assert told.count(".pem") == 10
    assert "20 more" in told
    assert len(session.slips()) == 30


def test_a_look_that_did_not_come_to_its_end_tells_nothing_wrong(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(20):
        session.write(f"d{n}/.env")
    monkeypatch.setattr(protected_files, "MOST_FOLDERS", 5)
    session.ask("SessionStart")
    assert session.run(lambda: session.write("d3/other.txt")) == ""
    assert session.run((session.root / "z").mkdir) == "", "others are not known"
    assert ".env" in session.run(lambda: session.write(".env")), "what was looked at still counts"
    monkeypatch.setattr(protected_files, "MOST_PROTECTED", 3)
    session.ask("SessionStart")
    assert session.run(lambda: session.write("d19/.env.local")) == ""


def test_directories_that_go_and_come_back_are_no_trouble(session: Session) -> None:
    session.write("gone/deep/a.txt")
    session.run(lambda: None)

    def work() -> None:
        os.unlink(session.root / "gone/deep/a.txt")
        os.rmdir(session.root / "gone/deep")
        os.rmdir(session.root / "gone")

    assert session.run(work) == ""
    assert "gone/.env" in session.run(lambda: session.write("gone/.env"))


def test_what_a_program_made_is_in_status_and_removed_by_undo(project: Project) -> None:
    hook = Hook(project)
    hook.call("SessionStart", "", {})
    given = {"command": "./build.sh"}
    hook.before("Bash", given, "toolu_1")
    secret = project.write("app/.env", "KEY=2\n")
    assert (
        "app/.env" in said(hook.after("Bash", given, "toolu_1"), warned=True)["additionalContext"]
    )
    last = hook.events()[-1]
    assert (last["op"], last["status"], last["path"]) == ("slipped", "alert", "app/.env")
    assert "app/.env" in project.run("status").out
    assert project.run("undo", "--path", "app/.env", "--yes").code == 0
    assert not secret.exists()
