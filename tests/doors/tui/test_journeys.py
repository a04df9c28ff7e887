"""Every journey of the full screen, on a real project: keys in, files and record out."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from penstock.app import open_workspace
from penstock.core.proposals.model import State
from penstock.gate import Item, Proof
from tests.cli.pending import events, gate_of, one_proposed, ops, proposed, state_of
from tests.doors.tui.stage import Stage, review
from tests.project import Project

OLD = "".join(f"line {at}\n" for at in range(1, 21))


@pytest.fixture
def app(project: Project) -> Project:
    project.write("app.txt", OLD)
    return project


def played(project: Project, play: Callable[[Stage], Awaitable[None]], **more: Any) -> None:
    async def run() -> None:
        async with review(project, **more) as stage:
            await play(stage)

    asyncio.run(run())


def test_what_is_removed_is_said_first_and_a_approves_exactly_that(app: Project) -> None:
    one = one_proposed(app, "app.txt", b"short\n")

    async def play(stage: Stage) -> None:
        text = stage.text
        assert text.index("REPLACE app.txt: 20 of 20 lines removed") < text.index("hunk 1 of 1")
        await stage.press("a")
        assert "written: app.txt" in stage.text
        assert "no pending changes" in stage.text

    played(app, play)
    assert (app.root / "app.txt").read_bytes() == b"short\n"
    assert state_of(app, one) == "applied"
    approved = events(app, "approved")[-1]
    assert approved["proof"] == "terminal"
    assert ops(app)[-4:] == ["proposed", "approved", "applying", "applied"]


def test_d_leaves_only_the_removed_lines_and_what_it_leaves_out_was_not_shown(
    app: Project,
) -> None:
    old = (app.root / "app.txt").read_text()
    one_proposed(app, "app.txt", old.replace("line 3\n", "three\nmore\n").encode())

    async def play(stage: Stage) -> None:
        assert "+ three" in stage.text
        await stage.press("d")
        assert "- line 3" in stage.text
        assert "three" not in stage.text
        assert "line 4" not in stage.text
        assert "only removed lines are shown" in stage.text
        await stage.press("d")
        assert "+ three" in stage.text

    played(app, play)


def test_the_third_approval_of_a_kind_offers_the_rule(app: Project) -> None:
    for name in ("a", "b", "c"):
        one_proposed(app, f"guides/{name}.md", b"x\n")

    async def play(stage: Stage) -> None:
        for _ in range(3):
            assert "to stop being asked" not in stage.text
            await stage.press("a")
        assert "you have approved changes like this 3 times" in stage.text

    played(app, play)


def test_r_asks_for_a_reason_and_the_agent_gets_it(app: Project) -> None:
    one = one_proposed(app, "app.txt", b"short\n")

    async def play(stage: Stage) -> None:
        await stage.press("r")
        assert "reason (sent to the agent)" in stage.text
        await stage.type("keep the lines")
        assert "rejected: app.txt" in stage.text

    played(app, play)
    assert state_of(app, one) == "rejected"
    assert events(app, "rejected")[-1]["reason"] == "keep the lines"
    assert (app.root / "app.txt").read_text() == OLD


@pytest.mark.parametrize("key", ["r", "s", "e", "slash", "question_mark"])
def test_escape_leaves_every_window_and_nothing_was_done(app: Project, key: str) -> None:
    one = one_proposed(app, "app.txt", b"short\n")

    async def play(stage: Stage) -> None:
        await stage.press(key)
        assert len(stage.app.screen_stack) == 2
        await stage.press("escape")
        assert len(stage.app.screen_stack) == 1

    played(app, play)
    assert state_of(app, one) == "waiting"
    assert ops(app) == ["proposed"]


def test_what_was_answered_a_moment_ago_is_not_left_waiting(app: Project) -> None:
    one = one_proposed(app, "app.txt", b"short\n")

    async def play(stage: Stage) -> None:
        who = Proof(by="somebody", kind="terminal")
        await asyncio.to_thread(
            stage.gate.answer, one, approve=False, proof=who, reason="at another terminal"
        )
        await stage.press("q")
        assert stage.app.return_value == 0

    played(app, play)


@pytest.mark.parametrize("first", [(), ("tab",)], ids=["from the list", "from the diff"])
def test_hunks_are_ticked_off_and_the_rest_is_shown_again_before_it_is_approved(
    app: Project, first: tuple[str, ...]
) -> None:
    new = OLD.replace("line 2\n", "two\n").replace("line 18\n", "eighteen\n")
    one = one_proposed(app, "app.txt", new.encode())

    async def play(stage: Stage) -> None:
        await stage.press(*first, "right_square_bracket", "space")
        assert "[ ] hunk 1 of 2" in stage.text
        assert "1 of 2 hunks selected" in stage.text
        await stage.press("h")
        assert "PREVIEW of selected hunks only" in stage.text
        assert "hunk 1 of 1, line 18" in stage.text
        await stage.press("enter")
        assert stage.shown.parent == one
        assert "hunk 1 of 1, line 18" in stage.text
        await stage.press("a")

    played(app, play)
    assert (app.root / "app.txt").read_text() == OLD.replace("line 18\n", "eighteen\n")
    assert state_of(app, one) == "superseded"


def test_no_hunk_or_every_hunk_is_no_choice(app: Project) -> None:
    one = one_proposed(app, "app.txt", OLD.replace("line 2\n", "two\n").encode())

    async def play(stage: Stage) -> None:
        await stage.press("h")
        assert "error[all-hunks]" in stage.text
        await stage.press("enter", "space", "h")
        assert "error[no-hunks]" in stage.text

    played(app, play)
    assert state_of(app, one) == "waiting"


def test_a_strategy_is_previewed_made_and_then_approved(app: Project) -> None:
    one_proposed(app, "app.txt", b"new\n")

    async def play(stage: Stage) -> None:
        await stage.press("s", "enter")
        assert "PREVIEW of append: enter keeps it" in stage.text
        await stage.press("a")
        assert "error[preview]: this is a preview" in stage.text
        await stage.press("enter", "enter")
        assert stage.shown.origin == "strategy:append"
        assert "lines added" in stage.text
        await stage.press("a")

    played(app, play)
    assert (app.root / "app.txt").read_text() == OLD + "\nnew\n"


def test_insert_shows_the_lines_with_their_numbers_and_takes_one(app: Project) -> None:
    one_proposed(app, "app.txt", b"new\n")

    async def play(stage: Stage) -> None:
        await stage.press("s", "j", "enter")
        assert "insert after which line? 0 is the top, 20 the end" in stage.text
        assert "20      line 20" in stage.text
        await stage.press("up")
        assert stage.app.screen.query_one(Input).value == "19"
        await stage.press("end", "9", "enter")
        assert "this must be a line from 0 to 20" in stage.text
        await stage.press("backspace", "backspace", "backspace", "3", "enter")
        assert "PREVIEW of insert after line 3" in stage.text
        await stage.press("enter", "a")

    played(app, play)
    assert (app.root / "app.txt").read_text() == OLD.replace("line 3\n", "line 3\nnew\n")


def test_a_preview_that_is_left_changes_nothing(app: Project) -> None:
    one = one_proposed(app, "app.txt", b"new\n")

    async def play(stage: Stage) -> None:
        await stage.press("s", "enter", "escape")
        assert "PREVIEW" not in stage.text
        assert stage.shown.id == one

    played(app, play)
    assert ops(app) == ["proposed"]


def test_an_edit_is_measured_judged_and_shown_again(app: Project) -> None:
    one_proposed(app, "app.txt", b"short\n")

    async def play(stage: Stage) -> None:
        await stage.press("e")
        await stage.pilot.press("m", "i", "n", "e", "enter")
        await stage.press("ctrl+s")
        assert stage.shown.origin == "edit"
        await stage.press("a")

    played(app, play)
    assert (app.root / "app.txt").read_bytes() == b"mine\nshort\n"


def test_an_edit_that_the_rules_deny_is_told(app: Project) -> None:
    one = one_proposed(app, "app.txt", b"short\n")

    async def play(stage: Stage) -> None:
        rules = (app.root / "penstock.toml").read_text()
        app.write("penstock.toml", rules.replace("**/.env*", "app.txt"))
        await stage.press("e")
        await stage.pilot.press("x")
        await stage.press("ctrl+s")
        assert "error[denied]" in stage.text

    played(app, play)
    assert state_of(app, one) == "superseded"
    assert (app.root / "app.txt").read_text() == OLD


def test_a_file_that_moved_is_told_kept_in_sight_and_can_be_rebased(app: Project) -> None:
    new = OLD.replace("line 2\n", "two\n")
    one = one_proposed(app, "app.txt", new.encode())

    async def play(stage: Stage) -> None:
        app.write("app.txt", OLD.replace("line 18\n", "saved\n"))
        await stage.press("a")
        assert "error[base-changed]" in stage.text
        assert "because:" in stage.text
        assert "try:" in stage.text
        await stage.press("enter")
        assert "out of date" in stage.text
        await stage.press("b")
        assert "PREVIEW of rebase" in stage.text
        await stage.press("enter")
        assert stage.shown.origin == "rebase"
        await stage.press("a")

    played(app, play)
    assert state_of(app, one) == "superseded"
    assert (app.root / "app.txt").read_text() == new.replace("line 18\n", "saved\n")


def test_a_proposal_whose_file_changed_already_says_so_when_it_is_looked_at(app: Project) -> None:
    one_proposed(app, "app.txt", b"short\n")
    app.write("app.txt", "saved\n")

    async def play(stage: Stage) -> None:
        assert "the file has changed since this was proposed" in stage.text

    played(app, play)


def test_an_answer_to_what_another_answered_meanwhile_is_refused(app: Project) -> None:
    one = one_proposed(app, "app.txt", b"short\n")

    async def play(stage: Stage) -> None:
        done = app.run("reject", one, "--reason", "no")
        assert done.code == 0, done.err
        await stage.press("a")
        assert "error[already-rejected]" in stage.text

    played(app, play)
    assert (app.root / "app.txt").read_text() == OLD


def test_a_newer_version_is_never_approved_in_place_of_the_one_that_was_shown(
    app: Project,
) -> None:
    one = one_proposed(app, "app.txt", b"short\n")

    async def play(stage: Stage) -> None:
        stage.gate.revise(one, b"something else\n")
        await stage.press("a")
        assert "error[already-superseded]" in stage.text
        await stage.press("enter")
        assert stage.shown.parent == one

    played(app, play)
    assert (app.root / "app.txt").read_text() == OLD


def test_a_set_is_written_once_each_of_its_files_is_approved(app: Project) -> None:
    proposed(app, {"app.txt": b"A\n", "b.txt": b"B\n"})

    async def play(stage: Stage) -> None:
        await stage.press("A")
        assert "1 of 2 files viewed" in stage.text
        await stage.press("escape", "a")
        assert "once 1 more file" in stage.text
        assert (app.root / "app.txt").read_text() == OLD
        await stage.press("J", "A")

    played(app, play)
    assert (app.root / "app.txt").read_text() == "A\n"
    assert (app.root / "b.txt").read_text() == "B\n"


def test_of_a_set_some_files_are_kept_and_the_others_go_back(app: Project) -> None:
    first, second = proposed(app, {"app.txt": b"A\n", "b.txt": b"B\n"})

    async def play(stage: Stage) -> None:
        await stage.press("f")
        assert "which files should be kept?" in stage.text
        await stage.press("space", "enter")
        assert stage.shown.path == "b.txt"
        await stage.press("a")

    played(app, play)
    assert (app.root / "app.txt").read_text() == OLD
    assert (app.root / "b.txt").read_text() == "B\n"
    assert state_of(app, first.id) == "rejected"
    assert state_of(app, second.id) == "superseded"


def test_what_was_written_last_is_proposed_to_be_undone(app: Project) -> None:
    one_proposed(app, "app.txt", b"short\n")

    async def play(stage: Stage) -> None:
        await stage.press("a", "u")
        assert stage.shown.origin == "undo"
        assert (app.root / "app.txt").read_bytes() == b"short\n"
        await stage.press("a")

    played(app, play)
    assert (app.root / "app.txt").read_text() == OLD


def test_a_proposal_gets_its_whole_time_again(app: Project) -> None:
    one_proposed(app, "app.txt", b"short\n")

    async def play(stage: Stage) -> None:
        await stage.press("t")
        assert "expiry timer reset" in stage.text

    played(app, play)
    assert "renewed" in ops(app)


def test_what_arrives_meanwhile_shows_up_and_what_is_looked_at_stays(app: Project) -> None:
    one = one_proposed(app, "app.txt", b"short\n")

    async def play(stage: Stage) -> None:
        one_proposed(app, "later.txt", b"later\n")
        await stage.app.look_again()
        await stage.settled()
        assert "new: NEW later.txt" in stage.text
        assert "2 pending" in stage.text
        assert stage.shown.id == one

    played(app, play)


def test_the_live_screen_looks_by_itself(app: Project) -> None:
    one_proposed(app, "app.txt", b"short\n")

    async def play(stage: Stage) -> None:
        one_proposed(app, "later.txt", b"later\n")
        await stage.until(lambda: "2 pending" in stage.text)

    played(app, play, live=True)


def test_the_queue_is_filtered_and_the_diff_is_searched(app: Project) -> None:
    one_proposed(app, "app.txt", OLD.replace("line 18\n", "needle\n").encode())
    one_proposed(app, "other.py", b"other\n")

    async def play(stage: Stage) -> None:
        await stage.press("slash")
        await stage.type("other")
        assert "only `other`" in stage.text
        assert stage.shown.path == "other.py"
        await stage.press("escape")
        assert "only `other`" not in stage.text
        await stage.press("K", "tab", "slash")
        await stage.type("needle")
        assert stage.app.diff.sheet.row(stage.app.diff.mark or 0).words.endswith("needle")
        await stage.press("slash")
        await stage.type("nowhere")
        assert "`nowhere` not found" in stage.text

    played(app, play)


def test_side_by_side_and_the_whole_screen_show_the_same_change(app: Project) -> None:
    one_proposed(app, "app.txt", OLD.replace("line 2\n", "two\n").encode())

    async def play(stage: Stage) -> None:
        await stage.press("v")
        pair = next(line for line in stage.text.split("\n") if " | " in line)
        assert "- line 2" in pair
        assert "+ two" in pair
        await stage.press("z")
        assert "modify" not in stage.text.lower().split("\n")[1]
        await stage.press("z", "v")
        assert " | " not in stage.text

    played(app, play)


def test_hidden_characters_are_written_out_and_markup_is_only_text(app: Project) -> None:
    hostile = "a\u202eb [bold red]x[/] \x1b[31m ⟦ \u21e5 tab\there  \n".encode()
    one_proposed(app, "[bold]m[x].txt", hostile)

    async def play(stage: Stage) -> None:
        text = stage.text
        assert "NEW [bold]m[x].txt" in text
        assert "a⟦U+202E RLO⟧b [bold red]x[/] ⟦U+001B ESC⟧[31m ⟦U+27E6" in text
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "hides a right-to-left override" in text

    played(app, play, size=(150, 40))


def test_a_key_that_is_held_down_does_not_answer_what_has_only_just_come_up(app: Project) -> None:
    one_proposed(app, "a.txt", b"a\n")
    second = one_proposed(app, "b.txt", b"b\n")

    async def play(stage: Stage) -> None:
        await stage.press("a")
        assert "written: a.txt" in stage.text
        await stage.press("a")
        assert "this was just updated: check it" in stage.text

    played(app, play, too_soon=3600.0)
    assert state_of(app, second) == "waiting"


@pytest.mark.parametrize("size", [(80, 24), (40, 10), (200, 60)])
def test_every_size_shows_what_would_be_lost_and_survives_a_resize(
    app: Project, size: tuple[int, int]
) -> None:
    one_proposed(app, "app.txt", b"short\n")

    async def play(stage: Stage) -> None:
        assert "REPLACE app.txt" in stage.text
        assert all(len(line) <= size[0] for line in stage.text.split("\n"))
        await stage.pilot.resize_terminal(60, 15)
        await stage.settled()
        assert "REPLACE app.txt" in stage.text

    played(app, play, size=size)


def test_a_row_that_goes_on_beyond_the_edge_says_so(app: Project) -> None:
    one_proposed(app, "long.txt", b"x" + b" " * 300 + b"evil()\n")

    async def play(stage: Stage) -> None:
        assert "evil()" in stage.text, "a long line is broken"
        assert [line.strip() for line in stage.text.split("\n")].count("›") == 3, "and says so"
        await stage.press("w")
        line = next(line for line in stage.text.split("\n") if "+ x" in line)
        assert line.rstrip().endswith("›")
        await stage.press("tab", *["right"] * 14)
        assert "evil()" in stage.text
        await stage.press(*["left"] * 14)
        assert "+ x" in stage.text

    played(app, play, size=(80, 24))


def test_leaving_says_how_many_are_left(app: Project) -> None:
    one_proposed(app, "app.txt", b"short\n")

    async def play(stage: Stage) -> None:
        await stage.press("q")
        assert stage.app.return_value == 1

    played(app, play)


def test_a_new_file_and_a_removed_one_are_not_combined_and_the_latter_not_edited(
    app: Project,
) -> None:
    one_proposed(app, "app.txt", None)

    async def play(stage: Stage) -> None:
        assert stage.shown.content is None
        await stage.press("s")
        assert "error[nothing-to-combine]" in stage.text
        await stage.press("enter", "e")
        assert "error[nothing-to-edit]" in stage.text
        await stage.press("enter", "a")

    played(app, play)
    assert not (app.root / "app.txt").exists()


def test_what_expired_is_gone_from_the_queue(app: Project) -> None:
    one = one_proposed(app, "app.txt", b"short\n", ttl=0.0)

    async def play(stage: Stage) -> None:
        assert "no pending changes" in stage.text
        await stage.press("a")
        assert "error[nothing-shown]" in stage.text

    played(app, play)
    assert state_of(app, one) == State.EXPIRED


def test_content_that_is_gone_is_told_and_cannot_be_answered(app: Project) -> None:
    one_proposed(app, "app.txt", b"short\n")

    async def play(stage: Stage) -> None:
        blobs = Path(open_workspace(str(app.root)).state, "blobs")
        for folder, _, names in os.walk(blobs):
            for name in names:
                os.unlink(os.path.join(folder, name))
        stage.app.show(stage.shown)
        await stage.settled()
        assert "error[content-gone]" in stage.text
        await stage.press("a")
        assert "error[nothing-shown]" in stage.text

    played(app, play)


def test_a_large_diff_and_a_long_queue_cost_only_what_is_in_sight(app: Project) -> None:
    old = b"".join(b"line %d\n" % at for at in range(20_000))
    app.write("big.txt", old)
    one = one_proposed(app, "big.txt", old.replace(b"line", b"row"))
    with gate_of(app) as gate:
        for at in range(200):
            gate.propose([Item(path=f"f{at}.txt", content=b"x\n")])

    async def play(stage: Stage) -> None:
        assert stage.shown.id == one
        assert "201 pending" in stage.text
        assert "REPLACE big.txt: 20,000 of 20,000 lines removed" in stage.text
        view = stage.app.diff
        assert len(view.sheet) > 40_000
        await stage.press("tab", "pagedown", "G")
        assert "+ row 19999" in stage.text
        assert len(view._made) < 10 * view.size.height, "only rows that were in sight were made"
        await stage.press("a")
        assert "not fully viewed" in stage.text
        await stage.press("y")

    played(app, play)
    assert (app.root / "big.txt").read_bytes().startswith(b"row 0\n")


def test_a_failure_that_nobody_foresaw_is_told_and_the_screen_stands(
    app: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = one_proposed(app, "app.txt", b"short\n")

    async def play(stage: Stage) -> None:
        def fails(*_: object, **__: object) -> None:
            raise RuntimeError("s3cr3t")

        for step in ("answer_all", "contents"):
            monkeypatch.setattr(stage.gate, step, fails)
        await stage.press("a")
        assert "error[internal]" in stage.text
        assert "s3cr3t" not in stage.text
        await stage.press("enter")
        stage.app.show(stage.shown)
        await stage.settled()
        assert "RuntimeError" in stage.text
        monkeypatch.setattr(stage.gate, "expire", fails)
        await stage.app.look_again()
        assert stage.app.is_running

    played(app, play)
    assert state_of(app, one) == "waiting"


def test_a_set_is_not_written_while_a_hunk_of_another_file_is_unticked(app: Project) -> None:
    new = OLD.replace("line 2\n", "two\n").replace("line 18\n", "eighteen\n")
    some = [Item(path="app.txt", content=new.encode()), Item(path="b.txt", content=b"b\n")]
    with gate_of(app) as gate:
        gate.propose(some)

    async def play(stage: Stage) -> None:
        await stage.press("right_square_bracket", "space", "J", "A")
        assert "hunks-unticked" in stage.text
        await stage.press("enter", "K")
        assert "[ ] hunk 1 of 2" in stage.text, "it is still unticked"

    played(app, play)
    assert (app.root / "app.txt").read_text() == OLD
    assert not (app.root / "b.txt").exists()
