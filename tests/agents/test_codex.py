"""The hook inside the real Codex: it cannot ask, so whatever needs a person is denied."""

from __future__ import annotations

import pytest

from tests.agents.models import Use
from tests.agents.scene import (
    BIG,
    LOCK,
    NOTES,
    OWN_RULES,
    SECRET,
    SMALL,
    events,
    guarded,
    proven,
    text_of,
    untouched,
)
from tests.agents.session import Codex, Report
from tests.project import Project

pytestmark = pytest.mark.usefixtures("codex")
BLOCKED = "blocked by PreToolUse hook"


@pytest.fixture
def guard(project: Project) -> Project:
    return guarded(project, "codex")


def ran(project: Project, *steps: Use, mcp: bool = False) -> Report:
    report = Codex(project=project, steps=steps, mcp=mcp).run()
    assert report.code == 0, report
    assert len(report.results) == len(steps), report
    return report


def patch(*lines: str) -> Use:
    return Use("apply_patch", "\n".join(["*** Begin Patch", *lines, "*** End Patch"]))


def shell(command: str) -> Use:
    return Use("exec_command", {"cmd": command})


def test_patches_do_not_add_change_delete_or_move_protected_files(guard: Project) -> None:
    report = ran(
        guard,
        patch("*** Add File: .env.local", "+x"),
        patch("*** Update File: .env", "@@", "-TOKEN=keep-me", "+TOKEN=gone"),
        patch("*** Delete File: .env"),
        patch("*** Update File: notes.txt", "*** Move to: .env.backup", "@@", "-first", "+FIRST"),
    )
    assert [BLOCKED in result.text for result in report.results] == [True] * 4, report
    assert "Protected path: .env.local cannot be modified" in report.results[0].text
    assert untouched(guard)
    assert text_of(guard, ".env.local") is None
    assert text_of(guard, "notes.txt") == NOTES
    denied = events(guard, status="denied", agent="codex")
    assert [event["tool"] for event in denied] == ["apply_patch"] * 4
    assert proven(guard)


def test_one_protected_file_stops_the_whole_patch(guard: Project) -> None:
    report = ran(guard, patch("*** Add File: lib/new.py", "+x = 1", "*** Delete File: .env"))
    assert BLOCKED in report.result.text
    assert text_of(guard, "lib/new.py") is None
    assert text_of(guard, ".env") == SECRET


def test_the_shell_does_not_reach_protected_files(guard: Project) -> None:
    commands = ["echo x > .env", "sed -i s/keep-me/gone/ .env", "cp notes.txt package-lock.json"]
    report = ran(guard, *[shell(command) for command in commands])
    assert [BLOCKED in result.text for result in report.results] == [True] * 3, report
    assert untouched(guard)


def test_the_shell_is_judged_where_it_runs(guard: Project) -> None:
    report = ran(
        guard,
        Use("exec_command", {"cmd": "echo x > config", "workdir": ".git"}),
        Use("exec_command", {"cmd": "echo x > ../.env", "workdir": str(guard.root / "lib")}),
    )
    assert untouched(guard)
    assert ["Protected path" in result.text for result in report.results] == [True, True], report


def test_a_command_that_runs_elsewhere_is_judged_by_the_project_s_rules(project: Project) -> None:
    guarded(project, "codex", rules=OWN_RULES)
    project.write("db/schema.sql", "old\n")
    (project.root / "vendor" / "lib" / ".git").mkdir(parents=True)
    schema = project.root / "db" / "schema.sql"
    report = ran(
        project,
        Use("exec_command", {"cmd": "echo x > ../../db/schema.sql", "workdir": "vendor/lib"}),
        Use("exec_command", {"cmd": f"echo x > {schema}", "workdir": str(project.home)}),
    )
    assert schema.read_text() == "old\n"
    assert [BLOCKED in result.text for result in report.results] == [True, True], report


