"""What a git command throws away after a person said yes comes back with `penstock undo`.

Each row is done by the real git in a real repository: the hook before, the command, the hook after,
the undo, and then git itself is asked whether everything is there again.
"""

from __future__ import annotations

import subprocess

import pytest

from tests.doors.hook.hooks import Hook, said
from tests.project import Project

SETUP = """
git init -q -b main
git config user.name t && git config user.email t@example.org
mkdir src && printf 'one\\n' > src/a.py && printf 'keep\\n' > b.txt && echo 'x.local' > .gitignore
git add -A && git commit -q -m first
git checkout -q -b topic && echo t > topic.txt && git add -A && git commit -q -m 'topic work'
git checkout -q main
"""
DIRTY = """
echo 'new work' >> src/a.py; echo staged > new.py; git add new.py
mkdir notes; echo plan > notes/plan.md; echo mine > x.local
"""
STASHED = "echo 'stashed work' >> b.txt && git stash -q"
LOST = "git update-ref refs/heads/gone topic; git update-ref -d refs/heads/topic; " + (
    "git update-ref -d refs/heads/gone; git reflog expire --expire=now --all"
)

WORK = "echo w > w.txt && git add -A && git commit -q -m work"
WORKTREE = (
    "git worktree add -q tree topic && cd tree && git rm -q penstock.toml && git commit -q -m rules"
    " && echo 'more' >> b.txt && echo loose > loose.txt"
)
SUBMODULE = (
    "git init -q -b main ../inner && cd ../inner && git config user.name t"
    " && git config user.email t@example.org && echo one > inner.txt && git add -A"
    " && git commit -q -m inner && cd - >/dev/null"
    " && git -c protocol.file.allow=always submodule --quiet add ../inner lib"
    " && git commit -q -m lib && echo 'new work' >> lib/inner.txt"
)

# a command, how the repository gets there, and what must be the same again
ROWS = [
    ("git reset --hard", DIRTY, "cat src/a.py new.py"),
    ("git checkout -- src", DIRTY, "cat src/a.py"),
    ("git checkout .", DIRTY, "cat src/a.py"),
    ("git checkout -f topic", DIRTY, "cat src/a.py new.py"),
    ("git switch -f topic", DIRTY, "cat src/a.py new.py"),
    ("git restore .", DIRTY, "cat src/a.py"),
    ("git restore --staged --worktree .", DIRTY, "cat src/a.py new.py"),
    ("git restore --source=topic src", DIRTY, "cat src/a.py"),
    ("git rm -q -f src/a.py", DIRTY, "cat src/a.py"),
    ("git clean -qfd", DIRTY, "cat notes/plan.md"),
    ("git clean -qfdx", DIRTY, "cat notes/plan.md x.local"),
    ("git reset -q --hard && git clean -qfd", DIRTY, "cat src/a.py new.py notes/plan.md"),
    ("git stash drop -q", STASHED, "git stash list; git stash show -p"),
    ("git stash clear", STASHED, "git stash list; git stash show -p"),
    ("git update-ref -d refs/stash", STASHED, "git rev-parse refs/stash"),
    ("git branch -q -D topic", "true", "git log --oneline topic"),
    ("git branch -q -D topic", "git pack-refs --all", "git log --oneline topic"),
    ("git update-ref -d refs/heads/topic", "true", "git log --oneline topic"),
    ("git tag -d only", "git tag only topic && git branch -q -D topic", "git log --oneline only"),
    (
        "git reflog expire --expire=now --all",
        "git branch -q -D topic",
        "git log --oneline HEAD@{1}",
    ),
    ("git gc -q --prune=now", f"git rev-parse topic > id; {LOST}", "git log --oneline $(cat id)"),
    ("git prune --expire=now", f"git rev-parse topic > id; {LOST}", "git log --oneline $(cat id)"),
    ("git checkout-index -q -f -a", DIRTY, "cat src/a.py"),
    ("git read-tree -u --reset HEAD", DIRTY, "cat src/a.py new.py"),
    ("git reset -q --hard HEAD~1", WORK, "git log --oneline main"),
    ("git checkout -q -B main HEAD~1", WORK, "git log --oneline main"),
    ("git switch -q -C main HEAD~1", WORK, "git log --oneline main"),
    ("git branch -q -f topic main", "true", "git log --oneline topic"),
    ("git update-ref refs/heads/topic main", "true", "git log --oneline topic"),
    ("git fetch -q . +main:topic", "true", "git log --oneline topic"),
    ("git worktree remove --force tree", WORKTREE, "cat tree/b.txt tree/loose.txt tree/.git"),
    ("git submodule --quiet deinit -f lib", SUBMODULE, "cat lib/inner.txt lib/.git"),
]


