"""The way back: every change can be undone, exactly, by the command that its answer names."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from penstock.core.errors import InputError
from penstock.stores.rules import backups
from tests.doors.reviewer.reviewer_process import NPM, RULES, Reviewer, adding, in_git, plain

Place = Callable[[Path], Reviewer]
PLACES = [pytest.param(in_git, id="git"), pytest.param(plain, id="copies")]
EDITS: list[dict[str, object]] = [
    adding(position="start"),
    {"type": "remove_rule", "id": "deny-rm"},
    {"type": "update_rule", "id": "allow-cargo-safe", "changes": {"description": "x"}},
    {"type": "toggle_rule", "id": "allow-cargo-safe", "enabled": False},
    {
        "type": "batch",
        "operations": [adding(), {"type": "reorder_rule", "id": NPM["id"], "move_to": "start"}],
    },
]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: str(edit["type"]))
def test_the_command_in_the_answer_undoes_the_change(
    tmp_path: Path, place: Place, edit: dict[str, object]
) -> None:
    at = place(tmp_path)
    answer = at.made(edit)
    changed = at.file.read_text()
    assert changed != RULES
    done = at.shell(answer["rollback_info"]["rollback_command"])
    assert done.code == 0, done.err
    assert at.file.read_text() == RULES
    assert at.shell(done.json["rollback_info"]["rollback_command"]).code == 0
    assert at.file.read_text() == changed, "a rollback can itself be undone"


@pytest.mark.parametrize("place", PLACES)
def test_the_command_works_for_a_path_that_a_shell_would_split(
    tmp_path: Path, place: Place
) -> None:
    folder = tmp_path / "it's a $(dir) & more"
    at = place(folder)
    answer = at.made(adding())
    assert at.shell(answer["rollback_info"]["rollback_command"]).code == 0
    assert at.file.read_text() == RULES
    words = shlex.split(answer["rollback_info"]["rollback_command"])
    assert words[:3] == ["decision_reviewer", "apply", "--json"]


def test_the_commit_that_made_a_change_names_its_file(tmp_path: Path) -> None:
    at = in_git(tmp_path)
    info = at.made(adding())["rollback_info"]
    operation = json.dumps({"type": "rollback", "to_commit": info["previous_commit"]})
    done = at.run("apply", "--json", operation)
    assert done.code == 0, done.err
    assert at.file.read_text() == RULES


@pytest.mark.parametrize("place", PLACES)
def test_the_command_works_for_a_name_with_a_backslash(tmp_path: Path, place: Place) -> None:
    at = place(tmp_path)
    other = at.folder / "a\\b.toml"
    other.write_text(RULES)
    answer = at.made(adding(), "--target-file", str(other))
    assert at.shell(answer["rollback_info"]["rollback_command"]).code == 0
    assert other.read_text() == RULES


MAIN = """[includes]
files = ["tools.toml"]

