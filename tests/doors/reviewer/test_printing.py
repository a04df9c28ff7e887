"""An answer is printed, or said to be unprintable, whatever the command's streams are."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.doors.reviewer.reviewer_process import NPM, RULES, START, Reviewer, adding, in_git

QUERY = 'decision_reviewer query \'{"type":"rule"}\''
STALE = "decision_reviewer stale"


@pytest.fixture
def at(tmp_path: Path) -> Reviewer:
    """A rules file with a name and an id that not every locale knows."""
    return in_git(tmp_path / "möbel", RULES.replace("deny-rm", "dény-rm"))


def words(at: Reviewer, operation: object) -> str:
    text = shlex.quote(json.dumps(operation))
    return f"decision_reviewer apply --json {text} --target-file {shlex.quote(str(at.file))}"


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"])
def test_an_edit_is_made_also_where_nobody_can_be_told(at: Reviewer, closed: str) -> None:
    done = at.shell(f"{words(at, adding())} {closed}")
    assert (done.code, "Traceback" in done.err) == (0, False), done.err
    assert NPM["id"] in at.file.read_text()
    assert len(at.repo.subjects()) == 2
    assert at.repo.status() == []


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", ">&- 2>&-"])
@pytest.mark.parametrize("command", [QUERY, STALE])
def test_a_question_survives_closed_streams(at: Reviewer, command: str, closed: str) -> None:
    done = at.shell(f"cd {shlex.quote(str(at.folder))} && {command} {closed}")
    assert (done.code, done.err) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("command", [QUERY, STALE])
def test_an_answer_that_cannot_be_printed_is_no_success(at: Reviewer, command: str) -> None:
    done = at.shell(f"cd {shlex.quote(str(at.folder))} && {command} > /dev/full")
    assert (done.code, done.err) == (1, "error: the answer could not be printed\n")
    made = at.shell(f"{words(at, adding())} > /dev/full")
    assert made.code == 0, "the edit is made, and the exit code tells it"
    assert "the answer could not be printed" in made.err


@pytest.mark.parametrize("command", [QUERY, "decision_reviewer test --rule-id x --input '{}'"])
def test_answers_are_utf_8_whatever_the_locale_is(at: Reviewer, command: str) -> None:
    folder = shlex.quote(str(at.folder))
    done = at.shell(f"cd {folder} && PYTHONIOENCODING=ascii {command}")
    assert "Traceback" not in done.err
    assert "dény-rm" in done.out
    json.loads(done.out)


@pytest.mark.parametrize("command", [QUERY, STALE, "decision_reviewer suggest"])
def test_a_directory_that_is_gone_is_told(at: Reviewer, command: str) -> None:
    gone = at.home / "gone"
    gone.mkdir()
    done = at.shell(f"cd {shlex.quote(str(gone))} && rmdir ../gone && {command}")
    assert done.code == 1
    assert done.json["error"]["message"] == "the current directory no longer exists"


def test_a_file_is_not_looked_for_in_a_directory_that_is_gone(at: Reviewer) -> None:
    gone = at.home / "gone"
    gone.mkdir()
    command = 'decision_reviewer apply --json \'{"type":"validate"}\' --target-file'
    done = at.shell(f"cd {shlex.quote(str(gone))} && rmdir ../gone && {command} x.toml")
    assert (done.code, done.json["error_type"]) == (1, "no_target")
    assert done.json["changes_applied"] == "none (nothing was written)"


def test_a_reader_who_leaves_is_no_fault(at: Reviewer) -> None:
    done = at.shell(f"cd {shlex.quote(str(at.folder))} && {QUERY} | true; {STALE} | true")
    assert (done.code, done.err) == (0, "")


def test_help_calls_the_command_by_the_name_that_was_typed() -> None:
    done = subprocess.run(
        [sys.executable, "-c", START, "apply", "--help"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("Usage: decision_reviewer apply ")
