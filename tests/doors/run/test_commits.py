"""Commits made in a run arrive below refs of their own, checked; nothing else of git does."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.doors.run.test_run import run, run_id
from tests.project import Project
from tests.stores.isolation.ground import impossible

CANNOT = impossible()
pytestmark = pytest.mark.skipif(bool(CANNOT), reason=f"NOT TESTED: this kernel cannot: {CANNOT}")

WHO = "-c user.name=a -c user.email=a@b"
SECRET = "a8b3e73d278a7bd7ae30b43f9d20de69821bab1c"  # the id of `S=1` and a line end
COMMIT = f"git add -A; git {WHO} commit -qm"


def git(here: Project, *words: str, right: bool = True) -> str:
    done = subprocess.run(
        ["git", "-C", here.root, "-c", "user.name=a", "-c", "user.email=a@b", *words],
        capture_output=True, text=True, check=False, env=here.environ,
    )  # fmt: skip
    assert not right or done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def here(project: Project) -> Project:
    shutil.rmtree(project.root / ".git")
    subprocess.run(["git", "init", "-q", "-b", "main", str(project.root)], check=True)
    project.write("src/app.py", "x = 1\n")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "first")
    return project


def refs(here: Project) -> dict[str, str]:
    lines = git(here, "for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    return dict(line.split(" ") for line in lines)


def test_commits_arrive_and_a_person_moves_the_branch(here: Project) -> None:
    before = git(here, "rev-parse", "HEAD")
    done = run(
        here,
        f"echo 'x = 2' > src/app.py; {COMMIT} two; echo n > new.txt; ln -s new.txt link; "
        f"{COMMIT} three; git checkout -qb side; rm new.txt; {COMMIT} four",
    )
    name = run_id(done)
    assert done.code == 0, done.err
    assert "2 commits on main (3 files, none denied)" in done.err
    assert "3 commits on side" in done.err
    assert "5 commits" in done.err
    assert f"penstock runs merge {name}" in done.err
    kept = refs(here)
    assert set(kept) == {
        "refs/heads/main", f"refs/penstock/run/{name}/main", f"refs/penstock/run/{name}/side"
    }  # fmt: skip
    assert kept["refs/heads/main"] == before
    assert (
        git(here, "log", "--format=%s", f"refs/penstock/run/{name}/side")
        == "four\nthree\ntwo\nfirst"
    )
    assert git(here, "fsck", "--strict") == ""
    assert here.run("audit", "verify").code == 0


def test_the_branch_is_moved_only_when_the_files_are_there(here: Project) -> None:
    done = run(here, f"echo 'x = 2' > src/app.py; echo n > new.txt; {COMMIT} two")
    name = run_id(done)
    here.write("staged.txt", "mine\n")
    git(here, "add", "staged.txt")
    (here.root / "new.txt").write_text("changed by its user\n")
    refused = here.run("runs", "merge", name, "--yes")
    assert refused.code != 0
    assert "error[files-differ]" in refused.err
    assert "new.txt" in refused.err
    (here.root / "new.txt").write_text("n\n")
    merged = here.run("runs", "merge", name, "--yes")
    assert merged.code == 0, merged.err
    assert git(here, "log", "--format=%s") == "two\nfirst"
    assert git(here, "status", "--porcelain") == "A  staged.txt", "what is staged stays staged"
    again = here.run("runs", "merge", name, "--yes")
    assert "error[not-fast-forward]" in again.err
    events = here.run("audit", "log", "--json").out
    for op in ("commits_importing", "commits_imported", "branch_moving", "branch_moved"):
        assert op in events


def test_a_branch_that_went_on_is_not_moved(here: Project) -> None:
    name = run_id(run(here, f"echo n > new.txt; {COMMIT} two"))
    git(here, "commit", "-q", "--allow-empty", "-m", "mine")
    at = git(here, "rev-parse", "HEAD")
    assert "error[not-fast-forward]" in here.run("runs", "merge", name, "--yes").err
    assert git(here, "rev-parse", "HEAD") == at


def test_the_first_commit_of_a_repository(project: Project) -> None:
    shutil.rmtree(project.root / ".git")
    subprocess.run(["git", "init", "-q", "-b", "main", str(project.root)], check=True)
    done = run(project, f"echo 1 > a.txt; {COMMIT} one")
    assert "1 commit on main" in done.err
    assert project.run("runs", "merge", run_id(done), "--yes").code == 0
    assert git(project, "log", "--format=%s") == "one"
    assert git(project, "status", "--porcelain") == ""


HIDDEN = [
    ("a secret", f"echo S=1 > .env; git add -f .env; {COMMIT} bad", ".env"),
    (
        "a secret that the next commit removes",
        f"echo S=1 > .env; git add -f .env; {COMMIT} bad; git rm -q .env; {COMMIT} good",
        ".env",
    ),
    (
        "a secret that only a merge brings",
        f"git checkout -qb side; echo 1 > b.txt; {COMMIT} b; git checkout -q main; "
        f"echo 2 > c.txt; {COMMIT} c; git {WHO} merge -q --no-commit side; echo S=1 > .env; "
        f"git add -f .env; {COMMIT} merge",
        ".env",
    ),
    (
        "a rules file",
        f"printf '[gate]\\nobserve = true\\n' > penstock.toml; {COMMIT} rules; "
        f"git rm -q penstock.toml; {COMMIT} nothing",
        "penstock.toml",
    ),
]


@pytest.mark.parametrize(
    ("script", "path"), [row[1:] for row in HIDDEN], ids=[r[0] for r in HIDDEN]
)
def test_commits_that_change_what_is_denied_stay_in_the_layer(
    here: Project, script: str, path: str
) -> None:
    done = run(here, script)
    name = run_id(done)
    assert f"in the layer: the rules deny {path}" in done.err, done.err
    assert f"refs/penstock/run/{name}/main" not in refs(here)
    assert git(here, "fsck", "--unreachable") == "", "not even objects of it arrive"
    known = git(here, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
    assert SECRET not in known.split()


def test_a_merge_of_what_is_known_is_judged_by_what_it_adds(here: Project) -> None:
    """A commit of the user's own that touches a protected file is no change of the run's."""
    git(here, "checkout", "-qb", "mine")
    here.write(".env", "S=1\n")
    git(here, "add", "-f", ".env")
    git(here, "commit", "-qm", "mine")
    git(here, "checkout", "-q", "main")
    done = run(here, f"echo 1 > b.txt; {COMMIT} b; git {WHO} merge -q -m merge mine")
    assert "2 commits on main (1 file, none denied)" in done.err, done.err


def test_hostile_settings_run_inside_only_and_never_leave(here: Project) -> None:
    """Hooks, filters, monitors, alternates, links in place of refs: all of it stays in the run."""
    mark = here.home / "ran-outside"
    evil = f"touch {mark}"
    config = (here.root / ".git/config").read_bytes()
    script = (
        f"git config core.fsmonitor '{evil}'; git config core.sshCommand '{evil}'; "
        f"git config filter.x.clean '{evil}; cat'; echo '* filter=x' > .git/info/attributes; "
        f"git config pack.packObjectsHook '{evil}'; git config alias.pack-objects '!{evil}'; "
        f"git config gc.auto 1; git config uploadpack.packObjectsHook '{evil}'; "
        "for one in pre-commit post-commit reference-transaction post-index-change update; do "
        f"printf '#!/bin/sh\\n{evil}\\n' > .git/hooks/$one; chmod +x .git/hooks/$one; done; "
        f"echo 1 > a.txt; {COMMIT} evil; git {WHO} stash; git tag evil; "
        "ln -s /etc/passwd .git/refs/heads/link; "
        "mkdir -p .git/objects/info; echo /root/secret/objects > .git/objects/info/alternates"
    )
    done = run(here, script)
    name = run_id(done)
    assert f"refs/penstock/run/{name}/main" in refs(here), done.err
    assert not mark.exists()
    assert (here.root / ".git/config").read_bytes() == config
    assert not os.path.lexists(here.root / ".git/refs/heads/link")
    assert not (here.root / ".git/objects/info/alternates").exists()
    ours = f"refs/penstock/run/{name}"
    assert set(refs(here)) == {"refs/heads/main", f"{ours}/main", f"{ours}/tags/evil"}
    assert not (here.root / ".git/hooks/pre-commit").exists()


FORGED = [
    ("a pack that is none", "printf 'x\\n' ", "could not be read"),
    ("a ref elsewhere", "printf '%040d refs/heads/../../x\\n\\n' 1", "git does not take"),
    ("a name with escapes", "printf '%040d refs/heads/\\033[31m\\n\\n' 1", "git does not take"),
    ("a commit that is missing", "printf '%040d refs/heads/main\\n\\n' 1", "stay in the layer"),
]


@pytest.mark.parametrize(("prints", "because"), [r[1:] for r in FORGED], ids=[r[0] for r in FORGED])
def test_whatever_the_inside_prints_only_checked_commits_arrive(
    here: Project, prints: str, because: str
) -> None:
    """Git inside is the run's own business: here `for-each-ref` is an answer of its choosing."""
    before = refs(here)
    tool = here.root / "node_modules/.bin"  # scratch: it never leaves the layer
    env = {"PATH": f"{tool}:{here.environ['PATH']}"}
    script = (
        f"echo 1 > a.txt; {COMMIT} one; mkdir -p {tool}; cat > {tool}/git <<'END'\n"
        f'#!/bin/sh\ncase "$*" in *for-each-ref*) {prints};; '
        "*pack-objects*) head -c 4096 /dev/urandom;; esac\n"
        f"END\nchmod +x {tool}/git"
    )
    done = here.run("run", "--", "sh", "-c", script, env=env)
    assert because in done.err, done.err
    assert refs(here) == before


