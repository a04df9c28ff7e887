"""`penstock review` in a real terminal: the full screen, or the prompt where it cannot be."""

from __future__ import annotations

import re
import sys

import pytest

from tests.cli.waiting import events, one_proposed, state_of
from tests.project import Project
from tests.terminal import END, in_terminal

DRAWN = "hunk 1 of 1"


def test_the_full_screen_opens_approves_and_leaves(project: Project) -> None:
    one = one_proposed(project, "app.txt", b"short\n")
    typed = [(DRAWN, "a"), ("written: app.txt", "q")]
    seen = in_terminal(project, "review", typed=typed)
    assert seen.code == 0, seen.text
    assert "\x1b[?1049h" in seen.text, "the screen behind comes back afterwards"
    assert state_of(project, one) == "applied"
    assert events(project, "approved")[-1]["proof"] == "terminal"


@pytest.mark.parametrize(
    ("argv", "env"),
    [
        ((), {"TERM": "dumb"}),
        (("--plain",), {}),
    ],
)
def test_where_nothing_can_be_drawn_or_nobody_wants_it_there_is_the_prompt(
    project: Project, argv: tuple[str, ...], env: dict[str, str]
) -> None:
    one = one_proposed(project, "app.txt", b"short\n")
    seen = in_terminal(project, "review", *argv, typed=[("[q]uit", END)], env=env)
    assert seen.code == 3, seen.text
    assert "\x1b[?1049h" not in seen.text
    assert state_of(project, one) == "waiting"


def test_without_the_extra_there_is_the_prompt(project: Project) -> None:
    one_proposed(project, "app.txt", b"short\n")
    # A module of this name that cannot be found is what an install without the extra looks like.
    blocker = (
        "import sys, runpy; sys.modules['textual'] = None; sys.argv[0] = 'penstock'; "
        "runpy.run_module('penstock.cli', run_name='__main__')"
    )
    program = (sys.executable, "-c", blocker)
    seen = in_terminal(project, "review", typed=[("[q]uit", END)], program=program)
    assert seen.code == 3, seen.text


def test_nothing_waits_is_said_and_no_screen_is_opened(project: Project) -> None:
    (project.root / "penstock.toml").write_text("version = 1\n")
    seen = in_terminal(project, "review")
    assert (seen.code, seen.text) == (0, "nothing waits\n")


def test_no_colour_is_sent_where_none_is_wanted(project: Project) -> None:
    one_proposed(project, "app.txt", b"short\n")
    seen = in_terminal(project, "review", typed=[(DRAWN, "q")], env={"NO_COLOR": "1"})
    assert seen.code == 3, seen.text
    styles = set(re.findall(r"\x1b\[([0-9;]*)m", seen.text))
    sent = {code for style in styles for code in style.split(";")}
    assert sent <= {"0", "1", "2", "7", "39", "49"}, "bold, dim, reverse and the usual colour"
    assert "7" in sent, "the chosen one is still seen"
