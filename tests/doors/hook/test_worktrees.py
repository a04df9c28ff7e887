"""A file in a worktree of the project is also judged as the file that it is in the project."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from penstock.doors.hook.engine import Engine
from penstock.doors.hook.fast_path_warm import Warm
from tests.doors.hook.claude_calls import before
from tests.doors.hook.hooks import Hook, said
from tests.project import Project

RULES = """\
preset = "guard"

[[deny]]
id = "migrations"
paths = ["db/**"]

[[deny]]
id = "top"
paths = ["/keys/*"]

[[ask]]
id = "deployment"
paths = ["deploy/**"]

[[warn]]
id = "told"
paths = ["web/**"]
note = "look twice at {path}"
"""
INNER = ".claude/worktrees/one"


def git(at: Path, *words: str) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *who, *words], cwd=at, check=True, capture_output=True, timeout=60)


@pytest.fixture
def hook(project: Project) -> Hook:
    """A project with two worktrees: one as Claude Code makes them, one beside the project."""
    project.write("db/a.sql", "one\n")
    project.write("penstock.toml", RULES)
    git(project.root, "init", "-q")
    git(project.root, "add", "db")  # not the rules: a worktree may well be without them
    git(project.root, "commit", "-qm", "first")
    git(project.root, "worktree", "add", "-q", INNER, "-b", "one")
    git(project.root, "worktree", "add", "-q", str(project.home / "two"), "-b", "two")
    return Hook(project)


def engine(hook: Hook, tool: str, given: Mapping[str, object], cwd: str = "") -> str:
    """Return the engine's verdict, or what it tells."""
    document = {**hook.document("PreToolUse", tool, given, "t1"), "cwd": cwd or hook.at("")}
    with pytest.MonkeyPatch.context() as patched:
        for name in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
            patched.setenv(name, hook.environ()[name])
        reply = Engine().reply("claude", json.dumps(document).encode(), hook.environ())
    assert reply.stderr == "", "it could be judged"
    words = json.loads(reply.stdout or "{}").get("hookSpecificOutput", {})
    found: str = words.get("permissionDecision", words.get("additionalContext", ""))
    return found


PATHS = [
    ("db/b.sql", "deny"),
    ("keys/k", "deny"),
    ("deploy/run.sh", "deny"),  # nobody can be asked
    ("sub/db/b.sql", ""),
    ("notes.txt", ""),
    (".env", "deny"),
]


@pytest.mark.parametrize(("path", "expected"), PATHS)
def test_rules_that_begin_at_the_root_hold_in_a_worktree(
    hook: Hook, path: str, expected: str
) -> None:
    for top in (hook.at(INNER), str(hook.project.home / "two")):
        given = {"file_path": f"{top}/{path}", "content": "x"}
        assert engine(hook, "Write", given) == expected, top
        assert engine(hook, "Write", {**given, "file_path": path}, cwd=top) == expected, top


def test_a_note_is_told_in_a_worktree_too(hook: Hook) -> None:
    given = {"file_path": hook.at(f"{INNER}/web/a.js"), "content": "x"}
    assert engine(hook, "Write", given) == f"look twice at {INNER}/web/a.js"


