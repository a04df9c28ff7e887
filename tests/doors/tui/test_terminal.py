"""`penstock review` in a real terminal: the full screen, or the prompt where it cannot be."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from penstock.stores.approver.passphrase import VARIABLE
from tests.cli.pending import events, one_proposed, state_of
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
    assert (seen.code, seen.text) == (0, "no pending changes\n")


def test_no_colour_is_sent_where_none_is_wanted(project: Project) -> None:
    one_proposed(project, "app.txt", b"short\n")
    seen = in_terminal(project, "review", typed=[(DRAWN, "q")], env={"NO_COLOR": "1"})
    assert seen.code == 3, seen.text
    styles = set(re.findall(r"\x1b\[([0-9;]*)m", seen.text))
    sent = {code for style in styles for code in style.split(";")}
    plain = {"0", "1", "2", "4", "7", "39", "49"}
    assert sent <= plain, "bold, dim, underlined, reversed, and the terminal's own colours"
    assert "7" in sent, "the chosen one is still seen"


def test_an_edit_opens_the_persons_own_editor_and_the_screen_comes_back(
    project: Project, tmp_path: Path
) -> None:
    script = tmp_path / "editor.py"
    script.write_text("import sys\nwith open(sys.argv[1], 'a') as file: file.write('mine\\n')\n")
    one = one_proposed(project, "app.txt", b"short\n")
    typed = [(DRAWN, "e"), ("origin  edit", "a"), ("written: app.txt", "q")]
    env = {"EDITOR": f"{sys.executable} {script}", "VISUAL": ""}
    seen = in_terminal(project, "review", typed=typed, env=env)
    assert seen.code == 0, seen.text
    assert (project.root / "app.txt").read_bytes() == b"short\nmine\n"
    assert state_of(project, one) == "superseded"


def test_the_passphrase_can_be_handed_over_by_a_descriptor(project: Project) -> None:
    words = "correct horse battery"
    made = project.run("approver", "init", env={VARIABLE: "0"}, stdin=f"{words}\n")
    assert made.code == 0, made.err
    one_proposed(project, "app.txt", b"short\n")
    read, write = os.pipe()
    os.write(write, words.encode() + b"\n")
    os.close(write)
    typed = [(DRAWN, "a"), ("written: app.txt", "q")]
    seen = in_terminal(project, "review", typed=typed, env={VARIABLE: str(read)}, pass_fds=[read])
    os.close(read)
    assert seen.code == 0, seen.text
    assert events(project, "approved")[-1]["proof"] == "key"


def test_ctrl_c_leaves_and_everything_goes_on_waiting(project: Project) -> None:
    one = one_proposed(project, "app.txt", b"short\n")
    seen = in_terminal(project, "review", typed=[(DRAWN, "\x03")])
    assert seen.code == 3, seen.text
    assert state_of(project, one) == "waiting"


def test_an_unticked_hunk_is_not_written(project: Project) -> None:
    old = "".join(f"line {at}\n" for at in range(1, 21))
    project.write("app.txt", old)
    new = old.replace("line 2\n", "two\n").replace("line 18\n", "eighteen\n")
    one = one_proposed(project, "app.txt", new.encode())
    typed = [
        ("hunk 1 of 2", " "),
        ("1 of 2 hunks selected", "a"),
        ("hunks-unticked", "\r\x03"),
    ]
    seen = in_terminal(project, "review", typed=typed)
    assert seen.code == 3, seen.text
    assert (project.root / "app.txt").read_text() == old
    assert state_of(project, one) == "waiting"


LARGE = "".join(f"line {at}\n" for at in range(1, 901))


def test_what_was_never_on_the_screen_needs_a_second_answer(project: Project) -> None:
    one_proposed(project, "app.txt", LARGE.encode())
    typed = [(DRAWN, "a"), ("not fully viewed", "y"), ("written: app.txt", "q")]
    seen = in_terminal(project, "review", typed=typed)
    assert seen.code == 0, seen.text
    assert (project.root / "app.txt").read_text() == LARGE
    reason = str(events(project, "approved")[-1]["reason"])
    assert reason.startswith("approved without being shown: `app.txt`: ")
    assert "to 900)" in reason


def test_all_of_it_on_the_screen_needs_one_key(project: Project) -> None:
    one_proposed(project, "app.txt", LARGE[: LARGE.index("line 41")].encode())
    page = "\x1b[6~"
    typed = [(DRAWN, "\t" + page), ("line 30", page), ("line 40", "a"), ("written: app.txt", "q")]
    seen = in_terminal(project, "review", typed=typed)
    assert seen.code == 0, seen.text
    assert not events(project, "approved")[-1].get("reason")
