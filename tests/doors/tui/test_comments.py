"""Comments on lines and hunks, written on the full screen and sent with a rejection."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from penstock.core.proposals.line_comment import LineComment, placed
from penstock.doors.tui.comments import with_comments
from penstock.doors.tui.diff_rows import Tone, sheet
from tests.cli.pending import events, gate_of, one_proposed, proposed, state_of
from tests.doors.tui.stage import Stage, review
from tests.project import Project
from tests.terminal import in_terminal

OLD = "".join(f"line {at}\n" for at in range(1, 41))
NEW = OLD.replace("line 2\n", "two\nand a half\n").replace("line 30\n", "thirty\n")


def played(project: Project, play: Callable[[Stage], Awaitable[None]], **more: Any) -> None:
    async def run() -> None:
        async with review(project, **more) as stage:
            await play(stage)

    asyncio.run(run())


@pytest.fixture
def one(project: Project) -> tuple[Project, str]:
    project.write("app.txt", OLD)
    return project, one_proposed(project, "app.txt", NEW.encode())


def comments(project: Project, id_: str) -> list[str]:
    with gate_of(project) as gate:
        found = gate.get(id_)
    assert found is not None
    return [each.words for each in found.answer.comments] if found.answer else []


def test_comments_on_lines_and_hunks_are_one_rejection(one: tuple[Project, str]) -> None:
    project, id_ = one

    async def play(stage: Stage) -> None:
        await stage.press("right_square_bracket", "c")
        assert stage.app.screen.query_one("#lines").value == "#1"  # type: ignore[attr-defined]
        await stage.type("keep it")
        assert "your comment on hunk 1: keep it" in stage.text
        await stage.press("tab", "J", "J", "c")  # line 2 as it was, then `two`
        await stage.type("spell it")
        await stage.press("K", "c")
        await stage.type("why gone")
        rows = stage.text.split("\n")
        below = [at for at, row in enumerate(rows) if "your comment on" in row]
        assert [rows[at - 1].split()[-1] for at in below[1:]] == ["2", "two"]
        assert "3 comments; press r to reject with them" in stage.text
        await stage.press("r")
        assert "reason (sent to the agent with 3 comments)" in stage.text
        await stage.press("enter")
        assert "rejected: app.txt" in stage.text

    played(project, play)
    assert state_of(project, id_) == "rejected"
    said = ["hunk 1: keep it", "line 2: spell it", "removed line 2: why gone"]
    assert comments(project, id_) == said
    assert events(project, "rejected")[-1]["comments"] == said


def test_a_comment_is_changed_cleared_and_never_lost_by_an_approval(
    one: tuple[Project, str],
) -> None:
    project, id_ = one

    async def play(stage: Stage) -> None:
        await stage.press("right_square_bracket", "c")
        await stage.type("keep it")
        await stage.press("a")
        assert "comments-unsent" in stage.text
        await stage.press("enter")
        assert state_of(project, id_) == "waiting"
        await stage.press("q")
        assert "1 comment not sent; press q again to discard" in stage.text
        await stage.press("c", *("backspace",) * len("keep it"))
        await stage.type("no")
        assert "your comment on hunk 1: no" in stage.text
        await stage.press("c", "backspace", "backspace", "enter")
        assert "your comment" not in stage.text
        await stage.press("a")
        assert "written: app.txt" in stage.text

    played(project, play)


def test_lines_that_are_not_there_are_said_and_what_was_typed_stays(
    one: tuple[Project, str],
) -> None:
    async def play(stage: Stage) -> None:
        await stage.press("c", "shift+tab", *"99")
        await stage.press("tab")
        await stage.type("no")
        assert "there is no" in stage.text
        assert len(stage.app.screen_stack) == 2
        await stage.press("escape")
        assert "your comment" not in stage.text

    played(one[0], play)


def test_a_version_takes_the_comments_over_and_another_file_keeps_its_own(
    project: Project,
) -> None:
    project.write("a.txt", OLD)
    project.write("b.txt", OLD)
    files: dict[str, bytes | None] = {"a.txt": NEW.encode(), "b.txt": b"short\n"}
    found = proposed(project, files)

    async def play(stage: Stage) -> None:
        await stage.press("right_square_bracket", "c")
        await stage.type("first")
        await stage.press("right_square_bracket", "space", "h", "enter")
        assert stage.shown.parent == found[0].id
        assert "your comment on hunk 1: first" in stage.text
        group = stage.app.desk.group(stage.shown)
        down = [one.path for one in group].index("a.txt")
        await stage.press("p", "f", *("down",) * down, "space", "enter")  # without that file
        assert "your comment" not in stage.text

    played(project, play)
    with gate_of(project) as gate:
        answers = [each.answer for each in gate.find() if each.path == "a.txt"]
    said = [each.words for answer in answers if answer for each in answer.comments]
    assert said == ["hunk 1: first"]


@pytest.mark.parametrize(
    ("lines", "above"),
    [
        ("", "facts"),
        ("#2", "hunk 2 of 2, line 30: -1 +1"),
        ("2-3", "and a half"),
        ("-2", "line 2"),
        ("33", "line 32"),
        ("15", "facts"),  # a line that is not shown
    ],
)
@pytest.mark.parametrize("sides", [False, True])
def test_a_comment_stands_below_its_line(lines: str, above: str, sides: bool) -> None:
    from penstock.doors.tui.diff_rows import TextRows

    facts = (TextRows(kind=Tone.FACT, texts=("facts",)),)
    plain = sheet(facts, OLD.encode(), NEW.encode(), sides=sides)
    made = with_comments(plain, [placed(lines, "so", path="a")])
    assert len(made) == len(plain) + 1
    at = next(row for row in range(len(made)) if made.row(row).kind is Tone.COMMENT)
    before = made.row(at - 1)
    side = before.before if lines.startswith("-") else before.after
    assert (side.text if side else before.text) == above
    rest = [made.row(row).words for row in range(len(made)) if row != at]
    assert rest == [plain.row(row).words for row in range(len(plain))]


def test_what_is_typed_cannot_draw_on_the_screen() -> None:
    one = LineComment(path="a", start=1, end=1, text="x\x1b[2Jy\u202e")
    made = with_comments(sheet((), b"a\n", b"b\n"), [one])
    texts = [made.row(at).text for at in range(len(made))]
    assert not any("\x1b" in text or "\u202e" in text for text in texts)
    assert any("your comment on line 1: x" in text for text in texts)


def test_in_a_real_terminal_a_comment_is_sent(one: tuple[Project, str]) -> None:
    project, id_ = one
    typed = [
        ("hunk 1 of 2", "]c"),
        ("empty removes it", "keep it\r"),
        ("your comment on hunk 1", "r"),
        ("with 1 comment", "no\r"),
    ]
    in_terminal(project, "review", typed=[*typed, ("no pending changes", "q")])
    assert comments(project, id_) == ["hunk 1: keep it"]
