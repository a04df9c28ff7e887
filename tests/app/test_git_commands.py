"""Git commands judged on real repositories: what is let through, what is asked about, and why.

The commands are judged by the code of `penstock judge` and never run. `CLEAN` is a repository with
branches, a remote and nothing uncommitted; `DIRTY` is the same one with work in it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from penstock.app.workspace import judge_here
from penstock.core.model import Decision
from penstock.gate import Call

SETUP = r"""
git init -q -b main
git config user.name t && git config user.email t@example.org
mkdir -p src docs .claude config
printf 'one\ntwo\n' > src/a.py; echo b > src/b.py; echo d > docs/d.md
echo '{}' > .claude/settings.json
echo '{}' > package-lock.json; echo TOKEN=x > config/.env
printf 'build/\n.env\n*.local\n' > .gitignore
for n in $(seq 300); do echo "line $n"; done > src/long.py
git add -A && git add -f config/.env && git commit -q -m first && git tag v1
git checkout -q -b feature && echo f > src/f.py && git rm -q src/long.py
git add -A && git commit -q -m feature
git checkout -q -b deps main && echo '{"a": 1}' > package-lock.json && git commit -q -am deps
git checkout -q -b settings main && echo '{"hooks": {}}' > .claude/settings.json
git commit -q -am settings
git checkout -q -b env main && echo TOKEN=y > config/.env && git commit -q -am env
git checkout -q -b local main && echo x > mine.local && git add -f mine.local
git commit -q -m local
git checkout -q -b old main && echo o > src/o.py && git add -A && git commit -q -m old
git checkout -q main && git merge -q --no-edit old
git checkout -q -b only main && echo only > src/only.py && git add -A
git commit -q -m 'only here'
git checkout -q main
git init -q --bare ../remote.git && git remote add origin ../remote.git
git push -q origin main feature old settings && git fetch -q && git branch -q -u origin/main main
git remote set-head origin main
git checkout -q feature && git checkout -q main
mkdir build && echo made > build/x.js && echo mine > mine.local && echo TOKEN=z > .env
"""
WORK = r"""
echo 'three' >> src/a.py; echo staged >> src/b.py; git add src/b.py
mkdir notes; echo plan > notes/plan.md; echo new > src/new.py
rm docs/d.md
echo 'stashed' >> src/long.py; git stash push -q -- src/long.py
"""

# Nothing is lost that git does not keep, and no protected file changes.
FREE_CLEAN = """
git checkout feature
git checkout -b new
git checkout -B new origin/main
git checkout -
git checkout v1
git checkout deps
git checkout HEAD~0
git checkout --detach main
git checkout -q --track -b f2 origin/feature
git switch feature
git switch -c new
git switch -C new feature
git switch --detach v1
git switch -
git pull
git pull --rebase
git pull --ff-only origin main
git pull origin main && git push
git fetch --all --prune --tags
git fetch origin feature:feature2
git merge feature
git merge --no-ff -m x feature
git merge --squash feature
git merge deps
git merge nothing-of-this-name
git rebase feature
git rebase -i HEAD~1
git rebase --onto main only~1 only
git rebase --abort
git rebase --continue
git rebase --skip
git cherry-pick feature
git cherry-pick main..feature
git cherry-pick -n feature
git cherry-pick --abort
git revert --no-edit HEAD
git revert --no-edit v1..HEAD
git reset --hard
git reset --hard HEAD
git reset --hard HEAD~1
git reset --hard origin/main
git reset --hard v1
git fetch && git reset --hard origin/main
git checkout -f feature
git checkout -- .
git checkout .
git checkout src
git checkout HEAD -- src/a.py
git checkout feature -- src/f.py
git checkout --theirs package-lock.json
git checkout HEAD -- package-lock.json
git restore .
git restore --source=feature src
git restore --staged --worktree .
git clean -fd
git clean -fdx build
git clean -n
git clean -fd -e x
git stash
git stash pop
git stash drop
git stash clear
git stash -u
git rm src/a.py
git rm -r src
git rm --cached config/.env
git mv src/a.py src/c.py
git branch -d old
git branch -D old
git branch -D feature
git branch -D nothing-of-this-name
git branch -m only renamed
git tag v2 && git push origin v2
git tag -d v1
git tag -f v1
git update-ref -d refs/heads/old
git gc
git gc --aggressive
git gc --prune=now
git prune
git reflog expire --expire=90.days refs/heads/feature
git worktree add ../wt feature
git worktree remove ../wt
git worktree prune
git commit --amend --no-edit
git commit -m "git push --force is bad; git reset --hard too"
git add -A && git commit -m x && git push
git checkout -b x && git add -A && git commit -m x && git push -u origin x
git stash && git pull --rebase && git stash pop
git stash -u && git checkout feature && git checkout - && git stash pop
git switch -c t && git commit --allow-empty -m t && git switch main && git branch -D t
git push
git push origin HEAD
git push -u origin feature
git push origin main:main
git push --tags
git push --follow-tags
git push --force-with-lease origin feature
git push --force-with-lease=feature origin feature
git push --force --dry-run
git push origin --delete old
git push origin :old
git push origin $(git branch --show-current)
git push -u origin "$(git rev-parse --abbrev-ref HEAD)"
git config user.name x
git config --global user.email x@example.org
git config --global init.defaultBranch main
git config --global pull.rebase true
git config push.autoSetupRemote true
git config color.ui always
git config alias.co checkout && git co feature
git config --get-regexp alias
git init
git init sub
git init -q /tmp/penstock-elsewhere
git remote add up https://example.org/x.git
git remote remove origin
git submodule update --init --recursive
git bisect start HEAD v1
git bisect reset
git sparse-checkout set src .claude config
git sparse-checkout add docs
git notes add -m x
git replace --list
git am --abort
git no-such-command
git lfs pull
git -C src status
cd src && git checkout -- .
git -C . checkout feature
git --git-dir=.git --work-tree=. checkout feature
GIT_AUTHOR_DATE=now git commit --amend --no-edit
GIT_SEQUENCE_EDITOR=: git rebase -i --autosquash HEAD~1
GIT_CONFIG_GLOBAL=/dev/null git log
for b in feature old; do git checkout $b; done
if git diff --quiet; then git checkout feature; fi
git diff | cat; git checkout feature 2>&1 | tail -1
"""
FREE_DIRTY = """
git checkout feature
git checkout -b new
git checkout -b new feature
git switch -c new && git add -A && git commit -m wip
git stash
git stash -u
git stash push -- src/a.py
git stash && git checkout feature
git stash pop
git stash apply
git stash -u && git reset --hard && git clean -fd
git add -A && git commit -m wip && git reset --hard
git commit -qam wip && git reset --hard HEAD
git add -A && git commit -m wip && git clean -fd
git commit -am wip && git checkout -f feature
git commit -qam wip; git push
git reset
git reset src/b.py
git reset --soft HEAD~1
git reset HEAD~1
git restore --staged .
git restore docs/d.md
git checkout -- docs
git checkout -- docs/d.md
git checkout HEAD -- docs/d.md
git checkout -- src/long.py
git clean -nd
git clean -fd build
git clean -fdX build
git rm --cached src/b.py
git pull --rebase --autostash
git merge feature
git cherry-pick feature
git commit --amend --no-edit
git add src/a.py && git commit -m a && git checkout -- src/a.py
git diff > /tmp/w.patch
git branch -D old
git worktree add ../wt feature && cd ../wt && git reset --hard v1
"""
# Work would be gone, and the sentence says which.
LOST_DIRTY = """
git reset --hard                            => src/a.py
git reset --hard HEAD                       => src/a.py
git reset --hard HEAD~1                     => src/a.py
git reset --hard origin/main                => src/b.py
git fetch && git reset --hard origin/main   => src/a.py
git -C src reset --hard                     => src/a.py
git --git-dir=.git reset --hard             => src/a.py
git checkout -- .                           => src/a.py
git checkout .                              => src/a.py
git checkout src                            => src/a.py
git checkout src/a.py                       => src/a.py
git checkout -- src/a.py                    => src/a.py
git checkout HEAD -- src/b.py               => src/b.py
git checkout feature -- src/a.py            => src/a.py
git checkout -f feature                     => src/a.py
git checkout -f                             => src/a.py
git checkout -fb new                        => src/a.py
git checkout -B main origin/main -f         => src/a.py
git switch -f feature                       => src/a.py
git switch --discard-changes feature        => src/a.py
git restore .                               => src/a.py
git restore src                             => src/a.py
git restore :/                              => src/a.py
git restore 'src/*.py'                      => src/a.py
git restore -SW src/b.py                    => src/b.py
git restore --source=v1 src                 => src/a.py
cd src && git restore .                     => src/a.py
git clean -f src                            => src/new.py
git clean -fd                               => notes/plan.md
git clean -fdx build mine.local             => mine.local
git clean -df -- notes                      => notes/plan.md
git clean -ffdq notes                       => notes/plan.md
git rm -f src/a.py                          => src/a.py
git rm -rf src                              => src/b.py
git stash drop                              => 1 stash
git stash drop stash@{0}                    => 1 stash
git stash drop 0                            => 1 stash
git stash clear                             => 1 stash
git update-ref -d refs/stash                => 1 stash
git stash && git stash drop                 => just stashed
git stash -u; git stash clear               => just stashed
git stash pop && git reset --hard           => src/long.py
git reflog expire --expire=now --all        => 1 stash
git add -A && git reset --hard              => src/a.py
git read-tree --reset -u HEAD               => src/a.py
git checkout-index -a -f                    => src/a.py
git checkout feature && git reset --hard    => src/a.py
git commit -m staged && git reset --hard    => src/a.py
git commit -am x && git checkout feature && git branch -D only => the same command
git reset -q --hard && git clean -fdq       => src/a.py
true && git checkout -- . || true           => src/a.py
bash -c 'git reset --hard'                  => src/a.py
git config alias.oops 'reset --hard' && git oops => src/a.py
git -c alias.oops='reset --hard' oops       => src/a.py
git checkout local                          => mine.local
git merge local                             => mine.local
for f in src/a.py src/b.py; do git checkout HEAD -- $f; done => src/a.py
git add -A && git commit -m wip && git reset --hard HEAD~1 => the commit that the same
git commit -qam wip && git reset --hard @^  => the commit that the same command makes
git commit -qam wip && git reset --hard origin/main => the commit that the same command makes
git switch feature && git commit -qam wip && git reset --hard HEAD~1 => the commit that the same
"""
LOST_CLEAN = """
git branch -D only                          => only here
git branch -d --force only                  => only here
git branch -df only                         => only here
git branch -D feature only                  => only here
git update-ref -d refs/heads/only           => only here
git branch -f only main                     => `git branch -f` would discard 1 commit
git update-ref refs/heads/only main           => `git update-ref` would discard 1 commit
git checkout -B only main                   => `git checkout` would discard 1 commit
git add -A && git commit -qm wip && git reset --hard HEAD~1 => the commit that the same
git checkout local                          => mine.local
git clean -fdx mine.local                   => mine.local
"""
PUSHES = """
git push --force
git push -f
git push -f origin feature
git push origin feature --force
git push --forc
git push origin +feature
git push origin +HEAD:feature
git push -fu origin feature
git push --mirror
git push --mirror origin
git push --all -f
git push --prune origin
git push origin :main
git push origin --delete main
git push origin -d settings
git push origin --delete unknown-branch
git push origin :refs/tags/v1
git push --force-with-lease
git push --force-with-lease origin main
git push --force-with-lease --force origin feature
git push origin main --force-with-lease
git push origin HEAD:main --force-with-lease
git push origin HEAD:master --force-with-lease
git -C . push -f
git -c push.default=current push --force
git config alias.pf 'push --force' && git pf
git -c alias.pf='push --force-with-lease --force' pf
git config remote.origin.push +main:main && git push
git config remote.origin.mirror true && git push
git -c remote.origin.push=+main push
g=push; git $g --force
sh -c 'git push --force'
git commit --amend --no-edit && git push -f
git pull; git push --force || git push
"""
# A protected file would get other content: its own rule answers.
BROUGHT = """
git checkout settings                       => .claude/settings.json
git switch settings                         => .claude/settings.json
git checkout -b x settings                  => .claude/settings.json
git switch -c x origin/settings             => .claude/settings.json
git merge settings                          => .claude/settings.json
git merge -X theirs settings                => .claude/settings.json
git rebase settings                         => .claude/settings.json
git rebase main settings                    => .claude/settings.json
git cherry-pick settings                    => .claude/settings.json
git cherry-pick main..settings              => .claude/settings.json
git pull . settings                         => .claude/settings.json
git pull origin settings                    => .claude/settings.json
git reset --hard settings                   => .claude/settings.json
git checkout settings -- .                  => .claude/settings.json
git checkout settings -- .claude            => .claude/settings.json
git restore --source=settings .             => .claude/settings.json
git read-tree -u -m settings                => .claude/settings.json
git checkout env                            => config/.env
git merge env                               => config/.env
git checkout feature && git merge env       => config/.env
git checkout settings; git checkout main    => .claude/settings.json
cd src && git checkout settings             => .claude/settings.json
git rm -f config/.env                       => config/.env
git rm -r config                            => config/.env
git clean -fdx                              => .env
git sparse-checkout set src                 => .claude/settings.json
git stash -a                                => .env
git -c alias.go='checkout settings' go      => .claude/settings.json
git checkout -q main && git checkout -q settings => .claude/settings.json
git revert --no-edit settings               => .claude/settings.json
"""


class Repo:
    """A project with its repository, a home and a remote beside it."""

    def __init__(self, folder: Path) -> None:
        self.home, self.root = folder, folder / "project"
        self.root.mkdir()
        (self.root / "penstock.toml").write_text('preset = "guard"\n')
        (folder / ".gitconfig").write_text("[advice]\n\tdetachedHead = false\n")
        self.shell(SETUP)

    def shell(self, text: str) -> None:
        environ = {"HOME": str(self.home), "PATH": "/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(
            ["bash", "-c", f"set -e\n{text}"],
            cwd=self.root,
            env=environ,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr

    def judge(self, command: str) -> Decision:
        call = Call(
            tool="Bash", tool_input={"command": command}, cwd=str(self.root), home=str(self.home)
        )
        return judge_here(call, workspace=str(self.root), now=time.time()).decision


@pytest.fixture(scope="module")
def surroundings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    kept = dict(os.environ)
    home = tmp_path_factory.mktemp("git")
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        del os.environ[name]
    os.environ |= {"HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1"}
    os.environ |= {"XDG_STATE_HOME": str(home / "state"), "XDG_CONFIG_HOME": str(home / "config")}
    yield home
    os.environ.clear()
    os.environ.update(kept)


@pytest.fixture(scope="module")
def clean(surroundings: Path) -> Repo:
    (surroundings / "clean").mkdir()
    return Repo(surroundings / "clean")


@pytest.fixture(scope="module")
def dirty(surroundings: Path) -> Repo:
    (surroundings / "dirty").mkdir()
    repo = Repo(surroundings / "dirty")
    repo.shell(WORK)
    return repo


def lines(table: str) -> list[str]:
    return [line.strip() for line in table.strip().splitlines()]


def pairs(table: str) -> list[tuple[str, str]]:
    return [
        (command.strip(), word.strip())
        for command, _, word in (line.partition("=>") for line in lines(table))
    ]


@pytest.mark.parametrize("command", lines(FREE_CLEAN))
def test_what_git_keeps_is_let_through(clean: Repo, command: str) -> None:
    decision = clean.judge(command)
    assert decision.verdict == "allow", decision.because


@pytest.mark.parametrize("command", lines(FREE_DIRTY))
def test_uncommitted_work_that_git_keeps_is_no_question(dirty: Repo, command: str) -> None:
    decision = dirty.judge(command)
    assert decision.verdict == "allow", decision.because


@pytest.mark.parametrize(("command", "word"), pairs(LOST_DIRTY))
def test_uncommitted_work_that_would_be_lost_is_asked_about(
    dirty: Repo, command: str, word: str
) -> None:
    decision = dirty.judge(command)
    assert (decision.verdict, decision.code) == ("ask", "lost-work"), decision
    assert word in decision.because


@pytest.mark.parametrize(("command", "word"), pairs(LOST_CLEAN))
def test_what_is_found_nowhere_else_is_asked_about(clean: Repo, command: str, word: str) -> None:
    decision = clean.judge(command)
    assert (decision.verdict, decision.code) == ("ask", "lost-work"), decision
    assert word in decision.because


@pytest.mark.parametrize("command", lines(PUSHES))
def test_a_push_that_replaces_or_removes_is_asked_about(clean: Repo, command: str) -> None:
    decision = clean.judge(command)
    assert (decision.verdict, decision.code) == ("ask", "lost-work"), decision


@pytest.mark.parametrize(("command", "path"), pairs(BROUGHT))
def test_a_protected_file_that_is_brought_is_judged_by_its_rule(
    clean: Repo, command: str, path: str
) -> None:
    decision = clean.judge(command)
    assert decision.verdict in ("ask", "deny"), decision
    assert path in decision.because


def test_a_push_with_a_lease_to_an_own_branch_is_a_note(clean: Repo) -> None:
    decision = clean.judge("git push --force-with-lease origin feature")
    assert decision.verdict == "allow"
    assert "rewrites `feature` on `origin`" in "\n".join(decision.notes)


def test_other_repositories_are_looked_at_too(dirty: Repo, surroundings: Path) -> None:
    clone = surroundings / "clone"
    subprocess.run(["git", "clone", "-q", str(dirty.root), str(clone)], check=True, timeout=60)
    command = f"cd {clone} && git reset --hard origin/main"
    assert dirty.judge(command).verdict == "allow"
    (clone / "src" / "a.py").write_text("work\n")
    assert "src/a.py" in dirty.judge(command).because
    assert "src/a.py" in dirty.judge(f"git -C {clone} checkout -- .").because


def test_looking_changes_nothing_in_the_repository(dirty: Repo) -> None:
    """Not even what the index remembers of files that were only saved again."""
    (dirty.root / "src" / "long.py").touch()
    before = snapshot(dirty.root / ".git")
    for command, _ in pairs(LOST_DIRTY):
        dirty.judge(command)
    assert snapshot(dirty.root / ".git") == before


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in files}


PROGRAMS_OF_A_REPOSITORY = [
    ("core.fsmonitor", "{evil}"),
    ("core.hooksPath", "{folder}"),
    ("filter.evil.clean", "{evil}"),
    ("filter.evil.smudge", "{evil}"),
    ("filter.evil.process", "{evil}"),
    ("diff.external", "{evil}"),
    ("diff.evil.textconv", "{evil}"),
    ("diff.evil.command", "{evil}"),
    ("core.pager", "{evil}"),
    ("pager.diff", "{evil}"),
    ("pager.log", "{evil}"),
    ("gpg.program", "{evil}"),
    ("log.showSignature", "true"),
    ("core.sshCommand", "{evil}"),
    ("gc.recentObjectsHook", "{evil}"),
    ("core.alternateRefsCommand", "{evil}"),
    ("uploadpack.packObjectsHook", "{evil}"),
    ("credential.helper", "{evil}"),
    ("merge.evil.driver", "{evil}"),
]


def test_nothing_of_a_repositorys_own_choosing_runs(surroundings: Path) -> None:
    folder = surroundings / "evil"
    folder.mkdir()
    repo = Repo(folder)
    evil = folder / "post-index-change"
    evil.write_text(f"#!/bin/sh\ntouch {folder}/ran\ncat\n")
    evil.chmod(0o755)
    repo.shell("echo '* filter=evil diff=evil merge=evil' > .git/info/attributes")
    repo.shell(WORK.replace("git stash", "git status -s #"))
    for key, value in PROGRAMS_OF_A_REPOSITORY:
        repo.shell(f"git config {key} '{value.format(evil=evil, folder=folder)}'")
    for table in (FREE_CLEAN, FREE_DIRTY, LOST_DIRTY, LOST_CLEAN, BROUGHT):
        for command, _ in pairs(table):
            repo.judge(command)
    assert not (folder / "ran").exists()
    repo.shell("git status > /dev/null || true")
    assert (folder / "ran").exists()  # what git does when it is started without care


@pytest.mark.parametrize(
    ("setup", "command"),
    [
        ("true", "git reset --hard"),  # no repository
        ("git init -q .", "git reset --hard"),
        ("git init -q .", "git checkout main"),
        ("git init -q .", "git stash"),
        ("git init -q .", "git pull"),
        ("git init -q .", "git commit -m first"),
        ("git init -q . && echo broken > .git/HEAD", "git checkout x"),
    ],
)
def test_what_git_cannot_tell_is_no_crash(
    surroundings: Path, tmp_path: Path, setup: str, command: str
) -> None:
    del surroundings
    subprocess.run(["bash", "-c", setup], cwd=tmp_path, check=True, timeout=60)
    call = Call(tool="Bash", tool_input={"command": command}, cwd=str(tmp_path))
    judged = judge_here(call, workspace=str(tmp_path), now=time.time())
    assert judged.decision.verdict == "allow", judged.decision


@pytest.mark.parametrize("command", ["git gc --prune=now", "git branch -D x"])
def test_a_bare_repository_is_not_entered_and_asked_about(
    surroundings: Path, tmp_path: Path, command: str
) -> None:
    """Its settings could lie in any directory that somebody unpacked."""
    del surroundings
    subprocess.run(["git", "init", "-q", "--bare", "."], cwd=tmp_path, check=True, timeout=60)
    call = Call(tool="Bash", tool_input={"command": command}, cwd=str(tmp_path))
    assert judge_here(call, workspace=str(tmp_path), now=time.time()).decision.verdict == "ask"


def test_a_new_repository_with_files_keeps_them(surroundings: Path, tmp_path: Path) -> None:
    """Without a first commit, what is staged is nowhere else."""
    del surroundings
    setup = "git init -q . && echo a > a && git add a && echo b > b"
    subprocess.run(["bash", "-c", setup], cwd=tmp_path, check=True, timeout=60)
    for command, word in (("git clean -fd", "b"), ("git rm -f a", "a")):
        call = Call(tool="Bash", tool_input={"command": command}, cwd=str(tmp_path))
        decision = judge_here(call, workspace=str(tmp_path), now=time.time()).decision
        assert (decision.verdict, word in decision.because) == ("ask", True), decision


@pytest.mark.parametrize(
    ("command", "asked"),
    [
        ("rm src/a.py", False),  # short: no rule speaks of losing it
        ("rm nothing-there", False),
        ("mv src/a.py src/z.py", False),
        ("rm src/long.py", True),
        ("rm -r src", True),
    ],
)
def test_git_is_started_only_where_a_rule_depends_on_it(
    clean: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, *, asked: bool
) -> None:
    real = shutil.which("git")
    started = tmp_path / "started"
    (tmp_path / "git").write_text(f'#!/bin/sh\necho "$*" >> {started}\nexec {real} "$@"\n')
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert clean.judge(command).verdict == "allow"
    assert started.exists() == asked
    alone = tmp_path / "alone"
    (alone / "src").mkdir(parents=True)
    started.unlink(missing_ok=True)
    call = Call(tool="Bash", tool_input={"command": command}, cwd=str(alone))
    judge_here(call, workspace=str(alone), now=time.time())
    assert not started.exists()  # no repository is above it
