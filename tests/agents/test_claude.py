"""The hook that `penstock init` registers, inside the real Claude Code.

Claude Code runs headless and with every permission, so whatever is refused here was refused by
the hook. Each scenario looks at the disk, at what the model was told, and at the record.
"""

from __future__ import annotations

import json
import shlex
import sys

import pytest

from penstock.core.proposals.short_id import short
from tests.agents.models import Say, Use
from tests.agents.scene import (
    BIG,
    LOCK,
    NOTES,
    SECRET,
    SMALL,
    events,
    guarded,
    proven,
    text_of,
    untouched,
)
from tests.agents.session import Claude, Report
from tests.project import Project
from tests.terminal import in_terminal

pytestmark = pytest.mark.usefixtures("claude")


@pytest.fixture
def guard(project: Project) -> Project:
    return guarded(project, "claude")


def ran(project: Project, *steps: Use, mcp: bool = False) -> Report:
    report = Claude(project=project, steps=steps, mcp=mcp).run()
    assert report.code == 0, report
    assert len(report.results) == len(steps), report
    return report


def write(path: str, content: str) -> Use:
    return Use("Write", {"file_path": path, "content": content})


def edit(path: str, old: str, new: str) -> Use:
    return Use("Edit", {"file_path": path, "old_string": old, "new_string": new})


def bash(command: str) -> Use:
    return Use("Bash", {"command": command, "description": "work"})


# Denied, told, passed


def test_writing_a_protected_file_is_denied_and_recorded(guard: Project) -> None:
    report = ran(guard, write(".env", "x\n"))
    assert text_of(guard, ".env") == SECRET
    assert report.result.error
    assert "Protected path: .env cannot be modified" in report.result.text
    (event,) = events(guard, path=".env", status="denied", rule="env-files")
    assert (event["agent"], event["tool"]) == ("claude", "Write")
    assert proven(guard)


def test_editing_a_lock_file_is_denied_and_the_way_out_is_named(guard: Project) -> None:
    report = ran(guard, edit("package-lock.json", "3", "4"))
    assert text_of(guard, "package-lock.json") == LOCK
    assert "Protected path: package-lock.json cannot be modified" in report.result.text
    assert "package manager" in report.result.text


def test_agent_instructions_are_written_and_the_model_is_told(guard: Project) -> None:
    report = ran(guard, write("AGENTS.md", "Use tabs.\n"))
    assert text_of(guard, "AGENTS.md") == "Use tabs.\n"
    assert not report.result.error
    note = (
        "AGENTS.md contains instructions for later agent sessions: tell the user what you changed"
    )
    assert note in report.result.also, report
    assert '"permissionDecision": "allow"' not in report.told


def test_a_new_file_passes_without_a_word(guard: Project) -> None:
    report = ran(guard, write("lib/new.py", "x = 1\n"))
    assert text_of(guard, "lib/new.py") == "x = 1\n"
    assert not report.result.error
    assert "enstock" not in report.result.text + report.result.also


# Substantial changes


def test_replacing_most_of_a_large_file_is_refused_with_what_would_be_lost(guard: Project) -> None:
    report = ran(guard, write("lib/big.py", SMALL))
    assert text_of(guard, "lib/big.py") == BIG
    assert report.result.error
    said = "Denied: this removes 214 of 270 lines of lib/big.py (79 %). "
    assert report.result.text.startswith(f"{said}Edit only the lines that change. ")
    assert events(guard, path="lib/big.py", rule="substantial-change")


def test_two_lines_of_a_large_file_are_edited_without_a_word(guard: Project) -> None:
    report = ran(guard, edit("lib/big.py", "value_7 = 7\nvalue_8 = 8\n", "value_7 = 70\n"))
    assert text_of(guard, "lib/big.py") == BIG.replace(
        "value_7 = 7\nvalue_8 = 8\n", "value_7 = 70\n"
    )
    assert not report.result.error
    assert "enstock" not in report.result.text + report.result.also