def test_a_linked_work_tree_has_its_repository_in_a_layer_too(here: Project) -> None:
    linked = Project(root=here.root.parent / "linked", home=here.home)
    git(here, "worktree", "add", "-q", "-b", "side", str(linked.root))
    before = refs(here)
    done = run(linked, f"echo 1 > a.txt; {COMMIT} one; git config evil.x y; git status --short")
    name = run_id(done)
    assert done.code == 0, done.err
    assert "1 commit on side (1 file, none denied)" in done.err, done.err
    after = refs(here)
    assert set(after) - set(before) == {f"refs/penstock/run/{name}/side"}
    assert "evil" not in (here.root / ".git/config").read_text()
    assert linked.run("runs", "merge", name, "--yes").code == 0
    assert git(linked, "log", "--format=%s") == "one\nfirst"
    assert git(linked, "status", "--porcelain") == ""


def test_dropping_a_run_drops_its_refs(here: Project) -> None:
    before = refs(here)
    name = run_id(run(here, f"echo 1 > a.txt; {COMMIT} one"))
    assert refs(here) != before
    assert here.run("runs", "drop", name, "--yes").code == 0
    assert refs(here) == before


def test_applying_again_brings_the_commits_again(here: Project) -> None:
    name = run_id(run(here, f"echo 1 > a.txt; {COMMIT} one"))
    git(here, "update-ref", "-d", f"refs/penstock/run/{name}/main")
    assert "1 commit" in here.run("runs", "apply", name).err
    assert f"refs/penstock/run/{name}/main" in refs(here)


