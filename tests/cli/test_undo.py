"""`penstock undo`: puts back what was there, and leaves alone what changed since."""

from __future__ import annotations

import pytest

from penstock.gate import Item, Proof
from tests.cli.pending import gate_of, ops, proposed
from tests.project import Done, Project
from tests.terminal import in_terminal

YOU = Proof(by="you", kind="terminal")


@pytest.fixture
def old(project: Project) -> Project:
    project.write("a.txt", "one\ntwo\nthree\nfour\nfive\nsix\n")
    return project


def written(project: Project, files: dict[str, bytes | None]) -> tuple[str, ...]:
    """Let a person approve what an agent proposes; return the receipts."""
    made = proposed(project, files)
    with gate_of(project) as gate:
        for one in made:
            gate.answer(one.id, approve=True, proof=YOU)
        done = gate.apply(made[0].set_id or made[0].id)
    return tuple(receipt.id for receipt in done)


def undo(project: Project, *argv: str) -> Done:
    return project.run("undo", *argv, "--yes", "--json")


def text_of(project: Project, path: str = "a.txt") -> str | None:
    file = project.root / path
    return file.read_text() if file.exists() else None


def test_the_last_write_is_put_back_and_undoing_the_undo_brings_it_again(old: Project) -> None:
    before = text_of(old)
    written(old, {"a.txt": b"new\n"})
    first = undo(old)
    assert first.code == 0
    assert text_of(old) == before
    assert undo(old).json["error"]["code"] == "nothing-to-undo"
    (back,) = first.json["receipts"]
    assert undo(old, back["id"]).code == 0
    assert text_of(old) == "new\n"
    assert undo(old).code == 0, "what stands again can be undone again"
    assert text_of(old) == before
    assert ops(old)[-4:] == ["proposed", "approved", "applying", "applied"]
    assert old.run("audit", "verify").code == 0


def test_a_creation_is_removed_and_a_removal_comes_back(old: Project) -> None:
    written(old, {"new/file.txt": b"x\n"})
    assert undo(old, "--path", "new/file.txt").code == 0
    assert text_of(old, "new/file.txt") is None
    before = text_of(old)
    (receipt,) = written(old, {"a.txt": None})
    assert text_of(old) is None
    assert undo(old, receipt).code == 0
    assert text_of(old) == before


def test_by_path_and_by_number_newest_first(old: Project) -> None:
    before = text_of(old)
    written(old, {"a.txt": b"1\n"})
    written(old, {"a.txt": b"2\n"})
    written(old, {"b.txt": b"b\n"})
    assert undo(old, "--path", "a.txt").code == 0
    assert (text_of(old), text_of(old, "b.txt")) == ("1\n", "b\n")
    assert undo(old, "--last", "2").code == 0
    assert (text_of(old), text_of(old, "b.txt")) == (before, None)
    assert undo(old).json["error"]["code"] == "nothing-to-undo"


def test_a_set_is_put_back_whole_and_then_is_done_with(old: Project) -> None:
    before = text_of(old)
    written(old, {"first.txt": b"1\n"})
    made = proposed(old, {"a.txt": b"A\n", "b.txt": b"B\n"})
    with gate_of(old) as gate:
        for one in made:
            gate.answer(one.id, approve=True, proof=YOU)
        gate.apply(made[0].set_id)
    done = undo(old, made[0].set_id)
    assert {receipt["path"] for receipt in done.json["receipts"]} == {"a.txt", "b.txt"}
    assert (text_of(old), text_of(old, "b.txt")) == (before, None)
    assert undo(old).json["receipts"][0]["path"] == "first.txt"


def test_a_dry_run_shows_the_diff_and_changes_nothing(old: Project) -> None:
    written(old, {"a.txt": b"new\n"})
    known = ops(old)
    done = old.run("undo", "--dry-run")
    assert done.code == 0
    assert "-new\n+one\n+two\n" in done.out
    shown = old.run("undo", "--dry-run", "--json").json
    assert shown["would_undo"][0]["path"] == "a.txt"
    assert "+one\n" in shown["diffs"][0]["diff"]
    assert text_of(old) == "new\n"
    assert ops(old) == known


def test_a_file_that_changed_since_is_left_alone_and_the_difference_shown(old: Project) -> None:
    old.write("a.txt", before := "one\ntwo\nthree\nfour\nfive\nsix\n")
    written(old, {"a.txt": before.replace("two", "2").encode()})
    old.write("a.txt", before.replace("two", "2").replace("six", "SIX"))
    for argv in (("--yes",), ("--dry-run",)):
        done = old.run("undo", *argv)
        assert done.code == 4
        assert "-six\n+SIX\n" in done.err
        assert "error[changed-since]: `a.txt` has changed since Penstock wrote it" in done.err
        assert "--rebase" in done.err
    assert text_of(old) == before.replace("two", "2").replace("six", "SIX")
    assert undo(old, "--rebase").code == 0
    assert text_of(old) == before.replace("six", "SIX"), "what was saved since is kept"


def test_an_undo_never_guesses(old: Project) -> None:
    written(old, {"a.txt": b"one\n2\n"})
    old.write("a.txt", "one\nzwei\n")
    done = undo(old, "--rebase")
    assert (done.code, done.json["error"]["code"]) == (4, "conflict")
    assert text_of(old) == "one\nzwei\n"


def test_a_file_that_is_gone_since_is_not_made_again(old: Project) -> None:
    written(old, {"a.txt": b"new\n"})
    (old.root / "a.txt").unlink()
    assert undo(old).code == 4
    assert text_of(old) is None


def test_without_a_terminal_a_yes_is_needed_and_with_one_it_is_asked(old: Project) -> None:
    written(old, {"a.txt": b"new\n"})
    done = old.run("undo", "--json")
    assert (done.code, done.json["error"]["code"]) == (1, "needs-yes")
    seen = in_terminal(old, "undo", typed=[("revert 1 file?", "n")])
    assert seen.code == 1
    assert text_of(old) == "new\n"
    assert old.run("proposals", "--json").json["proposals"] == [], "nothing is left waiting"
    seen = in_terminal(old, "undo", typed=[("revert 1 file?", "y")])
    assert seen.code == 0
    assert text_of(old) != "new\n"


def test_an_unknown_receipt_is_said_to_be_unknown(old: Project) -> None:
    done = undo(old, "r-nothing")
    assert (done.code, done.json["error"]["code"]) == (1, "not-found")


def test_a_creation_takes_the_directories_along_that_were_made_for_it(old: Project) -> None:
    old.write("kept/theirs.txt", "x\n")
    written(old, {"kept/deep/new/file.txt": b"x\n"})
    assert undo(old).code == 0
    assert [path.name for path in (old.root / "kept").iterdir()] == ["theirs.txt"]


def test_an_undo_shows_modes_and_links(project: Project) -> None:
    project.write("penstock.toml", 'version = 1\npreset = "guard"\n')
    project.write("run.sh", "#!/bin/sh\n")
    with gate_of(project) as gate:
        for item in (Item("run.sh", mode="100755"), Item("to", link="run.sh")):
            (one,) = gate.propose([item])
            gate.apply(one.id)
    done = project.run("undo", "--last", "2", "--dry-run", "--json")
    diffs = {one["path"]: one["diff"] for one in done.json["diffs"]}
    assert "old mode 100755\nnew mode 100644\n" in diffs["run.sh"]
    assert "deleted file mode 120000\n" in diffs["to"]
