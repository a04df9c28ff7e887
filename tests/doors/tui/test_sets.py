"""Change sets on the full screen, and how a diff is looked at: tree, context, white space."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from penstock.core.proposals.intent import intent
from penstock.doors.colours.child import Colours
from penstock.gate import Item
from tests.cli.pending import AGENT, gate_of, one_proposed, proposed, state_of
from tests.doors.tui.stage import Stage, review
from tests.project import Project
from tests.terminal import in_terminal

OLD = "".join(f"line {at}\n" for at in range(1, 101))
CODE = "def first():\n" + "    step()\n" * 40 + "    last()\n"
SPACED = "".join(f"  row {at}\n" for at in range(1, 11))


def played(project: Project, play: Callable[[Stage], Awaitable[None]], **more: Any) -> None:
    async def run() -> None:
        async with review(project, **more) as stage:
            await play(stage)

    asyncio.run(run())


@pytest.fixture
def group(project: Project) -> tuple[Project, str]:
    project.write("src/a.txt", OLD)
    project.write("src/b.txt", OLD)
    project.write("old.txt", OLD)
    files: dict[str, bytes | None] = {
        "src/a.txt": OLD.replace("line 50\n", "fifty\n").encode(),
        "src/b.txt": OLD.replace("line 3\n", "three\n").encode(),
        "old.txt": None,
        "src/deep/new.txt": OLD.encode(),
    }
    return project, proposed(project, files)[0].set_id


def test_the_tree_of_a_set_says_what_was_viewed_and_leads_to_a_file(
    group: tuple[Project, str],
) -> None:
    async def play(stage: Stage) -> None:
        assert stage.shown.path == "src/a.txt"
        await stage.press("T")
        text = stage.text
        assert "4 files, −102 +102 · 1 of 4 viewed" in text
        assert "[x]   a.txt  −1 +1" in text
        assert "[ ]   b.txt  −1 +1" in text
        assert "[ ]     new.txt  −0 +100  renamed from old.txt (unchanged)" in text
        await stage.press("j", "j", "enter")
        assert stage.shown.path == "src/b.txt"
        await stage.press("T")
        assert "2 of 4 viewed" in stage.text

    played(group[0], play)


def test_a_set_is_rebased_as_a_whole_and_then_written(group: tuple[Project, str]) -> None:
    project, set_id = group
    project.write("src/b.txt", OLD.replace("line 90\n", "saved\n"))

    async def play(stage: Stage) -> None:
        await stage.press("B")
        assert stage.shown.path == "src/b.txt"
        assert stage.shown.origin == "rebase"
        await stage.press("A", "y")
        assert "4 of 4 files of the set written" in stage.text

    played(project, play)
    assert (project.root / "src/b.txt").read_text() == OLD.replace("line 90\n", "saved\n").replace(
        "line 3\n", "three\n"
    )
    with gate_of(project) as gate:
        assert {one.state for one in gate.members(set_id)} == {"applied"}


def test_more_context_around_a_hunk_and_then_the_whole_file(project: Project) -> None:
    project.write("a.txt", OLD)
    one_proposed(project, "a.txt", OLD.replace("line 50\n", "fifty\n").encode())

    async def play(stage: Stage) -> None:
        assert "line 30\n" not in stage.text
        assert "46 unchanged lines" in stage.text
        await stage.press("m")
        assert "26 unchanged lines" in stage.text
        assert "line 30" in stage.text
        await stage.press("M")
        assert "unchanged lines" not in stage.text
        await stage.press("right_square_bracket", "space")
        assert "0 of 1 hunk selected" in stage.text, "context changes no choice"

    played(project, play, size=(100, 60))


def test_white_space_is_hidden_counted_and_still_not_viewed(project: Project) -> None:
    project.write("a.txt", SPACED)
    new = SPACED.replace("  row", "    row").replace("row 5\n", "five\n")
    one = one_proposed(project, "a.txt", new.encode())

    async def play(stage: Stage) -> None:
        assert "note    9 lines differ only in white space" in stage.text
        await stage.press("W")
        assert "hunk 1 of 1, line 5: -1 +1" in stage.text
        assert "approving writes them, too" in stage.text
        assert " ~ " in stage.text
        await stage.press("space")
        assert "selected" not in stage.text.splitlines()[-2], "these hunks are no choice"

    played(project, play)

    async def unseen(stage: Stage) -> None:
        stage.app.white_space = False
        stage.app.views = type(stage.app.views)()
        stage.app.show(stage.shown)
        await stage.settled()
        await stage.press("a")
        assert "not viewed" in stage.text
        await stage.press("escape")

    played(project, unseen)
    assert state_of(project, one) == "waiting"


def test_the_header_has_two_rows_and_ids_stand_behind_i(project: Project) -> None:
    project.write("f.py", CODE)
    said = intent("because of that", ["42: the call"], path="f.py")
    with gate_of(project) as gate:
        item = Item(path="f.py", content=CODE.replace("last()", "final()").encode())
        (one,) = gate.propose([item], actor=AGENT, intent=said)

    async def play(stage: Stage) -> None:
        lines = [line.strip() for line in stage.text.splitlines()]
        at = lines.index("MODIFY f.py: 1 line changed (−1 +1 of 42)")
        assert lines[at + 1].startswith("an-agent · no rule matches · ")
        assert lines[at + 1].endswith(" left")
        assert "> because of that" in stage.text
        assert "> look at line 42: the call" in stage.text
        assert "def first()" in stage.text, "the head of the hunk names the function"
        assert one.content is not None
        assert one.content[:20] not in stage.text
        await stage.press("i")
        assert one.content[:20] in stage.text

    played(project, play)


def test_context_has_the_colours_of_its_syntax(project: Project) -> None:
    project.write("f.py", "import os\nx = 1\n")
    one_proposed(project, "f.py", b"import os\nx = 2\n")

    async def play(stage: Stage) -> None:
        stage.app.desk.colours = Colours()
        stage.app.show(stage.shown)
        await stage.settled()
        stage.app.desk.colours.close()
        cells = (stage.app.diff._cells(at, True) for at in range(len(stage.app.diff.sheet)))
        (row,) = (cell for some in cells for cell in some if cell.text == "import os")
        parts = [(each.text, each.style) for each in row._segments(range(9))]
        keyword = next(style for text, style in parts if text.startswith("import"))
        assert keyword is not None
        assert keyword.color is not None
        assert keyword.color.name == "magenta"

    played(project, play)


def test_in_a_real_terminal_the_tree_opens_and_colours_do_not_stand_in_the_way(
    group: tuple[Project, str],
) -> None:
    project, _ = group
    typed = [("hunk 1 of 1", "T"), ("of 4 viewed", "\r"), ("NEW src/deep/new.txt", "q")]
    seen = in_terminal(project, "review", typed=typed)
    assert seen.code == 3, seen.text
    assert "renamed from old.txt" in seen.text


def test_the_prompt_asks_for_the_passphrase_only_to_approve(project: Project) -> None:
    one = one_proposed(project, "a.txt", b"x\n")
    two = one_proposed(project, "b.txt", b"x\n")
    made = in_terminal(
        project,
        *("approver", "init"),
        typed=[("passphrase: ", "correct horse battery"), ("repeat", "correct horse battery")],
    )
    assert made.code == 0, made.text
    typed = [("[q]uit", "r"), ("reason", "no"), ("[q]uit", "q")]
    seen = in_terminal(project, "review", "--plain", typed=typed)
    assert "passphrase" not in seen.text
    assert (state_of(project, one), state_of(project, two)) == ("rejected", "waiting")
    typed = [("[q]uit", "a"), ("passphrase: ", "correct horse battery")]
    seen = in_terminal(project, "review", "--plain", typed=typed)
    assert seen.code == 0, seen.text
    assert state_of(project, two) == "applied"