def test_an_edit_that_takes_out_most_of_a_large_file_is_refused_too(guard: Project) -> None:
    report = ran(guard, edit("lib/big.py", BIG.removeprefix(SMALL), ""))
    assert text_of(guard, "lib/big.py") == BIG
    assert "214 of 270 lines" in report.result.text


# The shell


BYPASSES = {
    "redirect": "echo x > .env",
    "append": "echo x >> ./.env",
    "in a chain": "true && cd lib && echo x > ../.env",
    "tee": "echo x | tee .env",
    "sed": "sed -i s/keep-me/gone/ .env",
    "copy": "cp notes.txt .env",
    "move": "mv notes.txt .env",
    "remove": "rm -f .env",
    "python": "python3 -c \"open('.env','w').write('x')\"",
    "here document": "cat > .env <<'EOF'\nx\nEOF",
    "nested shell": "bash -c 'echo x > .env'",
    "variable": "F=.env; echo x > $F",
    "git": "git config --file .git/config core.hooksPath /tmp/x",
    "dd": "dd if=notes.txt of=.env",
    "link": "ln -sf notes.txt .env",
}


def test_no_way_through_the_shell_reaches_a_protected_file(guard: Project) -> None:
    report = ran(guard, *[bash(command) for command in BYPASSES.values()])
    assert untouched(guard)
    assert text_of(guard, "notes.txt") == NOTES
    through = [name for name, r in zip(BYPASSES, report.results, strict=True) if not r.error]
    assert through == []
    assert len(events(guard, status="denied")) == len(BYPASSES)


def test_a_command_that_writes_nothing_protected_runs(guard: Project) -> None:
    report = ran(guard, bash("echo fourth >> notes.txt && cat notes.txt"))
    assert text_of(guard, "notes.txt") == NOTES + "fourth\n"
    assert "fourth" in report.result.text


def test_a_large_file_is_not_emptied_through_the_shell(guard: Project) -> None:
    report = ran(guard, bash("head -n 3 lib/big.py > /tmp/x.$$; : > lib/big.py"))
    assert text_of(guard, "lib/big.py") == BIG
    assert report.result.error


def test_the_shell_is_judged_where_it_stands_and_monitors_are_shells_too(guard: Project) -> None:
    report = ran(
        guard,
        bash("cd .git"),
        bash("echo x > config"),
        Use("ToolSearch", {"query": "select:Monitor"}),
        Use("Monitor", {"command": "echo x > ../.env", "description": "d", "timeout_ms": 5000}),
        Use("Bash", {"command": "echo x > ../.env", "run_in_background": True}),
    )
    assert untouched(guard)
    assert ["Protected path" in r.text for r in report.results] == [False, True, False, True, True]


# Links and spellings


def test_a_link_does_not_hide_where_a_write_lands(guard: Project) -> None:
    (guard.root / "innocent").symlink_to(".git")
    (guard.root / "readme.txt").symlink_to(".env")
    report = ran(
        guard,
        write("innocent/config", "[core]\nhooksPath = x\n"),
        write("readme.txt", "x\n"),
        bash("echo x > innocent/config"),
        write(f"{guard.root}/lib/../.env", "x\n"),
    )
    assert untouched(guard)
    assert ["Protected path" in result.text for result in report.results] == [True] * 4, report


def test_a_link_out_of_the_project_is_no_way_out(project: Project) -> None:
    rules = 'version = 1\npreset = "guard"\noutside_project = "deny"\n'
    guarded(project, "claude", rules=rules)
    outside = project.home.parent / "outside"
    outside.mkdir()
    (project.root / "link").symlink_to(outside)
    report = ran(project, write("link/x.txt", "x\n"), bash("echo x > link/y.txt"))
    assert list(outside.iterdir()) == []
    assert [result.error for result in report.results] == [True, True], report
    assert len(events(project, status="denied")) == 2


# Switching the hook off


DISABLED = json.dumps({"disableAllHooks": True})

