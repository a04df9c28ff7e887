"""A day with the gate in the real clients: everyday work runs through, and no call is a dead end.

The clients run headless, so nobody can be asked. What each scenario needs of the rules is in its
name; the ticket and its rejection need nothing but the hook.
"""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

from penstock.core.proposals.short_id import short
from tests.agents.models import Use
from tests.agents.scene import BIG, LOCK, SECRET, SMALL, events, proven, text_of
from tests.agents.session import Claude, Codex, Gemini, Report, Session
from tests.project import Project

CLIENTS: tuple[type[Session], ...] = (Claude, Codex, Gemini)
GIT = (
    "git",
    "-c",
    "user.name=a",
    "-c",
    "user.email=a@example.test",
    "-c",
    "init.defaultBranch=main",
)


@pytest.fixture(params=CLIENTS, ids=lambda client: client.client)
def client(request: pytest.FixtureRequest) -> type[Session]:
    found: type[Session] = request.param
    request.getfixturevalue(found.client)
    return found


@pytest.fixture
def guard(project: Project, client: type[Session]) -> Project:
    """A repository with one commit, in which the hook is registered."""
    project.write(".env", SECRET)
    project.write("lib/big.py", BIG)
    project.write("package.json", json.dumps({"name": "thing", "version": "1.0.0"}))
    project.write("package-lock.json", LOCK)
    project.write(".gitignore", ".env\nnode_modules/\n")
    for argv in (("init", "-q"), ("add", "."), ("commit", "-qm", "first")):
        subprocess.run([*GIT, *argv], cwd=project.root, check=True, env=project.environ)
    done = project.run("init", "--agent", client.client)
    assert done.code == 0, done
    return project


def ran(client: type[Session], project: Project, *steps: Use) -> Report:
    report = client(project=project, steps=steps).run()
    assert report.code == 0, report
    return report


def shell(client: type[Session], command: str) -> Use:
    if client is Codex:
        return Use("exec_command", {"cmd": command, "yield_time_ms": 30_000})
    name = "Bash" if client is Claude else "run_shell_command"
    return Use(name, {"command": command, "description": "work"})


def rewrite(client: type[Session]) -> Use:
    """Replace most of a large file, as each client does it."""
    if client is Codex:
        gone = [f"-{line}" for line in BIG.removeprefix(SMALL).splitlines()]
        lines = ["*** Begin Patch", "*** Update File: lib/big.py", "@@", *gone, "*** End Patch"]
        return Use("apply_patch", "\n".join(lines))
    name = "Write" if client is Claude else "write_file"
    return Use(name, {"file_path": "lib/big.py", "content": SMALL})


def branch(project: Project) -> str:
    head = (project.root / ".git" / "HEAD").read_text()
    return head.strip().removeprefix("ref: refs/heads/")


def test_a_rewrite_waits_as_a_ticket_and_its_rejection_is_heard(
    guard: Project, client: type[Session]
) -> None:
    report = ran(client, guard, rewrite(client))
    assert text_of(guard, "lib/big.py") == BIG
    (waiting,) = guard.run("proposals", "--json").json["proposals"]
    assert (waiting["path"], waiting["state"]) == ("lib/big.py", "waiting")
    assert f"penstock approve {short(waiting['id'])}`" in report.result.text, report
    done = guard.run("reject", waiting["id"], "--reason", "the table is still used")
    assert done.code == 0, done
    heard = "was rejected: the table is still used"
    assert heard in ran(client, guard, shell(client, "true")).told
    assert heard not in ran(client, guard, shell(client, "true")).told, "once"
    assert proven(guard)


def test_branches_are_changed(guard: Project, client: type[Session]) -> None:
    report = ran(client, guard, shell(client, "git checkout -b x"))
    assert branch(guard) == "x", report
    report = ran(client, guard, shell(client, "git switch main"))
    assert branch(guard) == "main", report
    assert events(guard, status="denied") == []


@pytest.mark.skipif(
    shutil.which("npm", path="/usr/local/bin:/usr/bin:/bin") is None, reason="no npm"
)
def test_a_lock_file_is_made_anew(guard: Project, client: type[Session]) -> None:
    remove = "rm" if client is Codex else "rm -f"  # which Codex refuses by itself
    command = f"{remove} package-lock.json && npm install --offline --no-audit --no-fund"
    report = ran(client, guard, shell(client, command))
    assert json.loads(text_of(guard, "package-lock.json") or "{}").get("name") == "thing", report
    assert events(guard, status="denied") == []


def test_reading_a_secret_is_refused(guard: Project, client: type[Session]) -> None:
    steps = [shell(client, "cat .env")]
    if client is Claude:
        steps.append(Use("Read", {"file_path": str(guard.root / ".env")}))
    report = ran(client, guard, *steps)
    assert "keep-me" not in report.told, report
    assert len(events(guard, status="denied", path=".env")) == len(steps)