COMMANDS = [
    "cd {0} && echo x > db/b.sql",
    "cd {0}/db && echo x > b.sql",
    "echo x > {0}/db/b.sql",
    "cp notes.txt {0}/db/b.sql",
    "mv {0}/db/a.sql x.sql",
    "rm {0}/db/a.sql",
    "rm -r {0}/db",
    "mv {0}/db /tmp/other",
    "sed -i s/one/two/ {0}/db/a.sql",
    "ln -s /tmp/x {0}/db/b.sql",
    "git -C {0} checkout -- db/a.sql",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_writes_in_a_worktree_what_it_may_not_write_in_the_project(
    hook: Hook, command: str
) -> None:
    for top in (INNER, str(hook.project.home / "two")):
        assert engine(hook, "Bash", {"command": command.format(top)}) == "deny", top


def test_what_only_looks_like_a_worktree_of_the_project_is_none(hook: Hook) -> None:
    other = hook.project.root / "other"
    other.mkdir()
    git(other, "init", "-q")
    hook.project.write("strange/.git", "gitdir: /nowhere/.git/worktrees/x\n")
    hook.project.write("empty/.git", "")
    hook.project.write("binary/.git", b"\xff\xfe\x00" * 3000)
    for top in ("other", "strange", "empty", "binary"):
        given = {"file_path": hook.at(f"{top}/db/b.sql"), "content": "x"}
        assert engine(hook, "Write", given) == "", top


def test_relative_links_to_the_repository_are_followed(hook: Hook) -> None:
    (hook.project.root / INNER / ".git").write_text("gitdir: ../../../.git/worktrees/one\n")
    given = {"file_path": hook.at(f"{INNER}/db/b.sql"), "content": "x"}
    assert engine(hook, "Write", given) == "deny"


def test_a_link_into_a_worktree_is_followed(hook: Hook) -> None:
    (hook.project.root / "link").symlink_to(f"{INNER}/db")
    given = {"file_path": hook.at("link/b.sql"), "content": "x"}
    assert engine(hook, "Write", given) == "deny"


def test_a_link_in_the_place_of_a_directory_is_no_trouble(hook: Hook) -> None:
    (hook.project.root / "linked").symlink_to("db")
    for path in ("linked", "linked/x", "nowhere", "."):
        command = f"rm -r {hook.project.home}/two/{path}"
        assert engine(hook, "Bash", {"command": command}) in ("", "deny"), "and it is judged"


def test_from_a_worktree_the_project_itself_is_judged_alike(hook: Hook) -> None:
    top = hook.project.home / "two"
    (top / "penstock.toml").write_text(RULES)
    inside = Hook(Project(top, hook.project.home))
    for path in (top / "db/b.sql", hook.project.root / "db/b.sql"):
        assert engine(inside, "Write", {"file_path": str(path), "content": "x"}) == "deny"


def test_a_worktree_without_rules_of_its_own_goes_by_those_of_the_project(hook: Hook) -> None:
    """`claude --worktree` says that the worktree is the project."""
    for top in (hook.project.root / INNER, hook.project.home / "two"):
        inside = Hook(Project(top, hook.project.home))
        assert said(inside.write("notes.txt", "x")) == {}
        for _ in range(2):  # by the engine or the fast path
            assert said(inside.write("db/b.sql", "x"))["permissionDecision"] == "deny"
        hook.project.write("penstock.toml", RULES.replace("db/**", "data/**"))
        assert said(inside.write("db/b.sql", "x")) == {}, "they are seen to change"
        (top / "penstock.toml").write_text('[[deny]]\nid = "db"\npaths = ["db/**"]\n')
        assert said(inside.write("db/b.sql", "x"))["permissionDecision"] == "deny"
        assert said(inside.write("data/b", "x")) == {}, "its own come first"
        hook.project.write("penstock.toml", RULES)


def test_the_short_way_and_the_engine_see_the_same_worktrees(hook: Hook) -> None:
    assert said(hook.write("notes.txt", "x")) == {}
    (policy,) = (hook.project.home / "state/penstock").glob("*/hook.policy")
    kept = policy.read_bytes()
    for path in (f"{INNER}/db/b.sql", f"{INNER}/notes.txt", f"{INNER}/web/a.js"):
        policy.write_bytes(kept)
        short = hook.write(path, "x")
        policy.unlink()  # without it only the engine can answer
        long = hook.write(path, "x")
        assert (short.code, short.out) == (long.code, long.out), path
        assert said(short).get("permissionDecision", "") == ("deny" if "/db/" in path else "")


def test_a_resident_sees_a_worktree_that_is_made_between_two_calls(
    hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, hook.environ()[name])
    root, warm = hook.project.root, Warm(Engine())
    environ = {"CLAUDE_PROJECT_DIR": str(root)}
    Engine().reply("claude", before(root, "Write", "notes.txt", content="x"), environ)
    data = before(root, "Write", ".claude/worktrees/three/db/b.sql", content="x")
    reply = warm.quick("claude", data, environ)
    assert reply is not None
    assert reply.stdout == ""
    git(root, "worktree", "add", "-q", ".claude/worktrees/three", "-b", "three")
    reply = warm.quick("claude", data, environ)
    assert reply is not None
    assert "deny" in reply.stdout
