"""Long output goes through a pager, at a terminal only, with everything visible."""

from __future__ import annotations

import os
import stat

import pytest

from penstock.cli.terminal.pager import fits, pager
from tests.cli.pending import one_proposed
from tests.project import Project
from tests.terminal import in_terminal

LONG = "".join(f"line {at}\n" for at in range(200))
HIDDEN = "first \u202e last\x1b[2J\n"


@pytest.fixture
def long(project: Project) -> tuple[Project, str]:
    """A project with a pending change that fills several screens, and a pager that says so."""
    project.write("app.py", "old\n")
    fake = project.home / "fake-pager"
    fake.write_text('#!/bin/sh\necho "PAGED $LESS"\ncat\n')
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    return project, one_proposed(project, "app.py", (LONG + HIDDEN).encode())


def shown(project: Project, *argv: str, **env: str) -> str:
    kept = {"LESS": "", "COLUMNS": "80", "LINES": "24", "PAGER": str(project.home / "fake-pager")}
    settings = {name: value for name, value in {**kept, **env}.items() if value != "-"}
    return in_terminal(project, *argv, env=settings).text


def test_a_long_diff_is_paged_and_hidden_characters_stay_written_out(
    long: tuple[Project, str],
) -> None:
    project, one = long
    text = shown(project, "show", one)
    assert text.startswith("PAGED")
    assert "line 199" in text
    assert "⟦U+202E RLO⟧" in text
    assert "⟦U+001B ESC⟧" in text or "⟦U+001B" in text
    assert "\u202e" not in text
    assert "\x1b[2J" not in text


def test_our_own_variable_goes_first_and_both_can_switch_it_off(long: tuple[Project, str]) -> None:
    project, one = long
    assert shown(project, "show", one, PENSTOCK_PAGER=str(project.home / "fake-pager"),
                 PAGER="false").startswith("PAGED")  # fmt: skip
    for off in ({"PENSTOCK_PAGER": ""}, {"PENSTOCK_PAGER": "cat"}, {"PAGER": "no-such-program"}):
        assert "PAGED" not in shown(project, "show", one, **off)


def test_no_pager_is_an_option_and_short_output_needs_none(long: tuple[Project, str]) -> None:
    project, one = long
    assert "PAGED" not in shown(project, "show", one, "--no-pager")
    assert "PAGED" not in shown(project, "log")
    assert "PAGED" in shown(project, "audit", "log", LINES="1")


def test_without_a_terminal_there_is_no_pager(long: tuple[Project, str]) -> None:
    project, one = long
    done = project.run("show", one, env={"PAGER": str(project.home / "fake-pager"), "LINES": "5"})
    assert "PAGED" not in done.out
    assert "line 199" in done.out


def test_less_gets_its_usual_settings_unless_they_are_set(
    monkeypatch: pytest.MonkeyPatch, long: tuple[Project, str]
) -> None:
    project, one = long
    monkeypatch.delenv("LESS", raising=False)
    assert shown(project, "show", one, LESS="-").startswith("PAGED FRX")
    assert shown(project, "show", one, LESS="S").startswith("PAGED S")


def test_a_terminal_whose_size_nobody_set_has_no_pager(long: tuple[Project, str]) -> None:
    project, one = long
    assert "PAGED" not in shown(project, "show", one, LINES="-", COLUMNS="-")
    assert "PAGED" not in shown(project, "show", one, LINES="-")
    assert "PAGED" not in shown(project, "show", one, TERM="dumb")


FITS = [
    ("a\n" * 22, True),
    ("a\n" * 24, False),
    ("a" * 80 * 23, True),
    ("a" * 80 * 24, False),
    ("\x1b[31m" * 500 + "a\n", True),
    ("\t\n" * 3, True),
]


@pytest.mark.parametrize(("text", "fitting"), FITS)
def test_long_lines_take_several_rows_and_colours_none(text: str, fitting: bool) -> None:
    assert fits(text, os.terminal_size((80, 24))) is fitting


def test_a_pager_that_cannot_be_read_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENSTOCK_PAGER", "less 'unclosed")
    assert pager() == []