# Writes the settings, and waits until Claude Code has noticed and asked about them.
STEP = f"""
import os, pathlib, time
max(pathlib.Path('.').rglob('settings.l*.json')).write_text({DISABLED!r})
end = time.monotonic() + 20
while time.monotonic() < end:
    state = pathlib.Path(os.environ['XDG_STATE_HOME'])
    if any(b'settings_refused' in log.read_bytes() for log in state.rglob('audit.jsonl')):
        break
    time.sleep(0.1)
"""


def test_settings_that_switch_hooks_off_are_not_written(guard: Project) -> None:
    settings = text_of(guard, ".claude/settings.local.json")
    program = f"max(pathlib.Path('.').rglob('settings.l*.json')).write_text({DISABLED!r})"
    report = ran(
        guard,
        write(".claude/settings.local.json", DISABLED),
        write(".claude/settings.json", "{}"),
        bash(f"python3 -c {shlex.quote(program)}"),
        bash("rm -r .claude"),
        write("penstock.toml", "version = 1\n"),
        write(".env", "x\n"),
    )
    assert [result.error for result in report.results] == [True] * 6, report
    assert text_of(guard, ".claude/settings.local.json") == settings
    assert text_of(guard, ".claude/settings.json") is None
    assert untouched(guard)


def test_the_state_is_not_removed_as_a_whole(guard: Project) -> None:
    state = guard.home / "state" / "penstock"
    report = ran(
        guard,
        bash(f"rm -rf {state}"),
        bash(f"mv {state} {guard.home}/x"),
        bash(f"rm -r {state}/.."),
    )
    assert list(state.glob("*/audit.jsonl"))
    assert [result.error for result in report.results] == [True] * 3, report


def test_a_settings_change_that_slips_through_does_not_switch_the_hook_off(guard: Project) -> None:
    """What a program of the project does cannot be told beforehand: the change is blocked."""
    guard.write("build/step.py", STEP)
    report = ran(
        guard,
        bash("python3 build/step.py"),
        write(".env", "x\n"),
        write("lib/after.py", "x = 1\n"),
    )
    assert text_of(guard, ".claude/settings.local.json") == DISABLED, "the scenario needs it"
    assert untouched(guard)
    assert "Protected path" in report.results[1].text
    assert not report.results[2].error
    assert len(events(guard, op="settings_refused")) == 1


# Other tools


