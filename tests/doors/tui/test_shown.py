"""What was never on the full screen is not approved unseen, however it was hidden."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest

from penstock.gate import Item, Proof
from tests.cli.pending import events, gate_of, one_proposed, ops, proposed, state_dir, state_of
from tests.doors.tui.stage import Stage, review
from tests.project import Project

SMALL = "".join(f"line {at}\n" for at in range(1, 21))
LARGE = "".join(f"line {at}\n" for at in range(1, 901))
LONG = "".join(chr(97 + at % 26) for at in range(16_000))


def played(project: Project, play: Callable[[Stage], Awaitable[None]], **more: Any) -> None:
    async def run() -> None:
        async with review(project, **more) as stage:
            await play(stage)

    asyncio.run(run())


async def to_the_end(stage: Stage, key: str = "pagedown") -> None:
    """Page through the whole pane, as often as it has lines at most."""
    if stage.app.focused is not stage.app.diff:
        await stage.press("tab")
    for _ in range(len(stage.app.diff.folding) + 1):
        if stage.app.diff.scroll_offset.y >= stage.app.diff.max_scroll_y:
            break
        await stage.press(key)


@dataclass(frozen=True)
class Hidden:
    """A change, the screen it is on, and what of it is named."""

    before: str | None
    after: bytes
    size: tuple[int, int]
    named: tuple[str, ...]
    first: tuple[str, ...] = ()


HIDDEN = {
    "the end is below the edge": Hidden(
        None, LARGE.encode(), (100, 30), ("new lines (22 to 900)",)
    ),
    "only the ends were looked at": Hidden(
        None, LARGE.encode(), (100, 30), ("new lines (22 to 875)",), ("tab", "G")
    ),
    "small terminal": Hidden(None, SMALL.encode(), (40, 10), ("not fully viewed",)),
    "three lines": Hidden(None, SMALL.encode(), (60, 8), ("not fully viewed",)),
    "no line at all": Hidden(None, b"x\n", (60, 4), ("none of it was shown (1 new line)",)),
    "a long line is cut": Hidden(
        None, LONG.encode() + b"\n", (80, 24), ("new line 1, characters", "of 16,000"), ("w", "J")
    ),
    "a long line is broken": Hidden(
        None, LONG.encode() + b"\n", (80, 24), ("new line 1, characters", "to 16,000 of 16,000")
    ),
    "side by side, cut": Hidden(
        "a\n", b"b" * 90 + b"\n", (100, 30), ("new line 1, characters", "of 90"), ("v", "w", "J")
    ),
    "wide characters, cut": Hidden(
        None,
        ("漢" * 50).encode() + b"\n",
        (80, 24),
        ("new line 1, characters 37 to 50",),
        ("w", "J"),
    ),
    "emoji that some terminals draw wider": Hidden(
        None, ("👍🏽" * 20).encode() + b"\n", (80, 24), ("new line 1, characters",), ("w", "J")
    ),
    "tabs, cut": Hidden(
        None, b"\t" * 30 + b"evil()\n", (80, 24), ("new line 1, characters",), ("w", "J")
    ),
    "what is no text": Hidden(
        None, b"\0\1\2\3", (100, 40), ("none of it was shown (4 new bytes)",)
    ),
    "too narrow for its numbers": Hidden(None, b"word\n", (4, 30), ()),
}


@pytest.mark.parametrize("name", HIDDEN)
def test_what_was_never_on_the_screen_is_named_and_not_written(project: Project, name: str) -> None:
    case = HIDDEN[name]
    if "J" in case.first:  # so that nothing of it is drawn before long lines are cut
        one_proposed(project, "0.txt", b"x\n")
    if case.before is not None:
        project.write("a.txt", case.before)
    one = one_proposed(project, "a.txt", case.after)

    async def play(stage: Stage) -> None:
        await stage.press(*case.first, "a")
        assert len(stage.app.screen_stack) == 2, "a window asks"
        for words in case.named:
            assert words in flat(stage)
        await stage.press("a", "space", "escape")
        assert len(stage.app.screen_stack) == 1

    played(project, play, size=case.size)
    assert state_of(project, one) == "waiting"
    assert set(ops(project)) == {"proposed"}


def flat(stage: Stage) -> str:
    """What the window says, wherever its lines are broken."""
    asked = stage.app.screen
    return " ".join([str(getattr(asked, "heading", "")), *getattr(asked, "parts", ())])


SHOWN = {
    "fits": (None, b"one\ntwo\n", (80, 24), False),
    "one line of a file": (SMALL, SMALL.replace("line 9\n", "nine\n").encode(), (80, 24), False),
    "an empty line": (None, b"\n", (80, 24), False),
    "an empty file": (None, b"", (80, 24), False),
    "a line wider than the terminal": (None, b"x" * 150 + b"\n", (80, 24), False),
    "CRLF": ("a\r\nb\r\n", b"a\r\nc\r\n", (80, 24), False),
    "wide characters": ("漢字\n", "漢字かな👍🏽🇩🇪 e\u0301\n".encode() * 3, (80, 24), False),
    "hidden characters": (None, "a\u202eb\u200b\t\tc  \n".encode(), (80, 24), False),
    "no line end": ("a\n", b"b", (80, 24), False),
    "paged through": (None, LARGE.encode(), (100, 30), True),
    "replaced and paged through": (LARGE, b"short\n", (80, 24), True),
    "small terminal, paged through": (None, SMALL.encode(), (40, 10), True),
    "a long line, paged through": (None, LONG.encode() + b"\n", (80, 24), True),
    "wide and long, paged through": (None, ("漢x👍🏽" * 700).encode() + b"\n", (61, 20), True),
}


@pytest.mark.parametrize("name", SHOWN)
def test_what_was_on_the_screen_is_approved_with_one_key(project: Project, name: str) -> None:
    before, after, size, paged = SHOWN[name]
    if before is not None:
        project.root.joinpath("a.txt").write_bytes(before.encode())
    one = one_proposed(project, "a.txt", after)

    async def play(stage: Stage) -> None:
        if paged:
            await to_the_end(stage)
        await stage.press("a")
        assert len(stage.app.screen_stack) == 1, flat(stage)

    played(project, play, size=size)
    assert state_of(project, one) == "applied"
    assert project.root.joinpath("a.txt").read_bytes() == after
    assert not events(project, "approved")[-1].get("reason")


def test_a_second_answer_approves_it_and_the_audit_log_names_the_parts(project: Project) -> None:
    one_proposed(project, "a.txt", LARGE.encode())

    async def play(stage: Stage) -> None:
        await stage.press("a", "y")

    played(project, play, size=(100, 30))
    assert project.root.joinpath("a.txt").read_text() == LARGE
    said = str(events(project, "approved")[-1]["reason"])
    assert said.startswith("approved without being shown: `a.txt`: 879 new lines (22 to 900)")


def test_enter_goes_to_what_was_not_shown_until_all_of_it_was(project: Project) -> None:
    project.write("a.txt", LARGE)
    new = (
        LARGE.replace("line 2\n", "2\n").replace("line 450\n", "450\n").replace("line 899\n", "9\n")
    )
    one_proposed(project, "a.txt", new.encode())

    async def play(stage: Stage) -> None:
        await stage.press("a")
        assert "2 new lines (450, 899)" in flat(stage)
        await stage.press("enter")
        assert "450 + 450" in stage.text
        await stage.press("a")
        assert len(stage.app.screen_stack) == 1, flat(stage)

    played(project, play, size=(100, 20))
    assert project.root.joinpath("a.txt").read_text() == new


def test_cut_lines_count_once_one_has_gone_along_them(project: Project) -> None:
    one_proposed(project, "a.txt", b"x" * 150 + b"evil()\n")

    async def play(stage: Stage) -> None:
        await stage.press("w", "tab", *["right"] * 6, "a")

    played(project, play, size=(80, 24))
    assert project.root.joinpath("a.txt").exists()


@pytest.mark.parametrize("viewed", [1, 27])
def test_the_files_of_a_set_that_were_not_opened_are_named(project: Project, viewed: int) -> None:
    proposed(project, {f"{at:02}.txt": b"x\n" for at in range(60)})

    async def play(stage: Stage) -> None:
        await stage.press(*["J"] * (viewed - 1), "A")
        assert f"{viewed} of 60 files viewed" in stage.text
        assert flat(stage).count("none of it was shown (1 new line)") == 60 - viewed
        await stage.press("enter")
        assert stage.shown.path == f"{viewed:02}.txt", "it goes to the first of them"

    played(project, play, size=(100, 40))
    assert not list(project.root.glob("*.txt"))


def test_what_lies_under_a_window_was_not_shown(project: Project) -> None:
    one_proposed(project, "a.txt", b"x\n")

    async def play(stage: Stage) -> None:
        await stage.press("question_mark")
        with gate_of(project) as gate:
            gate.answer(
                stage.shown.id, approve=False, proof=Proof(by="x", kind="terminal"), reason="no"
            )
            gate.propose([Item(path="b.txt", content=b"other\n")])
        await stage.app.look_again()
        await stage.settled()
        assert stage.shown.path == "b.txt"
        left = stage.app.views.unseen([stage.shown])
        assert [one.path for one in left] == ["b.txt"]
        await stage.press("escape")
        assert not stage.app.views.unseen([stage.shown]), "now it is there to be seen"

    played(project, play)


def test_another_version_was_never_seen_and_no_key_on_its_way_approves_it(project: Project) -> None:
    one = one_proposed(project, "a.txt", b"short\n")

    async def play(stage: Stage) -> None:
        made = stage.gate.revise(one, LARGE.encode())
        await stage.app.look_again()
        await stage.settled()
        assert stage.shown.id == made.id
        await stage.press("a")
        assert "this was just updated: check it, then press the key again" in stage.text
        stage.app.not_before = 0.0
        await stage.press("a")
        assert "new lines (" in flat(stage)

    played(project, play, too_soon=3600.0)
    assert not project.root.joinpath("a.txt").exists()


def test_a_version_of_another_file_of_the_set_has_to_be_looked_at_again(project: Project) -> None:
    proposed(project, {"a.txt": b"A\n", "b.txt": b"B\n"})

    async def play(stage: Stage) -> None:
        await stage.press("J", "K")
        other = next(one for one in stage.gate.find() if one.path == "b.txt")
        stage.gate.revise(other.id, b"something else\n")
        await stage.press("A")
        assert "1 of 2 files viewed" in stage.text
        assert "`b.txt`: none of it was shown" in flat(stage)

    played(project, play)
    assert not project.root.joinpath("b.txt").exists()


def test_a_file_that_is_saved_while_it_is_shown_is_not_overwritten(project: Project) -> None:
    project.write("a.txt", SMALL)
    one_proposed(project, "a.txt", SMALL.replace("line 9\n", "9\n").encode())

    async def play(stage: Stage) -> None:
        project.write("a.txt", "saved\n")
        await stage.press("a")
        assert "error[base-changed]" in stage.text

    played(project, play)
    assert project.root.joinpath("a.txt").read_text() == "saved\n"


def test_a_screen_that_becomes_smaller_and_larger_counts_what_was_drawn(project: Project) -> None:
    one_proposed(project, "a.txt", LARGE.encode())

    async def play(stage: Stage) -> None:
        await stage.pilot.resize_terminal(40, 10)
        await stage.settled()
        await stage.pilot.resize_terminal(100, 60)
        await stage.settled()
        await stage.press("a")
        rows = stage.app.diff.size.height - 4
        assert f"new lines ({rows + 1} to 900)" in flat(stage), stage.text

    played(project, play, size=(80, 24))


def kept(project: Project) -> list[tuple[str, int]]:
    """Every blob and every row that is stored."""
    folder = state_dir(project)
    blobs = sorted(str(path.relative_to(folder)) for path in folder.glob("blobs/**/*"))
    with gate_of(project) as gate:
        return [(name, 0) for name in blobs] + [(one.id, len(one.state)) for one in gate.find()]


LOOKS = {
    "a strategy": ("s", "enter"),
    "a strategy with a line": ("s", "j", "enter", "enter"),
    "hunks": ("right_square_bracket", "space", "h"),
    "rebase": ("b",),
    "every view": ("v", "w", "i", "z", "tab", "pagedown", "G"),
}


@pytest.mark.parametrize("name", LOOKS)
def test_looking_makes_no_version_no_blob_and_no_entry(project: Project, name: str) -> None:
    project.write("a.txt", SMALL)
    new = SMALL.replace("line 2\n", "two\n").replace("line 18\n", "eighteen\n")
    one_proposed(project, "a.txt", new.encode())
    if name == "rebase":
        project.write("a.txt", SMALL.replace("line 10\n", "saved\n"))
    before = kept(project)

    async def play(stage: Stage) -> None:
        await stage.press(*LOOKS[name])
        assert name == "every view" or "PREVIEW" in stage.text
        if name != "every view":
            await stage.press("a")
            assert "error[preview]" in stage.text
            await stage.press("enter", "escape")
            assert "PREVIEW" not in stage.text

    played(project, play)
    assert kept(project) == before
    assert ops(project) == ["proposed"]


def test_a_preview_whose_proposal_is_gone_is_no_way_to_approve_it(project: Project) -> None:
    project.write("a.txt", SMALL)
    new = SMALL.replace("line 2\n", "two\n").replace("line 18\n", "eighteen\n")
    one = one_proposed(project, "a.txt", new.encode())

    async def play(stage: Stage) -> None:
        await stage.press("right_square_bracket", "space", "h")
        stage.gate.revise(one, b"something else\n")
        await stage.press("enter")
        assert "error[already-superseded]" in stage.text

    played(project, play)
    assert project.root.joinpath("a.txt").read_text() == SMALL


def test_a_set_lists_every_file_what_was_rejected_and_is_undone_as_a_whole(
    project: Project,
) -> None:
    project.write("a.txt", "old\n")
    proposed(project, {"a.txt": b"A\n", "b.txt": b"B\n", "c.txt": b"C\n"})

    async def play(stage: Stage) -> None:
        await stage.press("f", "down", "down", "space", "enter")  # without c.txt
        await stage.press("a", "J", "a")
        for line in ("2 of 3 files of the set written", "written   a.txt", "written   b.txt"):
            assert line in stage.text
        assert "rejected  c.txt" in stage.text
        await stage.press("u")
        assert stage.shown.origin == "undo"
        await stage.press("J", "K", "A")
        assert "2 of 2 files of the set written" in stage.text

    played(project, play)
    assert project.root.joinpath("a.txt").read_text() == "old\n"
    assert not project.root.joinpath("b.txt").exists()
