"""The hook inside the real Gemini CLI, with every tool call approved beforehand.

Gemini refuses `.env` by itself, so the protected file that its own tools try is the lock file.
"""

from __future__ import annotations

import pytest

from tests.agents.models import Use
from tests.agents.scene import (
    BIG,
    NOTES,
    SECRET,
    SMALL,
    events,
    guarded,
    proven,
    text_of,
    untouched,
)
from tests.agents.session import Gemini, Report
from tests.project import Project

pytestmark = pytest.mark.usefixtures("gemini")


@pytest.fixture
def guard(project: Project) -> Project:
    return guarded(project, "gemini")


def ran(project: Project, *steps: Use, mcp: bool = False) -> Report:
    report = Gemini(project=project, steps=steps, mcp=mcp).run()
    assert report.code == 0, report
    assert len(report.results) == len(steps), report
    return report


def write(path: str, content: str) -> Use:
    return Use("write_file", {"file_path": path, "content": content})


def replace(path: str, old: str, new: str) -> Use:
    what = {"instruction": "change it", "old_string": old, "new_string": new}
    return Use("replace", {"file_path": path, **what})


def shell(command: str) -> Use:
    return Use("run_shell_command", {"command": command, "description": "work"})


def test_writing_protected_files_is_denied_and_recorded(guard: Project) -> None:
    report = ran(guard, write("package-lock.json", "x\n"), write("secrets/new.txt", "x\n"))
    assert untouched(guard)
    assert text_of(guard, "secrets/new.txt") is None
    assert "Protected path: package-lock.json cannot be modified" in report.results[0].text
    assert [result.error for result in report.results] == [True, True]
    (event,) = events(guard, status="denied", agent="gemini", rule="lock-files")
    assert (event["path"], event["tool"]) == ("package-lock.json", "write_file")
    assert proven(guard)


def test_replacing_in_a_protected_file_is_denied(guard: Project) -> None:
    report = ran(guard, replace("package-lock.json", "3", "4"))
    assert untouched(guard)
    assert "Protected path" in report.result.text


def test_a_path_that_takes_a_detour_is_the_same_path(guard: Project) -> None:
    guard.write("secrets/key.txt", "keep\n")
    (guard.root / "innocent").symlink_to("secrets")
    report = ran(
        guard,
        write("lib/../package-lock.json", "x\n"),
        write(f"{guard.root}//./package-lock.json", "x\n"),
        write("innocent/key.txt", "x\n"),
    )
    assert untouched(guard)
    assert text_of(guard, "secrets/key.txt") == "keep\n"
    assert ["Protected path" in result.text for result in report.results] == [True] * 3, report


def test_the_shell_does_not_reach_protected_files(guard: Project) -> None:
    commands = ["echo x > .env", "sed -i s/keep-me/gone/ .env", "cd lib && cp big.py ../.env"]
    report = ran(guard, *[shell(command) for command in commands])
    assert untouched(guard)
    assert ["Protected path" in result.text for result in report.results] == [True] * 3, report


def test_replacing_most_of_a_large_file_is_denied_with_what_would_be_lost(guard: Project) -> None:
    report = ran(guard, write("lib/big.py", SMALL))
    assert text_of(guard, "lib/big.py") == BIG
    assert "214 of 270 lines" in report.result.text


def test_other_writes_are_made_and_can_be_undone(guard: Project) -> None:
    report = ran(
        guard, write("lib/new.py", "x = 1\n"), replace("notes.txt", "first", "FIRST"), shell("true")
    )
    assert [result.error for result in report.results] == [False] * 3, report
    assert text_of(guard, "lib/new.py") == "x = 1\n"
    assert text_of(guard, "notes.txt") == NOTES.replace("first", "FIRST")
    assert guard.run("undo", "--path", "notes.txt", "--yes").code == 0
    assert text_of(guard, "notes.txt") == NOTES


def test_a_pipeline_is_written_and_the_person_is_told(guard: Project) -> None:
    """Gemini hands no words of a hook to the model before a tool runs."""
    report = ran(guard, write("Jenkinsfile", "x = 1\n"))
    assert text_of(guard, "Jenkinsfile") == "x = 1\n"
    note = "Jenkinsfile runs on servers or builds images: tell the user what you changed"
    assert note in report.told or note in report.err, report


def test_a_protected_file_that_a_program_changed_is_told_and_put_back(guard: Project) -> None:
    guard.write("build/step.py", "open(''.join(map(chr, (46, 101, 110, 118))), 'w').write('x')\n")
    ran(guard, shell("python3 build/step.py"))
    assert text_of(guard, ".env") == "x", "the scenario needs it"
    assert len(events(guard, op="slipped", path=".env")) == 1
    assert guard.run("undo", "--path", ".env", "--yes").code == 0
    assert text_of(guard, ".env") == SECRET


def test_a_command_is_judged_in_the_directory_that_it_names(guard: Project) -> None:
    guard.write("secrets/key.txt", "keep\n")
    command = {"command": "echo x > key.txt", "dir_path": "secrets", "description": "work"}
    report = ran(guard, Use("run_shell_command", command))
    assert text_of(guard, "secrets/key.txt") == "keep\n"
    assert "Protected path: secrets/key.txt" in report.result.text


def test_a_tool_of_an_mcp_server_is_judged_by_the_paths_it_names(guard: Project) -> None:
    tool = "mcp_notes_write_note"
    report = ran(
        guard,
        Use(tool, {"path": str(guard.root / ".env"), "content": "x\n"}),
        Use(tool, {"path": str(guard.root / "note.txt"), "content": "x\n"}),
        mcp=True,
    )
    assert text_of(guard, ".env") == SECRET
    assert text_of(guard, "note.txt") == "x\n"
    assert "Protected path" in report.results[0].text


def test_the_hooks_are_not_switched_off_from_inside(guard: Project) -> None:
    before = text_of(guard, ".gemini/settings.json")
    report = ran(
        guard,
        write(".gemini/settings.json", '{"hooksConfig": {"enabled": false}}'),
        shell("rm -rf .gemini penstock.toml"),
    )
    assert text_of(guard, ".gemini/settings.json") == before
    assert [result.error for result in report.results] == [True, True], report
