"""Change sets at the command line: listed, shown, approved in part, rebased, undone."""

from __future__ import annotations

import pytest

from penstock.core.proposals.short_id import short
from tests.cli.pending import gate_of, proposed, state_of
from tests.project import Project
from tests.terminal import Seen, in_terminal

OLD = "".join(f"line {at}\n" for at in range(1, 21))
A = OLD.replace("line 2\n", "two\n").replace("line 18\n", "eighteen\n")
B = OLD.replace("line 5\n", "five\n")
YES = [("exactly like this?", "y")]


@pytest.fixture
def app(project: Project) -> Project:
    for name in ("src/a.py", "src/b.py", "src/deep/down/old.txt"):
        project.write(name, OLD)
    return project


@pytest.fixture
def group(app: Project) -> tuple[Project, str]:
    files: dict[str, bytes | None] = {
        "src/a.py": A.encode(),
        "src/b.py": B.encode(),
        "src/deep/down/old.txt": None,
        "src/deep/down/new.txt": OLD.encode(),
        "top.txt": b"T\n",
    }
    return app, proposed(app, files)[0].set_id


def text_of(project: Project, path: str) -> str:
    return (project.root / path).read_text()


def approve(project: Project, *argv: str) -> Seen:
    seen = in_terminal(project, "approve", *argv, typed=YES)
    assert seen.code == 0, seen.text
    return seen


def test_the_queue_lists_a_set_and_its_files_below_it(group: tuple[Project, str]) -> None:
    project, set_id = group
    _, first, *files = project.run("proposals").out.splitlines()
    assert first.split()[0] == short(set_id)
    assert first.endswith("(change set)")
    assert "5 files" in first
    assert "−23 +24" in first
    assert [line.split()[-1] for line in files] == [
        "src/deep/down/new.txt",
        "src/deep/down/old.txt",
        "src/a.py",
        "src/b.py",
        "top.txt",
    ]
    (told,) = project.run("proposals", "--json").json["sets"]
    assert (told["id"], told["deleted"], told["added"]) == (set_id, 23, 24)
    assert told["states"] == {"waiting": 5}
    assert len(told["proposals"]) == 5


def test_a_large_set_is_listed_short(app: Project) -> None:
    proposed(app, {f"many/{at:02}.txt": b"x\n" for at in range(60)})
    lines = app.run("proposals").out.splitlines()
    assert len(lines) == 13
    assert lines[-1].strip() == "... 50 more files"


def test_show_of_a_set_has_a_tree_with_counts_and_renames(group: tuple[Project, str]) -> None:
    project, set_id = group
    shown = project.run("show", short(set_id)).out
    title, who, *rest = shown.splitlines()
    assert title == f"Change set {short(set_id)}: 5 files, −23 +24, applied atomically"
    assert who.startswith("  an-agent · no rule matches · ")
    assert who.endswith(" left")
    assert rest[:7] == [
        "  src/",
        "    deep/down/",
        "      new.txt  −0 +20 · renamed from src/deep/down/old.txt (unchanged)",
        "      old.txt  −20 +0 · renamed to src/deep/down/new.txt",
        "    a.py  −2 +2",
        "    b.py  −1 +1",
        "  top.txt  −0 +1",
    ]
    assert shown.count("--- a/src/a.py") == 1
    told = project.run("show", set_id, "--json").json
    assert told["set"]["files"][-1] == "top.txt"
    assert told["set"]["renamed"]["src/deep/down/old.txt"] == "renamed to src/deep/down/new.txt"
    assert len(told["proposals"]) == 5