@pytest.fixture
def hook(project: Project) -> Hook:
    """A repository with two branches, and a person near."""
    project.write("penstock.toml", 'preset = "guard"\n')
    shell(project, SETUP)
    return Hook(project, attended=True)


def shell(project: Project, text: str) -> str:
    environ = {"HOME": str(project.home), "PATH": "/usr/bin:/bin", "LC_ALL": "C"}
    done = subprocess.run(
        ["bash", "-c", f"set -e\n{text}"],
        cwd=project.root,
        env=environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(("command", "setup", "look"), ROWS, ids=[row[0] for row in ROWS])
def test_what_a_command_throws_away_comes_back(
    hook: Hook, command: str, setup: str, look: str
) -> None:
    project = hook.project
    shell(project, setup)
    before = shell(project, look)
    answer = said(hook.before("Bash", {"command": command}, "toolu_1"))
    assert answer["permissionDecision"] == "ask"
    assert "would discard" in answer["permissionDecisionReason"]
    assert "which `penstock undo` restores" in answer["permissionDecisionReason"]
    shell(project, command)
    with pytest.raises(AssertionError):  # it is really gone
        assert shell(project, look) == before
    hook.after("Bash", {"command": command}, "toolu_1")
    # A pack of commits is no text, and what was never shown needs a word more.
    # The `.git` file of another work tree is protected, and comes back with the rest of the call.
    done = project.run("undo", "--yes", *(["--unseen"] if "prune" in command else []))
    assert done.code == 0, done.err
    assert shell(project, look) == before


@pytest.mark.parametrize(
    ("allowed", "command", "verdict"),
    [
        ("^git reset --hard$", "git reset --hard", "allow"),
        ("^git clean -qfd$", "git clean -qfd", "allow"),
        ("^git reset --hard$", "git reset --hard && git clean -qfd", "ask"),
        ("^git checkout \\\\$X$", "git checkout $X", "allow"),
    ],
)
def test_an_allow_by_command_covers_what_git_loses_and_what_is_unclear(
    hook: Hook, allowed: str, command: str, verdict: str
) -> None:
    """A person who allows a command by its text has said yes to what it does."""
    rule = f'preset = "guard"\n[[allow]]\ntool = "Bash"\ncommand_regex = "{allowed}"\n'
    hook.project.write("penstock.toml", rule)
    shell(hook.project, f"git commit -q -a -m rules\n{DIRTY}")
    answer = said(hook.before("Bash", {"command": command}, "toolu_1"))
    assert answer.get("permissionDecision", "allow") == verdict


def test_what_is_lost_is_named_with_its_lines(hook: Hook) -> None:
    shell(hook.project, DIRTY)
    answer = said(hook.before("Bash", {"command": "git reset --hard"}, "toolu_1"))
    reason = answer["permissionDecisionReason"]
    assert "uncommitted changes in 2 files: new.py (1 line), src/a.py (1 line)" in reason


@pytest.mark.parametrize(
    "command", ["git reset --hard", "git clean -fd", "git checkout .", "git stash drop"]
)
def test_where_nothing_would_be_lost_nothing_is_asked(hook: Hook, command: str) -> None:
    assert said(hook.before("Bash", {"command": command}, "toolu_1")) == {}


def test_where_nobody_can_answer_a_loss_is_denied(hook: Hook) -> None:
    hook.attended = False
    shell(hook.project, DIRTY)
    answer = said(hook.before("Bash", {"command": "git reset --hard"}, "toolu_1"))
    assert answer["permissionDecision"] == "deny"
    assert "src/a.py" in answer["permissionDecisionReason"]