[security]
[[security.deny]]
id = "deny-rm"
tool = "Bash"
command_regex = "^rm "
"""
TOOLS = """[tools]
[[tools.allow]]
id = "allow-ls"
tool = "Bash"
command_regex = "^ls$"
"""
RM = {"id": "deny-rm", "tool": "Bash", "command_regex": "^rm "}


@pytest.mark.parametrize("place", PLACES)
def test_files_that_changed_together_go_back_together(tmp_path: Path, place: Place) -> None:
    """A rule went from one file to the other: with one file alone back, it would be in both."""
    at = place(tmp_path, MAIN)  # type: ignore[call-arg]
    tools = at.folder / "tools.toml"
    tools.write_text(TOOLS)
    added = {"type": "add_rule", "rule_type": "deny", "section": "tools", "rule": RM}
    parts = [{"type": "remove_rule", "id": "deny-rm"}, {**added, "target_file": str(tools)}]
    answer = at.made({"type": "batch", "operations": parts})
    changed = (at.file.read_text(), tools.read_text())
    assert changed != (MAIN, TOOLS)
    done = at.shell(answer["rollback_info"]["rollback_command"])
    assert done.code == 0, done.err
    assert (at.file.read_text(), tools.read_text()) == (MAIN, TOOLS)
    assert done.json["rollback_info"]["message"] == "revert(config): Roll back 2 files"
    assert at.shell(done.json["rollback_info"]["rollback_command"]).code == 0
    assert (at.file.read_text(), tools.read_text()) == changed


def test_a_commit_of_several_files_names_all_of_them(tmp_path: Path) -> None:
    at = in_git(tmp_path, MAIN)
    tools = at.folder / "tools.toml"
    tools.write_text(TOOLS)
    added = {"type": "add_rule", "rule_type": "deny", "section": "tools", "rule": RM}
    parts = [{"type": "remove_rule", "id": "deny-rm"}, {**added, "target_file": str(tools)}]
    info = at.made({"type": "batch", "operations": parts})["rollback_info"]
    operation = json.dumps({"type": "rollback", "to_commit": info["previous_commit"]})
    for dry in (("--dry-run",), ()):
        done = at.run("apply", "--json", operation, *dry)
        assert (done.code, done.json["operation"]) == (0, "rollback"), done.err
        assert len(done.json["changes"]) == 2
    assert (at.file.read_text(), tools.read_text()) == (MAIN, TOOLS)
    assert at.logged()[-1]["target_files"] == [str(at.file), str(tools)]


def test_a_file_is_rolled_back_to_one_version(tmp_path: Path) -> None:
    at = in_git(tmp_path)
    parts = [{"type": "rollback", "to_commit": at.repo.head()}] * 2
    done = at.apply({"type": "batch", "operations": parts})
    assert (done.code, done.json["error_type"]) == (1, "invalid_operation")


def test_a_commit_can_be_named_by_steps_back_from_head(tmp_path: Path) -> None:
    at = in_git(tmp_path)
    at.made(adding())
    changed = at.file.read_text()
    at.made({"type": "rollback", "to_commit": "HEAD~1"})
    assert at.file.read_text() == RULES
    at.made({"type": "rollback", "to_commit": "HEAD^"})
    assert at.file.read_text() == changed
    at.file.write_text(RULES)  # and is not committed
    at.made({"type": "rollback", "to_commit": "HEAD"})
    assert at.file.read_text() == changed
    done = at.apply({"type": "rollback", "to_commit": "HEAD~99"})
    assert (done.code, done.json["error_type"]) == (1, "no_such_version")


def test_a_rollback_is_a_commit_like_any_other(tmp_path: Path) -> None:
    at = in_git(tmp_path)
    info = at.made(adding())["rollback_info"]
    at.made({"type": "rollback", "to_commit": info["previous_commit"][:10]})
    assert at.repo.subjects()[0].startswith("revert(config): Roll back to ")
    assert len(at.repo.subjects()) == 3
    assert [line["operation"] for line in at.logged()] == ["add_rule", "rollback"]
    assert at.repo.status() == []


def test_a_version_that_does_not_load_is_not_brought_back(tmp_path: Path) -> None:
    at = in_git(tmp_path, RULES + "\nbroken = [\n")
    broken = at.repo.head()
    at.file.write_text(RULES)
    done = at.apply({"type": "rollback", "to_commit": broken})
    assert (done.code, done.json["success"]) == (1, False)
    assert at.file.read_text() == RULES


def test_a_dry_run_of_a_rollback_writes_nothing(tmp_path: Path) -> None:
    at = in_git(tmp_path)
    info = at.made(adding())["rollback_info"]
    before = at.everything()
    operation = {"type": "rollback", "to_commit": info["previous_commit"]}
    assert at.made(operation, "--dry-run")["would_change"] is True
    assert at.everything() == before


BAD = ["--upload-pack=touch x", "HEAD;touch x", "$(touch x)", "`touch x`", "-h", "main", "../x"]
BAD += ["abc", "zzzz", "abcd\nabcd", "HEAD:.git/config", "abcd:other", "a" * 65, ""]


@pytest.mark.parametrize("to", BAD)
def test_a_commit_is_named_by_digits_and_nothing_else(tmp_path: Path, to: str) -> None:
    at = in_git(tmp_path)
    done = at.apply({"type": "rollback", "to_commit": to})
    assert (done.code, done.json["success"]) == (1, False)
    assert at.file.read_text() == RULES
    assert not (at.folder / "x").exists()


def test_no_commit_makes_a_copy_inside_a_repository(tmp_path: Path) -> None:
    at = in_git(tmp_path)
    info = at.made(adding(), "--no-commit")["rollback_info"]
    assert (info["type"], at.repo.subjects()) == ("backup", ["first"])
    assert Path(info["backup_file"]).read_text() == RULES
    assert at.shell(info["rollback_command"]).code == 0
    assert at.file.read_text() == RULES


def test_copies_are_dated_ten_stay_and_other_files_are_somebody_elses(tmp_path: Path) -> None:
    at = plain(tmp_path)
    others = [f"{at.name}.bak", f"{at.name}.old.bak", f"x{at.name}.20250101T000000Z.bak"]
    others += [f"{at.name}.20250101T000000Z.bak.gz", f"{at.name}.2025.bak", "notes.bak"]
    old = [f"{at.name}.202501{day:02}T000000Z.bak" for day in range(1, 13)]
    for name in (*others, *old):
        (at.folder / name).write_text("x")
    at.made(adding())
    left = {file.name for file in at.folder.iterdir()}
    assert left >= set(others)
    ours = [name for name in left if backups.is_copy(name, at.name)]
    assert len(ours) == 10
    assert set(ours) & set(old) == set(old[3:])
    (fresh,) = set(ours) - set(old)
    assert (at.folder / fresh).read_text() == RULES
    assert len(fresh) == len(f"{at.name}.20251101T102345Z.bak")


def test_two_copies_of_one_second_are_two_files(tmp_path: Path) -> None:
    file = tmp_path / "r.toml"
    file.write_bytes(b"x")
    made = [backups.keep(str(file), b"%d" % n, now=1e9) for n in range(12)]
    assert len(set(made)) == 12
    backups.prune(str(file))
    left = sorted(Path(name).read_bytes() for name in backups.known(str(file)))
    assert left == sorted(b"%d" % n for n in range(2, 12))


def test_a_copy_is_no_easier_to_read_than_its_file(tmp_path: Path) -> None:
    file = tmp_path / "r.toml"
    file.write_bytes(b"x")
    file.chmod(0o600)
    assert os.stat(backups.keep(str(file), b"x", now=1e9)).st_mode & 0o777 == 0o600


NO_COPIES = ["/etc/passwd", "../r.toml.20251101T102345Z.bak", "r.toml", "other.toml.bak"]
NO_COPIES += ["r.toml.20251101T102345Z.bak/../x", "/tmp/r.toml.20251101T102345Z.bak"]


@pytest.mark.parametrize("name", NO_COPIES)
def test_only_a_copy_of_the_file_itself_is_read_back(tmp_path: Path, name: str) -> None:
    file = tmp_path / "r.toml"
    file.write_bytes(b"x")
    with pytest.raises(InputError):
        backups.read(str(file), name)


def test_a_copy_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    file = tmp_path / "r.toml"
    file.write_bytes(b"x")
    (tmp_path / "r.toml.20251101T102345Z.bak").symlink_to("/etc/passwd")
    with pytest.raises(InputError):
        backups.read(str(file), "r.toml.20251101T102345Z.bak")


def test_an_ignored_file_is_kept_by_copies(tmp_path: Path) -> None:
    at = plain(tmp_path)
    at.repo.git("init", "-q")
    (at.folder / ".gitignore").write_text("*.toml\n")
    assert at.made(adding())["rollback_info"]["type"] == "backup"


def test_without_git_there_are_copies(tmp_path: Path) -> None:
    at = in_git(tmp_path)
    done = at.apply(adding(), env={"PATH": "/nowhere"})
    assert (done.code, done.json["rollback_info"]["type"]) == (0, "backup")


def test_where_git_fails_a_copy_is_made_and_a_note_says_why(tmp_path: Path) -> None:
    at = in_git(tmp_path)
    (at.folder / ".git/refs/heads/main.lock").touch()
    done = at.apply(adding())
    assert (done.code, done.json["rollback_info"]["type"]) == (0, "backup")
    assert "Git operation failed" in done.err
    assert at.shell(done.json["rollback_info"]["rollback_command"]).code == 0
    assert at.file.read_text() == RULES


def test_rollback_wants_one_version_and_one_file(tmp_path: Path) -> None:
    at = plain(tmp_path)
    for operation in (
        {"type": "rollback"},
        {"type": "rollback", "to_commit": "abcd", "to_backup": f"{at.name}.20250101T000000Z.bak"},
    ):
        done = at.apply(operation)
        assert (done.code, done.json["error_type"]) == (1, "invalid_operation")
    done = at.run("apply", "--json", '{"type":"rollback","to_commit":"abcd"}')
    assert done.json["error_type"] == "missing_target"
