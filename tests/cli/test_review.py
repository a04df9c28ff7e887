"""`penstock review`: the queue at a prompt, one proposal after the other."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from penstock.gate import Proof
from tests.cli.pending import events, gate_of, one_proposed, ops, proposed, state_of
from tests.project import Project
from tests.terminal import END, in_terminal

OLD = "".join(f"line {at}\n" for at in range(1, 21))
ASKED = "[q]uit"
PERSON = Proof(by="somebody", kind="terminal")


@pytest.fixture
def app(project: Project) -> Project:
    project.write("app.txt", OLD)
    return project


def test_everything_that_waits_is_shown_and_answered_by_a_letter(app: Project) -> None:
    first = one_proposed(app, "a.txt", b"a\n")
    second = one_proposed(app, "app.txt", b"short\n")
    third = one_proposed(app, "c.txt", b"c\n")
    answers = [("a", ()), ("r", (("sent to the agent", "not like this"),)), ("n", ())]
    order = [(ASKED, letter) for letter, _ in answers]
    typed = [order[0], order[1], *answers[1][1], order[2]]
    seen = in_terminal(app, "review", "--plain", typed=typed)
    assert seen.code == 3, "one is left waiting"
    states = sorted(state_of(app, one) for one in (first, second, third))
    assert states == ["applied", "rejected", "waiting"]
    assert "REMOVED LINES" in seen.text


def test_a_strategy_shows_the_lines_asks_where_and_shows_the_result_again(app: Project) -> None:
    one_proposed(app, "app.txt", b"new\n")
    typed = [
        (ASKED, "s"),
        ("strategy (append", "merge"),
        (ASKED, "s"),
        ("strategy (append", "insert"),
        ("insert after line", "3"),
        ("use this?", "y"),
        (ASKED, "a"),
    ]
    seen = in_terminal(app, "review", "--plain", typed=typed)
    assert seen.code == 0, seen.text
    assert "error[unknown-strategy]: `merge` is not one of append, insert" in seen.text
    assert seen.text.index("    20  line 20") < seen.text.index("insert after line")
    assert (app.root / "app.txt").read_text().startswith("line 1\nline 2\nline 3\nnew\nline 4\n")


def test_hunks_are_chosen_by_number_and_an_edit_is_shown_again(
    app: Project, tmp_path: Path
) -> None:
    script = tmp_path / "editor.py"
    script.write_text("import sys\nwith open(sys.argv[1], 'a') as file: file.write('mine\\n')\n")
    new = OLD.replace("line 2\n", "two\n").replace("line 18\n", "eighteen\n")
    one_proposed(app, "app.txt", new.encode())
    typed = [(ASKED, "h"), ("hunks to keep", "2"), ("use this?", "y")]
    typed += [(ASKED, "e"), (ASKED, "x"), (ASKED, "a")]
    env = {"EDITOR": f"{sys.executable} {script}", "VISUAL": ""}
    seen = in_terminal(app, "review", "--plain", typed=typed, env=env)
    assert seen.code == 0, seen.text
    assert "hunk 2, line 18" in seen.text
    assert "`x` is not one of these" in seen.text
    assert (app.root / "app.txt").read_text() == OLD.replace("line 18\n", "eighteen\n") + "mine\n"


def test_looking_at_a_strategy_changes_nothing(app: Project) -> None:
    one = one_proposed(app, "app.txt", b"new\n")
    typed = [(ASKED, "s"), ("strategy (append", "append"), ("use this?", "n"), (ASKED, "q")]
    seen = in_terminal(app, "review", "--plain", typed=typed)
    assert "Preview of app.txt" in seen.text
    assert state_of(app, one) == "waiting"


@pytest.mark.parametrize(("answer", "state"), [("n", "waiting"), ("y", "applied")])
def test_bytes_that_cannot_be_printed_are_named_and_asked_about(
    app: Project, answer: str, state: str
) -> None:
    one = one_proposed(app, "app.bin", b"\0\1\2")
    after = [(ASKED, "q")] if answer == "n" else []
    typed = [(ASKED, "a"), ("without seeing them?", answer), *after]
    seen = in_terminal(app, "review", "--plain", typed=typed)
    assert "not shown: `app.bin`: none of it was shown (3 new bytes)" in seen.text
    assert state_of(app, one) == state


@pytest.mark.parametrize(
    "typed", [[(ASKED, "q")], [(ASKED, END)], [(ASKED, "r"), ("sent to", END)]]
)
def test_leaving_in_any_way_leaves_it_waiting(app: Project, typed: list[tuple[str, str]]) -> None:
    one = one_proposed(app, "app.txt", b"short\n")
    more = [(ASKED, "q")] if len(typed) > 1 else []
    seen = in_terminal(app, "review", "--plain", typed=[*typed, *more])
    assert seen.code == 3
    assert "Traceback" not in seen.text
    assert state_of(app, one) == "waiting"
    assert (app.root / "app.txt").read_text() == OLD


def test_a_set_is_written_once_all_of_it_is_approved(app: Project) -> None:
    proposed(app, {"app.txt": b"A\n", "b.txt": b"B\n"})
    seen = in_terminal(app, "review", "--plain", typed=[(ASKED, "a"), (ASKED, "a")])
    assert seen.code == 0, seen.text
    assert "the change set is written when all of it is approved" in seen.text
    assert (app.root / "app.txt").read_text() == "A\n"
    assert (app.root / "b.txt").read_text() == "B\n"


def test_a_file_that_moved_meanwhile_is_told_and_the_review_goes_on(app: Project) -> None:
    moved = one_proposed(app, "app.txt", b"short\n")
    app.write("app.txt", "saved\n")
    seen = in_terminal(app, "review", "--plain", typed=[(ASKED, "a")])
    assert "error[base-changed]" in seen.text
    assert seen.code == 0, "nothing waits any more"
    assert state_of(app, moved) == "stale"
    assert (app.root / "app.txt").read_text() == "saved\n"


def test_without_a_terminal_or_without_a_queue_there_is_nothing_to_review(app: Project) -> None:
    assert app.run("review").out == "no pending changes\n"
    one_proposed(app, "app.txt", b"short\n")
    done = app.run("review", stdin="a\n")
    assert done.code == 1
    assert done.err.startswith("error[no-terminal]: a review needs a terminal")


def test_the_prompt_lists_every_file_of_a_set_what_was_rejected_and_how_to_undo_it(
    app: Project,
) -> None:
    some = proposed(app, {"app.txt": b"A\n", "b.txt": b"B\n", "c.txt": b"C\n"})
    with gate_of(app) as gate:
        kept = gate.choose_files(some, ["app.txt", "b.txt"], proof=PERSON)
    seen = in_terminal(app, "review", "--plain", typed=[(ASKED, "a"), (ASKED, "a")])
    assert seen.code == 0, seen.text
    for line in ("applied app.txt", "applied b.txt", "rejected c.txt"):
        assert line in seen.text
    said = f"undo with `penstock undo {kept[0].set_id.removeprefix('set-')[:8]}`"
    assert said in seen.text.replace("\n", "")
    typed = [("revert 2 files?", "y")]
    assert in_terminal(app, "undo", kept[0].set_id[4:12], typed=typed).code == 0
    assert (app.root / "app.txt").read_text() == OLD
    assert not (app.root / "b.txt").exists()


@pytest.mark.parametrize("command", [("review", "--plain"), ("approve",)])
def test_at_the_prompt_a_long_line_is_printed_to_its_end(
    app: Project, command: tuple[str, ...]
) -> None:
    line = "".join(chr(97 + at % 26) for at in range(16_000)) + "evil()"
    one = one_proposed(app, "a.js", f"{line}\n".encode())
    named = () if command[0] == "review" else (one,)
    asked = (ASKED, "a") if command[0] == "review" else ("exactly like this?", "y")
    seen = in_terminal(app, *command, *named, typed=[asked])
    assert seen.code == 0, seen.text
    assert f"+{line}" in seen.text.split(asked[0])[0]
    assert not events(app, "approved")[-1].get("reason")


def test_looking_at_hunks_at_the_prompt_changes_nothing(app: Project) -> None:
    new = OLD.replace("line 2\n", "two\n").replace("line 18\n", "eighteen\n")
    one = one_proposed(app, "app.txt", new.encode())
    typed = [(ASKED, "h"), ("hunks to keep", "2"), ("use this?", "n"), (ASKED, "q")]
    seen = in_terminal(app, "review", "--plain", typed=typed)
    assert "Preview of app.txt: selected hunks only; nothing is written yet" in seen.text
    assert ops(app) == ["proposed"]
    assert state_of(app, one) == "waiting"


def test_a_review_whose_output_goes_elsewhere_is_none(app: Project) -> None:
    one = one_proposed(app, "a.txt", b"a\n")
    shell = f"{sys.executable} -m penstock.cli review --plain > /dev/null"
    seen = in_terminal(app, program=("sh", "-c", shell), typed=())
    assert seen.code == 1, seen.text
    assert "error[no-terminal]" in seen.text
    assert state_of(app, one) == "waiting"