NOTEBOOK = {
    "cells": [
        {
            "cell_type": "code",
            "id": "c1",
            "metadata": {},
            "outputs": [],
            "execution_count": None,
            "source": ["x = 1"],
        }
    ],
    "metadata": {"language_info": {"name": "python"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}


def test_notebooks_are_judged_like_files(guard: Project) -> None:
    text = json.dumps(NOTEBOOK)
    guard.write("secrets/n.ipynb", text)
    guard.write("n.ipynb", text)
    change = {"cell_id": "c1", "new_source": "x = 2", "edit_mode": "replace"}
    report = ran(
        guard,
        Use("Read", {"file_path": "n.ipynb"}),
        Use("NotebookEdit", {"notebook_path": "n.ipynb", **change}),
        Use("NotebookEdit", {"notebook_path": "secrets/n.ipynb", **change}),
    )
    assert "x = 2" in (text_of(guard, "n.ipynb") or "")
    assert text_of(guard, "secrets/n.ipynb") == text
    assert report.results[2].error


def test_a_tool_of_an_mcp_server_is_judged_by_the_paths_it_names(guard: Project) -> None:
    tool = "mcp__notes__write_note"
    report = ran(
        guard,
        Use(tool, {"path": str(guard.root / ".env"), "content": "x\n"}),
        Use(tool, {"path": str(guard.root / "note.txt"), "content": "x\n"}),
        mcp=True,
    )
    assert text_of(guard, ".env") == SECRET
    assert text_of(guard, "note.txt") == "x\n"
    assert [result.error for result in report.results] == [True, False], report
    assert "Protected path" in report.results[0].text


def test_a_subagent_is_held_to_the_same_rules(guard: Project) -> None:
    task = {"description": "d", "prompt": "SUBTASK", "subagent_type": "general-purpose"}
    Claude(
        project=guard,
        steps=[Use("Agent", {**task, "run_in_background": False}), Say()],
        parts={"SUBTASK": [write(".env", "x\n"), write("sub.txt", "x\n"), Say("sub done")]},
    ).run()
    assert text_of(guard, ".env") == SECRET
    assert text_of(guard, "sub.txt") == "x\n"
    assert len(events(guard, path=".env", status="denied")) == 1


# Proposals and undo


def test_a_proposed_write_is_made_by_penstock_once_a_person_approves(project: Project) -> None:
    guarded(project, "claude", rules='version = 1\npreset = "guard"\nmode = "propose"\n')
    report = ran(project, write("lib/big.py", SMALL), write("lib/new.py", "x = 1\n"))
    assert text_of(project, "lib/big.py") == BIG
    assert report.results[0].error
    (waiting,) = project.run("proposals", "--json").json["proposals"]
    assert waiting["path"] == "lib/big.py"
    assert f"penstock approve {short(waiting['id'])}`" in report.results[0].text
    assert "penstock review" in report.results[0].text
    assert not report.results[1].error, "the agent goes on"
    seen = in_terminal(project, "approve", waiting["id"], typed=[("[y/N]", "y")])
    assert seen.code == 0, seen.text
    assert text_of(project, "lib/big.py") == SMALL
    assert [e["op"] for e in events(project, path="lib/big.py")][-1] == "applied"
    assert proven(project)


def test_what_the_agent_wrote_itself_can_be_undone(guard: Project) -> None:
    ran(guard, write("notes.txt", "mine now\n"))
    assert text_of(guard, "notes.txt") == "mine now\n"
    done = guard.run("undo", "--last", "1", "--yes")
    assert done.code == 0, done
    assert text_of(guard, "notes.txt") == NOTES
    assert proven(guard)


def test_what_a_command_wrote_can_be_undone(guard: Project) -> None:
    ran(guard, bash("echo mine > notes.txt"))
    assert text_of(guard, "notes.txt") == "mine\n"
    done = guard.run("undo", "--last", "1", "--yes")
    assert done.code == 0, done
    assert text_of(guard, "notes.txt") == NOTES


def test_what_a_failing_command_wrote_can_be_undone(guard: Project) -> None:
    ran(guard, bash("echo mine > notes.txt; exit 3"))
    assert text_of(guard, "notes.txt") == "mine\n"
    assert guard.run("undo", "--last", "1", "--yes").code == 0
    assert text_of(guard, "notes.txt") == NOTES


def test_a_protected_file_that_a_program_changed_is_told_and_put_back(guard: Project) -> None:
    """What a program writes cannot be told beforehand; afterwards the file is compared."""
    guard.write("build/step.py", "open(''.join(map(chr, (46, 101, 110, 118))), 'w').write('x')\n")
    report = ran(guard, bash("python3 build/step.py"))
    assert text_of(guard, ".env") == "x", "the scenario needs it"
    assert ".env" in report.result.also, report
    assert len(events(guard, op="slipped", path=".env")) == 1
    assert guard.run("status", "--json").json["slipped"] == [".env"]
    assert guard.run("undo", "--path", ".env", "--yes").code == 0
    assert text_of(guard, ".env") == SECRET


def test_the_agent_s_own_shell_neither_undoes_nor_uninstalls(guard: Project) -> None:
    penstock = shlex.join([sys.executable, "-m", "penstock.cli"])
    report = ran(
        guard,
        write("notes.txt", "mine now\n"),
        bash(f"{penstock} undo --last 1 --yes"),
        bash(f"{penstock} uninstall --yes"),
        write(".env", "x\n"),
    )
    assert text_of(guard, "notes.txt") == "mine now\n"
    assert [result.error for result in report.results[1:]] == [True] * 3, report
    assert untouched(guard)