def ours(here: Project, name: str) -> dict[str, str]:
    start = f"refs/penstock/run/{name}/"
    return {
        ref.removeprefix(start): oid for ref, oid in refs(here).items() if ref.startswith(start)
    }


def test_tags_and_stashes_arrive_below_refs_of_the_run_and_nowhere_else(here: Project) -> None:
    git(here, "tag", "old")
    here.write("mine.txt", "mine\n")
    git(here, "stash", "-u")
    before = refs(here)
    done = run(
        here,
        f"git tag light; git {WHO} tag -a -m text note; git tag -f old; git tag -d old; "
        f"echo 'x = 2' > src/app.py; git {WHO} stash -q; echo 3 > three.txt; "
        f"git {WHO} stash -q -u; echo n > new.txt; {COMMIT} two; git {WHO} tag -a -m two v2",
    )
    name = run_id(done)
    assert done.code == 0, done.err
    assert "1 commit, 3 tags, 2 stashes" in done.err, done.err
    start = f"refs/penstock/run/{name}"
    assert f"  tag light: {start}/tags/light" in done.err
    assert f"  stash (1 file, none denied): {start}/stash" in done.err
    assert f"  stash-1 (1 file, none denied): {start}/stash-1" in done.err
    kept = ours(here, name)
    assert set(kept) == {"main", "tags/light", "tags/note", "tags/v2", "stash", "stash-1"}
    assert {ref: oid for ref, oid in refs(here).items() if not ref.startswith(start)} == before
    assert len(git(here, "stash", "list").splitlines()) == 1, "the user's own"
    assert git(here, "cat-file", "-t", kept["tags/note"]) == "tag"
    assert git(here, "cat-file", "-p", f"{start}/tags/v2^{{commit}}").endswith("two")
    assert git(here, "fsck", "--strict", "--connectivity-only") == ""

    assert here.run("runs", "merge", name, "--yes").code == 0
    assert git(here, "log", "-1", "--format=%s") == "two"
    assert set(refs(here)) - set(before) == {f"{start}/{one}" for one in kept}, "nothing leaks"
    git(here, "stash", "apply", f"{start}/stash-1")
    assert (here.root / "src/app.py").read_text() == "x = 2\n"
    assert here.run("runs", "drop", name, "--yes").code == 0
    assert set(refs(here)) == set(before)