def test_hunks_of_one_file_and_the_other_files_whole(group: tuple[Project, str]) -> None:
    project, set_id = group
    seen = approve(project, set_id, "--hunks", "src/a.py:2", "--reason", "keep line 2")
    assert "Preview of src/a.py: selected hunks only" in seen.text
    assert text_of(project, "src/a.py") == OLD.replace("line 18\n", "eighteen\n")
    assert text_of(project, "src/b.py") == B
    assert text_of(project, "top.txt") == "T\n"
    assert f"undo with `penstock undo {short(set_id)}`" in seen.text
    undone = project.run("undo", short(set_id), "--yes", "--json")
    assert undone.code == 0
    assert {one["path"] for one in undone.json["receipts"]} == {
        "src/a.py",
        "src/b.py",
        "src/deep/down/old.txt",
        "src/deep/down/new.txt",
        "top.txt",
    }
    assert text_of(project, "src/a.py") == OLD
    assert text_of(project, "src/deep/down/old.txt") == OLD
    assert not (project.root / "top.txt").exists()


def test_files_and_hunks_together_and_the_result_names_what_was_rejected(
    group: tuple[Project, str],
) -> None:
    project, set_id = group
    argv = ("--files", "src/a.py,src/b.py", "--hunks", "src/a.py:1", "--reason", "not now")
    seen = approve(project, set_id, *argv)
    for line in (
        "applied src/a.py",
        "applied src/b.py",
        "rejected top.txt",
        "rejected src/deep/down/old.txt",
    ):
        assert line in seen.text
    assert text_of(project, "src/a.py") == OLD.replace("line 2\n", "two\n")
    assert not (project.root / "top.txt").exists()


def test_the_result_is_a_document_as_well(group: tuple[Project, str]) -> None:
    project, set_id = group
    seen = in_terminal(project, "approve", set_id, "--files", "src/b.py", "--yes", "--json")
    assert seen.code == 0, seen.text
    assert '"rejected": [' in seen.text
    assert seen.text.count('"state": "rejected"') == 4


@pytest.mark.parametrize(
    ("hunks", "code", "said"),
    [
        ("1", "is-a-set", "--hunks src/a.py:1,3"),
        ("src/zzz.py:1", "not-in-set", "the set contains"),
        ("src/a.py:9", "unknown-hunk", "9"),
        ("top.txt:1", "nothing-to-combine", "created or deleted as a whole"),
    ],
)
def test_hunks_that_cannot_be_are_refused_before_anything_is_asked(
    group: tuple[Project, str], hunks: str, code: str, said: str
) -> None:
    project, set_id = group
    seen = in_terminal(project, "approve", set_id, "--hunks", hunks)
    assert seen.code == 1
    assert f"error[{code}]" in seen.text
    assert said in seen.text
    assert "exactly like this" not in seen.text
    assert {one["state"] for one in project.run("proposals", "--json").json["proposals"]} == {
        "waiting"
    }


def test_a_rebase_of_a_set_shows_the_new_versions_and_leaves_the_rest(
    group: tuple[Project, str],
) -> None:
    project, set_id = group
    same = project.run("rebase", set_id)
    assert (same.code, same.out) == (3, "")
    assert "nothing to rebase" in same.err
    project.write("src/b.py", OLD.replace("line 19\n", "saved\n"))
    stale = in_terminal(project, "approve", set_id, "--yes")
    assert stale.code == 4
    done = project.run("rebase", set_id, "--json")
    assert done.code == 3
    assert [one["path"] for one in done.json["proposals"]] == ["src/b.py"]
    approve(project, set_id)
    assert text_of(project, "src/b.py") == B.replace("line 19\n", "saved\n")
    assert text_of(project, "src/a.py") == A


def test_a_rebase_of_a_set_with_a_conflict_changes_nothing(group: tuple[Project, str]) -> None:
    project, set_id = group
    project.write("src/b.py", OLD.replace("line 5\n", "cinq\n"))
    project.write("src/a.py", OLD.replace("line 10\n", "ten\n"))
    done = project.run("rebase", set_id, "--json")
    error = done.json["error"]
    assert (done.code, error["code"]) == (4, "conflict")
    assert error["message"] == "the change set can't be rebased; nothing was changed"
    assert error["because"] == "`src/b.py` has conflicting changes: line 5 of the current file"
    with gate_of(project) as gate:
        ids = [one.id for one in gate.members(set_id)]
    assert {state_of(project, one) for one in ids} == {"waiting"}
