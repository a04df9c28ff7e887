"""Commits of one file, in repositories of every state and with every trap."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from penstock.core.errors import InputError
from penstock.ports import Version
from penstock.stores.git import repository, run
from penstock.stores.git.commit import Commit, prepare
from penstock.stores.git.repository import commit_id, repository_of
from penstock.stores.git.run import GitError
from tests.doors.reviewer.repos import NAME, Repo, clean, repo_at

OLD, NEW = b"x = 1\n", b"x = 2\n"
MESSAGE, SNAPSHOT = "feat(config): edit\n\nbody", "chore(config): snapshot"


@pytest.fixture(autouse=True)
def apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)
    for name, value in clean(tmp_path).items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return repo_at(tmp_path / "repo", committed=OLD.decode())


def commit(repo: Repo, *, old: bytes = OLD, new: bytes = NEW, name: str = NAME) -> Commit:
    """Do what an edit does: prepare, write, publish."""
    file = repo.root / name
    found = repository_of(str(file))
    assert found is not None
    version = Version(path=str(file), before=old, after=new)
    pending = prepare(found, [version], message=MESSAGE, snapshot=SNAPSHOT)
    file.write_bytes(new)
    return pending.publish()


def test_one_commit_with_only_our_file_and_a_clean_status_afterwards(repo: Repo) -> None:
    before = repo.head()
    done = commit(repo)
    assert (done.previous, done.commit) == (before, repo.head())
    assert repo.git("show", "--format=%B", "--name-only").split("\n") == [
        *("feat(config): edit", "", "body", "", NAME, ""),
    ]
    assert repo.status() == []
    assert repo.git("show", f"HEAD:{NAME}").encode() == NEW
    assert repo.git("fsck", "--strict") == ""


def test_before_publish_nothing_can_be_seen(repo: Repo) -> None:
    before, found = repo.head(), repository_of(str(repo.root / NAME))
    assert found is not None
    prepare(
        found,
        [Version(path=str(repo.root / NAME), before=OLD, after=NEW)],
        message=MESSAGE,
        snapshot=SNAPSHOT,
    )
    assert (repo.head(), repo.status()) == (before, [])


def test_what_a_person_has_staged_stays_staged_and_out_of_our_commit(repo: Repo) -> None:
    repo.write("other.txt", "mine\n")
    repo.git("add", "other.txt")
    repo.write("loose.txt", "x\n")
    commit(repo)
    assert repo.status() == ["A  other.txt", "?? loose.txt"]
    assert "other.txt" not in repo.git("ls-tree", "-r", "--name-only", "HEAD")


def test_a_file_that_was_never_committed_gets_its_own_version_first(repo: Repo) -> None:
    repo.write("dir/deep/rules.toml", OLD.decode())
    done = commit(repo, name="dir/deep/rules.toml")
    assert repo.subjects() == ["feat(config): edit", SNAPSHOT, "first"]
    assert repo.git("show", f"{done.previous}:dir/deep/rules.toml").encode() == OLD
    assert repo.status() == []


def test_a_file_that_was_only_announced_is_not_left_as_removed(repo: Repo) -> None:
    repo.write("new.toml", OLD.decode())
    repo.git("add", "-N", "new.toml")
    commit(repo, name="new.toml")
    assert repo.status() == []


def test_a_file_that_a_person_took_out_of_the_index_stays_out(repo: Repo) -> None:
    repo.git("rm", "-q", "--cached", NAME)
    commit(repo)
    assert repo.git("ls-files", NAME) == ""


def test_changes_that_were_not_committed_get_their_own_version_first(repo: Repo) -> None:
    repo.write(NAME, "x = 7\n")
    done = commit(repo, old=b"x = 7\n")
    assert repo.subjects() == ["feat(config): edit", SNAPSHOT, "first"]
    assert repo.git("show", f"{done.previous}:{NAME}") == "x = 7\n"
    assert repo.status() == []


def test_changes_that_were_staged_are_in_that_version_and_nothing_is_left_staged(
    repo: Repo,
) -> None:
    repo.write(NAME, "x = 7\n")
    repo.git("add", NAME)
    commit(repo, old=b"x = 7\n")
    assert repo.subjects() == ["feat(config): edit", SNAPSHOT, "first"]
    assert repo.status() == []


def test_other_content_that_a_person_has_staged_for_our_file_stays_theirs(repo: Repo) -> None:
    repo.write(NAME, "x = 5\n")
    repo.git("add", NAME)
    repo.write(NAME, OLD.decode())
    commit(repo)
    assert repo.git("show", f":{NAME}") == "x = 5\n"


def test_a_repository_without_a_commit_gets_its_first(tmp_path: Path) -> None:
    repo = repo_at(tmp_path / "empty")
    repo.write(NAME, OLD.decode())
    done = commit(repo)
    assert repo.subjects() == ["feat(config): edit", SNAPSHOT]
    assert (repo.git("branch", "--show-current"), repo.status()) == ("main\n", [])
    assert done.commit == repo.head()


def test_a_head_that_stands_alone_moves_by_itself(repo: Repo) -> None:
    branch = repo.head()
    repo.git("checkout", "-q", "--detach")
    done = commit(repo)
    assert repo.head() == done.commit
    assert repo.git("rev-parse", "main").strip() == branch


def test_another_work_tree_has_its_own_branch(repo: Repo, tmp_path: Path) -> None:
    repo.git("worktree", "add", "-q", str(tmp_path / "second"), "-b", "second")
    second = Repo(tmp_path / "second")
    done = commit(second)
    assert second.head() == done.commit
    assert repo.git("rev-parse", "main").strip() == done.previous
    assert (second.status(), repo.status()) == ([], [])


def test_a_file_in_a_submodule_is_committed_there(repo: Repo, tmp_path: Path) -> None:
    repo_at(tmp_path / "inner", committed=OLD.decode())
    inner = str(tmp_path / "inner")
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", inner, "sub")
    repo.git("commit", "-q", "-m", "with sub")
    outer = repo.head()
    done = commit(Repo(repo.root / "sub"))
    assert Repo(repo.root / "sub").head() == done.commit
    assert repo.head() == outer


def test_a_merge_in_progress_goes_on_afterwards(repo: Repo) -> None:
    repo.write("a.txt", "base\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "base")
    repo.git("checkout", "-q", "-b", "side")
    repo.write("a.txt", "side\n")
    repo.git("commit", "-q", "-am", "side")
    repo.git("checkout", "-q", "main")
    repo.write("a.txt", "main\n")
    repo.git("commit", "-q", "-am", "main")
    repo.git("merge", "side", check=False)
    commit(repo)
    assert repo.status() == ["UU a.txt"]
    repo.write("a.txt", "both\n")
    repo.git("commit", "-q", "-am", "merged")
    assert len(repo.git("log", "-1", "--format=%P").split()) == 2
    assert repo.git("show", f"HEAD:{NAME}").encode() == NEW


TRAPS: list[tuple[str, str]] = [
    ("core.fsmonitor", "{trap}"),
    ("core.hooksPath", "{folder}"),
    ("gpg.program", "{trap}"),
    ("commit.gpgSign", "true"),
    ("filter.evil.clean", "{trap}"),
    ("filter.evil.smudge", "{trap}"),
    ("filter.evil.process", "{trap}"),
    ("filter.evil.required", "true"),
    ("alias.commit-tree", "!{trap}"),
    ("alias.update-ref", "!{trap}"),
    ("core.sshCommand", "{trap}"),
    ("core.pager", "{trap}"),
    ("core.editor", "{trap}"),
    ("core.askPass", "{trap}"),
    ("credential.helper", "!{trap}"),
    ("diff.external", "{trap}"),
    ("core.alternateRefsCommand", "{trap}"),
    ("remote.origin.url", "ext::{trap}"),
    ("remote.origin.promisor", "true"),
    ("remote.origin.partialCloneFilter", "blob:none"),
    ("extensions.partialClone", "origin"),
    ("uploadpack.packObjectsHook", "{trap}"),
    ("trace2.normalTarget", "{sprung}"),
]
HOOKS = ("pre-commit", "post-commit", "commit-msg", "reference-transaction", "post-index-change")


def test_nothing_that_a_repository_names_is_run(repo: Repo, tmp_path: Path) -> None:
    sprung, folder = tmp_path / "sprung", tmp_path / "hooks"
    folder.mkdir()
    trap = folder / "trap"
    trap.write_text(f"#!/bin/sh\ntr '\\0' ' ' < /proc/$PPID/cmdline >> {sprung}\ncat\n")
    for name in HOOKS:
        shutil.copy(trap, folder / name)
        shutil.copy(trap, repo.root / ".git/hooks" / name)
    for file in [*folder.iterdir(), *(repo.root / ".git/hooks").iterdir()]:
        file.chmod(0o755)
    repo.write(".git/info/attributes", "* filter=evil\n")
    for key, value in TRAPS:
        said = value.format(trap=trap, folder=folder, sprung=sprung)
        with open(repo.root / ".git/config", "a", encoding="utf-8") as config:
            section, _, last = key.rpartition(".")
            first, dot, rest = section.partition(".")
            head = f'[{first} "{rest}"]' if dot else f"[{first}]"
            config.write(f'{head}\n\t{last} = "{said}"\n')
    repo.write("dir/rules.toml", OLD.decode())
    commit(repo, name="dir/rules.toml")
    commit(repo)
    assert not sprung.exists(), sprung.read_text()


def test_variables_that_lead_to_another_repository_are_not_followed(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = repo_at(tmp_path / "other", committed="y = 1\n")
    before = other.head()
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.root))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(tmp_path / "objects"))
    done = commit(repo)
    monkeypatch.undo()
    assert (repo.head(), other.head()) == (done.commit, before)
    assert not (tmp_path / "index").exists()


def test_whoever_has_told_git_no_name_commits_all_the_same(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.config("user.useConfigOnly", "true")
    commit(repo)
    assert repo.git("log", "-1", "--format=%an") == "decision_reviewer\n"


def test_a_name_that_git_knows_is_used(repo: Repo) -> None:
    repo.config("user.name", "Ada")
    repo.config("user.email", "ada@example.org")
    commit(repo)
    assert repo.git("log", "-1", "--format=%an %ae") == "Ada ada@example.org\n"


def test_a_commit_that_comes_in_between_is_kept_and_ours_goes_on_top(repo: Repo) -> None:
    found = repository_of(str(repo.root / NAME))
    assert found is not None
    version = Version(path=str(repo.root / NAME), before=OLD, after=NEW)
    pending = prepare(found, [version], message=MESSAGE, snapshot=SNAPSHOT)
    repo.write("other.txt", "x\n")
    repo.git("add", "other.txt")
    repo.git("commit", "-q", "-m", "in between")
    repo.write(NAME, NEW.decode())
    done = pending.publish()
    assert repo.subjects() == ["feat(config): edit", "in between", "first"]
    assert (repo.head(), repo.status()) == (done.commit, [])


def test_a_branch_that_somebody_locks_is_an_error_and_stays_where_it_is(repo: Repo) -> None:
    before, found = repo.head(), repository_of(str(repo.root / NAME))
    assert found is not None
    version = Version(path=str(repo.root / NAME), before=OLD, after=NEW)
    pending = prepare(found, [version], message=MESSAGE, snapshot=SNAPSHOT)
    (repo.root / ".git/refs/heads/main.lock").touch()
    with pytest.raises(GitError) as told:
        pending.publish()
    assert "main.lock" in told.value.because
    assert repo.head() == before


def test_an_index_that_somebody_locks_is_left_alone_and_told(repo: Repo) -> None:
    (repo.root / ".git/index.lock").touch()
    done = commit(repo)
    assert repo.head() == done.commit
    assert "index" in done.notes[0]


def test_both_files_of_an_edit_are_one_commit(repo: Repo) -> None:
    names = ["a/one.toml", "b/two.toml"]
    files = [repo.write(name, OLD.decode()) for name in names]
    found = repository_of(str(files[0]))
    assert found is not None
    versions = [Version(path=str(file), before=OLD, after=NEW) for file in files]
    pending = prepare(found, versions, message=MESSAGE, snapshot=SNAPSHOT)
    for file in files:
        file.write_bytes(NEW)
    pending.publish()
    assert repo.git("show", "--format=", "--name-only").split() == names
    assert repo.status() == []


def test_modes_of_everything_stay(repo: Repo) -> None:
    (repo.root / NAME).chmod(0o755)
    tool = repo.write("tool.sh", "#!/bin/sh\n")
    tool.chmod(0o755)
    (repo.root / "link").symlink_to("tool.sh")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "modes")
    commit(repo)
    modes = {line.split("\t")[1]: line[:6] for line in repo.git("ls-tree", "HEAD").splitlines()}
    assert modes == {NAME: "100755", "tool.sh": "100755", "link": "120000"}


def test_bytes_are_committed_as_they_are_whatever_line_ends_git_likes(repo: Repo) -> None:
    repo.config("core.autocrlf", "true")
    new = b"\xef\xbb\xbfx = 1\r\ny = 2\n"
    done = commit(repo, new=new)
    found = repository_of(str(repo.root / NAME))
    assert found is not None
    assert found.at(done.commit, str(repo.root / NAME)) == new


def test_a_repository_of_longer_ids_works_too(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "long")
    repo.root.mkdir()
    repo.git("init", "-q", "-b", "main", "--object-format=sha256")
    repo.write(NAME, OLD.decode())
    assert len(commit(repo).commit) == 64
    assert len(commit(repo, old=NEW, new=b"x = 3\n").previous) == 64
    assert repo.status() == []


NO_HOME: list[tuple[str, Callable[[Path], Path]]] = [
    ("no repository at all", lambda at: at / NAME),
    ("a repository's own directory", lambda at: repo_at(at / "r").root / ".git" / NAME),
    ("a bare repository", lambda at: _bare(at) / NAME),
]


def _bare(at: Path) -> Path:
    Repo(at).git("init", "-q", "--bare", "bare.git")
    return at / "bare.git"


@pytest.mark.parametrize(("why", "place"), NO_HOME, ids=[why for why, _ in NO_HOME])
def test_a_file_that_lies_in_no_work_tree_has_no_repository(
    tmp_path: Path, why: str, place: Callable[[Path], Path]
) -> None:
    file = place(tmp_path)
    file.write_bytes(OLD)
    assert repository_of(str(file)) is None, why


def test_without_git_there_is_no_repository(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert repository_of(str(repo.root / NAME)) is None


def test_a_git_that_lies_in_the_project_is_not_run(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = repo.write("git", "#!/bin/sh\nexit 7\n")
    fake.chmod(0o755)
    monkeypatch.chdir(repo.root)
    monkeypatch.setenv("PATH", f".:{repo.root}:{os.environ['PATH']}")
    found = run.program(str(repo.root))
    assert os.path.isabs(found)
    assert os.path.dirname(found) != str(repo.root)
    commit(repo)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory to somebody else")
def test_a_repository_of_somebody_else_is_refused_with_gits_own_words(repo: Repo) -> None:
    os.chown(repo.root, 12345, 12345)
    os.chown(repo.root / ".git", 12345, 12345)
    with pytest.raises(GitError) as told:
        repository_of(str(repo.root / NAME))
    assert "dubious ownership" in told.value.because


def test_what_is_ignored_is_known_unless_it_is_tracked(repo: Repo) -> None:
    repo.write(".gitignore", "*.toml\n")
    loose = repo.write("loose.toml", "x = 1\n")
    found = repository_of(str(loose))
    assert found is not None
    assert found.ignores(str(loose))
    assert not found.ignores(str(repo.root / NAME))


NO_IDS = ["", "abc", "HEAD:x", "--upload-pack=x", "-n", "HEAD~{u}", "main", "abcd;ls", "abcd^{/x}"]
NO_IDS += ["a" * 65, "abcg", "$(id)", "abcd\n", " abcd", "ａｂｃｄ", "..", "@{-1}", ":/first"]


@pytest.mark.parametrize("text", NO_IDS)
def test_only_digits_and_steps_back_from_head_name_a_commit(text: str) -> None:
    with pytest.raises(InputError) as told:
        commit_id(text)
    assert told.value.code == "bad-commit"


def test_an_earlier_version_is_found_by_a_short_id_too(repo: Repo) -> None:
    done = commit(repo)
    found, file = repository_of(str(repo.root / NAME)), str(repo.root / NAME)
    assert found is not None
    assert found.at(done.previous[:7].upper(), file) == OLD
    assert found.at(done.commit, file) == NEW


def test_a_version_that_does_not_exist_is_told(repo: Repo) -> None:
    found, file = repository_of(str(repo.root / NAME)), str(repo.root / NAME)
    assert found is not None
    tree = repo.git("rev-parse", "HEAD^{tree}").strip()
    other = repo.write("new.toml", "x = 1\n")
    for commit_named, path in (("0" * 40, file), (tree, file), (repo.head(), str(other))):
        with pytest.raises(InputError) as told:
            found.at(commit_named, path)
        assert told.value.code == "no-such-version"


def test_an_object_that_no_memory_holds_is_not_read(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = repository_of(str(repo.root / NAME))
    assert found is not None
    monkeypatch.setattr(repository, "MOST", 300)
    assert found.at("HEAD", str(repo.root / NAME)) == OLD
    repo.write(NAME, "x" * 1000)
    repo.git("commit", "-qam", "large")
    with pytest.raises(GitError, match="cat-file") as caught:
        found.at("HEAD", str(repo.root / NAME))
    assert caught.value.because == "it says more than can be kept"


def test_a_git_that_hangs_is_ended(
    repo: Repo, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path_factory.mktemp("bin") / "git"
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}:{os.environ['PATH']}")
    monkeypatch.setattr(run, "SECONDS", 0.3)
    with pytest.raises(GitError):
        repository_of(str(repo.root / NAME))


def test_the_history_is_plain_git(repo: Repo) -> None:
    done = commit(repo)
    assert len(repo.git("log", "--oneline", NAME).splitlines()) == 2
    assert "+x = 2" in repo.git("show", "HEAD")
    repo.git("revert", "--no-edit", done.commit)
    assert (repo.root / NAME).read_bytes() == OLD


def test_names_with_spaces_and_other_letters_are_names(repo: Repo) -> None:
    name = "my folder/ünd $(x) 'q'.toml"
    repo.write(name, OLD.decode())
    commit(repo, name=name)
    assert repo.status() == []


def test_a_name_with_a_line_end_is_refused(repo: Repo) -> None:
    file = repo.write("a\nb/rules.toml", OLD.decode())
    found = repository_of(str(file))
    assert found is not None
    with pytest.raises(GitError):
        found.inside(str(file))


def test_two_hundred_files_around_ours_cost_no_more_commands(repo: Repo) -> None:
    for number in range(200):
        repo.write(f"many/{number}.txt", "x\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "many")
    commit(repo)
    assert len(repo.git("ls-tree", "-r", "--name-only", "HEAD").splitlines()) == 201


def test_real_git_is_here() -> None:
    assert subprocess.run(["git", "--version"], capture_output=True, check=True).stdout


@pytest.mark.parametrize("tracked", [True, False], ids=["tracked", "not tracked"])
def test_an_index_that_a_killed_edit_left_behind_is_brought_along_by_the_next(
    repo: Repo, tracked: bool
) -> None:
    name = NAME if tracked else "new.toml"
    repo.write(name, OLD.decode())
    before = (repo.root / ".git/index").read_bytes()
    message = f"{MESSAGE}\n\nGenerated with decision_reviewer\n"
    found, file = repository_of(str(repo.root / name)), repo.root / name
    assert found is not None
    for old, new in ((OLD, NEW), (NEW, b"x = 3\n")):
        version = Version(path=str(file), before=old, after=new)
        pending = prepare(found, [version], message=message, snapshot=SNAPSHOT)
        file.write_bytes(new)
        pending.publish()
        if new == NEW:
            (repo.root / ".git/index").write_bytes(before)  # as if it had been killed here
    assert repo.status() == []