def test_a_patch_typed_into_the_shell_is_read_as_a_patch(guard: Project) -> None:
    """Codex applies it by itself, and calls it a shell command."""
    body = "*** Begin Patch\n*** Update File: .env\n@@\n-TOKEN=keep-me\n+TOKEN=gone\n*** End Patch"
    report = ran(guard, shell(f"apply_patch <<'EOF'\n{body}\nEOF\n"))
    assert BLOCKED in report.result.text, report
    assert text_of(guard, ".env") == SECRET


def test_replacing_most_of_a_large_file_is_denied_because_nobody_can_be_asked(
    guard: Project,
) -> None:
    gone = [f"-{line}" for line in BIG.removeprefix(SMALL).splitlines()]
    report = ran(guard, patch("*** Update File: lib/big.py", "@@", *gone))
    assert text_of(guard, "lib/big.py") == BIG
    assert BLOCKED in report.result.text
    assert "214 of 270 lines" in report.result.text


def test_other_writes_are_made_and_can_be_undone(guard: Project) -> None:
    report = ran(
        guard,
        patch("*** Add File: lib/new.py", "+x = 1"),
        patch("*** Update File: notes.txt", "@@", "-first", "+FIRST"),
        shell("echo y > lib/y.txt"),
    )
    assert BLOCKED not in "".join(result.text for result in report.results), report
    assert text_of(guard, "lib/new.py") == "x = 1\n"
    assert text_of(guard, "lib/y.txt") == "y\n"
    assert text_of(guard, "notes.txt") == NOTES.replace("first", "FIRST")
    assert guard.run("undo", "--path", "notes.txt", "--yes").code == 0
    assert text_of(guard, "notes.txt") == NOTES


def test_a_pipeline_is_written_and_the_model_is_told(guard: Project) -> None:
    report = ran(guard, patch("*** Add File: .gitlab-ci.yml", "+x: 1"))
    assert text_of(guard, ".gitlab-ci.yml") == "x: 1\n"
    note = ".gitlab-ci.yml runs on servers or builds images: tell the user what you changed"
    assert note in report.told


def test_a_protected_file_that_a_program_changed_is_told_and_put_back(guard: Project) -> None:
    guard.write("build/step.py", "open(''.join(map(chr, (46, 101, 110, 118))), 'w').write('x')\n")
    report = ran(guard, shell("python3 build/step.py"))
    assert text_of(guard, ".env") == "x", "the scenario needs it"
    assert "protected files (.env)" in report.told, report
    assert len(events(guard, op="slipped", path=".env")) == 1
    assert guard.run("undo", "--path", ".env", "--yes").code == 0
    assert text_of(guard, ".env") == SECRET


def test_a_tool_of_an_mcp_server_is_judged_by_the_paths_it_names(guard: Project) -> None:
    report = ran(
        guard,
        Use("mcp__notes/write_note", {"path": str(guard.root / ".env"), "content": "x\n"}),
        Use("mcp__notes/write_note", {"path": str(guard.root / "note.txt"), "content": "x\n"}),
        mcp=True,
    )
    assert text_of(guard, ".env") == SECRET
    assert text_of(guard, "note.txt") == "x\n"
    assert "Protected path" in report.results[0].text


def test_broken_rules_still_protect(guard: Project) -> None:
    guard.write("penstock.toml", "version = 1\n[[deny]\n")
    report = ran(guard, patch("*** Delete File: .env"), shell("echo x > package-lock.json"))
    assert text_of(guard, ".env") == SECRET
    assert text_of(guard, "package-lock.json") == LOCK
    assert [BLOCKED in result.text for result in report.results] == [True, True], report


def test_the_hooks_are_not_switched_off_from_inside(guard: Project) -> None:
    before = text_of(guard, ".codex/hooks.json")
    report = ran(
        guard,
        patch("*** Delete File: .codex/hooks.json"),
        shell("echo '{}' > .codex/hooks.json"),
        shell("rm -rf .codex penstock.toml"),
    )
    assert text_of(guard, ".codex/hooks.json") == before
    assert [BLOCKED in result.text for result in report.results] == [True] * 3, report