def test_a_tag_alone_arrives_though_it_makes_no_object(here: Project) -> None:
    done = run(here, "git tag alone; git pack-refs --all")
    assert set(ours(here, run_id(done))) == {"tags/alone"}, done.err
    assert "0 applied, 1 tag" in done.err


STAYING = [
    ("a secret in a stash", f"echo S=1 > .env; git {WHO} stash -q -a", "the rules deny"),
    (
        "a secret that only a tag leads to",
        f"git checkout -q --detach; echo S=1 > .env; git add -f .env; {COMMIT} bad; "
        "git tag bad; git checkout -q main",
        "the rules deny",
    ),
    ("a tag of a file", "git tag blob $(echo S=1 | git hash-object -w --stdin)", "is no commit"),
    ("a tag of a tree", "git tag tree HEAD^{tree}", "is no commit"),
    (
        "a tag of a tag of a file",
        f"git {WHO} tag -a -m x blob $(echo S=1 | git hash-object -w --stdin); "
        f"git {WHO} tag -a -m x two blob",
        "is no commit",
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("script", "because"), [row[1:] for row in STAYING], ids=[row[0] for row in STAYING]
)
def test_a_tag_or_stash_brings_nothing_that_nobody_judged(
    here: Project, script: str, because: str
) -> None:
    before = refs(here)
    done = run(here, script)
    assert "in the layer: " in done.err, done.err
    assert because in done.err, done.err
    assert refs(here) == before
    known = git(here, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
    assert SECRET not in known.split()


def test_a_branch_is_in_the_way_of_a_tag_of_the_same_place(here: Project) -> None:
    """Git keeps no two refs of one name; the branch is what counts."""
    done = run(
        here,
        f"git checkout -qb tags/v1; echo 1 > a.txt; {COMMIT} one; git tag v1; git tag v2; "
        f"git checkout -qb stash; echo 2 >> a.txt; {COMMIT} two; echo 3 >> a.txt; "
        f"git {WHO} stash -q",
    )
    found = ours(here, run_id(done))
    assert set(found) == {"tags/v1", "tags/v2", "stash"}, done.err
    assert git(here, "log", "-1", "--format=%s", found["stash"]) == "two"
    assert "tag v1 stays in the layer: a branch is in the way" in done.err
    assert "stash stays in the layer: a branch is in the way" in done.err


@pytest.fixture
def nested(here: Project, tmp_path: Path) -> Project:
    """The project with a submodule `lib`, which has one itself, as `git clone` leaves them."""
    for name, more in (("inner", ""), ("lib", "inner")):
        other = Project(root=tmp_path / name, home=here.home)
        other.root.mkdir()
        git(other, "init", "-q", "-b", "main")
        other.write(f"{name}.txt", "1\n")
        other.write(".gitignore", "cache/\n")
        git(other, "add", "-A")
        git(other, "commit", "-qm", name)
        if more:
            added(other, tmp_path / more, more)
    added(here, tmp_path / "lib", "lib")
    git(here, "-c", "protocol.file.allow=always", "submodule", "-q", "update", "--init",
        "--recursive")  # fmt: skip
    return here


def added(to: Project, source: Path, name: str) -> None:
    git(to, "-c", "protocol.file.allow=always", "submodule", "-q", "add", str(source), name)
    git(to, "commit", "-qm", f"with {name}")


WORK = (
    "cd lib/inner; echo 2 > inner.txt; mkdir cache; echo c > cache/c; "
    f"git {WHO} commit -qam deep; cd ..; echo 2 > lib.txt; git add -A; "
    f"git {WHO} commit -qm middle; git tag t; cd ..; echo 2 > top.txt; {COMMIT} top"
)


def test_commits_of_submodules_arrive_in_their_repositories(nested: Project) -> None:
    lib = Project(root=nested.root / "lib", home=nested.home)
    inner = Project(root=lib.root / "inner", home=nested.home)
    before = [refs(one) for one in (nested, lib, inner)]
    done = run(nested, WORK)
    name = run_id(done)
    assert "3 applied" in done.err, done.err
    assert "1 scratch file" in done.err, done.err
    start = f"refs/penstock/run/{name}"
    assert f"  1 commit on main (2 files, none denied): {start}/main" in done.err
    assert f"  1 commit on main of lib (2 files, none denied): {start}/main" in done.err
    assert f"  1 commit on HEAD of lib/inner (1 file, none denied): {start}/HEAD" in done.err
    assert f"  tag t of lib (2 files, none denied): {start}/tags/t" in done.err
    assert set(ours(nested, name)) == {"main"}
    assert set(ours(lib, name)) == {"main", "tags/t"}
    assert set(ours(inner, name)) == {"HEAD"}

    merged = nested.run("runs", "merge", name, "--yes")
    assert merged.code == 0, merged.err
    assert [git(one, "log", "-1", "--format=%s") for one in (nested, lib, inner)] == [
        "top", "middle", "deep"
    ]  # fmt: skip
    assert git(nested, "status", "--porcelain") == ""
    assert git(nested, "submodule", "status", "--recursive").count("+") == 0
    assert nested.run("audit", "verify").code == 0
    assert nested.run("runs", "drop", name, "--yes").code == 0
    tags = [{r for r in refs(one) if not r.startswith("refs/penstock")} for one in (nested, lib)]
    assert tags == [set(before[0]), set(before[1])]


def test_a_submodule_whose_commits_are_denied_holds_the_branch_back(nested: Project) -> None:
    script = WORK.replace("echo 2 > lib.txt", "echo S=1 > .env; git add -f .env")
    done = run(nested, script)
    name = run_id(done)
    assert "1 commit on main of lib stays in the layer: the rules deny lib/.env" in done.err
    refused = nested.run("runs", "merge", name, "--yes")
    assert "error[files-differ]" in refused.err, refused.err
    assert "lib" in refused.err


def test_a_linked_work_tree_with_a_submodule(nested: Project) -> None:
    linked = Project(root=nested.root.parent / "linked", home=nested.home)
    git(nested, "worktree", "add", "-q", "-b", "side", str(linked.root))
    git(linked, "-c", "protocol.file.allow=always", "submodule", "-q", "update", "--init")
    lib = Project(root=linked.root / "lib", home=nested.home)
    done = run(linked, f"cd lib; echo 2 > lib.txt; git {WHO} commit -qam middle; cd ..; "
                       f"git tag here; git {WHO} commit -qam top")  # fmt: skip
    name = run_id(done)
    assert set(ours(linked, name)) == {"side", "tags/here"}, done.err
    assert set(ours(lib, name)) == {"HEAD"}, done.err
    assert linked.run("runs", "merge", name, "--yes").code == 0
    assert git(linked, "status", "--porcelain") == ""
