"""The hook process denies commands for people, cold and warm, whatever they are wrapped in."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from penstock.doors.hook.daemon_client import launch
from tests.core.shell.own_rows import ATTACKS, BENIGN, rows
from tests.core.shell.own_spellings import LOOKALIKES, SPELLINGS
from tests.doors.hook.hooks import Hook, said
from tests.project import Project

# What an agent reads: that only people run it, and what it does instead.
FOR_PEOPLE = re.compile(
    r"Denied: (only a person may run `[^`]+`, which [^.]+\. "
    r"Ask the user to run it in their own terminal"
    r"|only a person may run `[^`]+` on the active rules\. "
    r"Add `--dry-run` to see the effect, and ask the user to run it"
    r"|can't predict which `[^`]+` command this runs, and some are for people only\. "
    r"Write the command out, without variables or substitutions)\."
)
OPERATION = '{"type": "remove_rule", "id": "x", "target_file": "%s"}'


def made(root: Path, rules: str = 'preset = "guard"\n') -> Hook:
    project = Project(root=root / "project", home=root / "home")
    project.home.mkdir(parents=True)
    project.write("penstock.toml", rules)
    project.write(".venv/bin/penstock", "")  # a pattern may name it
    return Hook(project)


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hook]:
    """A hook whose questions a background server answers."""
    hook = made(tmp_path_factory.mktemp("warm"))
    hook.resident = "on"
    child = subprocess.Popen(
        launch("penstock.doors.hook.daemon"), env=hook.environ(), stderr=subprocess.DEVNULL
    )
    try:
        for _ in range(600):
            if any(path.is_socket() for path in hook.project.home.glob("state/penstock/engine-*")):
                break
            time.sleep(0.05)
        yield hook
    finally:
        child.kill()
        child.wait(timeout=30)


def reason(hook: Hook, command: str) -> str:
    """Return why the hook process denies a command, "" where it does not."""
    answer = said(hook.before("Bash", {"command": command}))
    denied = answer.get("permissionDecision") == "deny"
    return str(answer["permissionDecisionReason"]) if denied else ""


# The core's own test walks all spellings; here every fourth goes through the process.
@pytest.mark.parametrize("command", rows(ATTACKS) + rows(SPELLINGS)[::4])
def test_a_command_for_people_is_denied(warm: Hook, command: str) -> None:
    assert FOR_PEOPLE.fullmatch(reason(warm, command))


@pytest.mark.parametrize("command", rows(BENIGN))
def test_what_only_looks_like_one_is_not_denied(warm: Hook, command: str) -> None:
    assert reason(warm, command) == ""


# The rules may have something against some of these (`git stash`), but not this.
@pytest.mark.parametrize("command", rows(LOOKALIKES)[::2])
def test_a_lookalike_is_not_taken_for_a_command_for_people(warm: Hook, command: str) -> None:
    told = reason(warm, command)
    assert "only a person may run" not in told
    assert "for people only" not in told


# Every eleventh row also without a background server: the same engine, in the hook's own process.
@pytest.mark.parametrize("command", rows(ATTACKS)[::11])
def test_a_command_for_people_is_denied_by_a_cold_hook(tmp_path: Path, command: str) -> None:
    assert FOR_PEOPLE.fullmatch(reason(made(tmp_path), command))


WHATEVER_THE_RULES = [
    "",
    'version = 1\n[defaults]\nrun = "allow"\nunclear = "allow"\n',
    'preset = "guard"\n[[allow]]\nid = "all"\ntool = "Bash"\ncommand_regex = ".*"\n',
    "this is no toml [",
]


@pytest.mark.parametrize("rules", WHATEVER_THE_RULES)
def test_no_rules_file_allows_a_command_for_people(tmp_path: Path, rules: str) -> None:
    hook = made(tmp_path, rules)
    told = reason(hook, "penstock approve 3f2a")
    assert told.startswith(
        "Denied: only a person may run `penstock approve`, which approves a pending change"
    )
    assert told.endswith(". Ask the user to run it in their own terminal.")
    allowed = hook.before("Bash", {"command": "penstock status"})  # broken rules are told of
    assert '"deny"' not in allowed.out


def test_the_reason_is_one_plain_sentence_and_is_on_the_record(tmp_path: Path) -> None:
    hook = made(tmp_path)
    assert reason(hook, "tmux send-keys 'penstock approve 3f2a' Enter") == (
        "Denied: only a person may run `penstock approve`, which approves a pending change. "
        "Ask the user to run it in their own terminal."
    )
    last = hook.events()[-1]
    assert (last["status"], last["code"]) == ("denied", "for-people")
    assert last["rules"] == ["penstock-people"]


def test_other_tools_that_run_commands_are_denied_as_well(warm: Hook) -> None:
    for tool in ("mcp__shell__execute_command", "run_shell_command", "shell"):
        answer = said(warm.before(tool, {"command": "penstock approve 3f2a"}))
        assert answer["permissionDecision"] == "deny", tool


IN_FORCE = ["penstock.toml", "./penstock.toml", "rules/team.toml", "../project/penstock.toml"]


@pytest.mark.parametrize("program", ["penstock rules", "decision_reviewer"])
@pytest.mark.parametrize("file", IN_FORCE)
def test_an_edit_of_the_rules_in_force_is_denied(tmp_path: Path, program: str, file: str) -> None:
    hook = made(tmp_path, 'preset = "guard"\n[includes]\nfiles = ["rules/team.toml"]\n')
    hook.project.write("rules/team.toml", "version = 1\n")
    switch = "DECISION_REVIEWER_ALLOW_WRITES=1"
    by_name = f"{switch} {program} apply --json '{OPERATION % file}'"
    told = reason(hook, by_name)
    assert "on the active rules" in told
    assert "--dry-run" in told
    by_option = f'{switch} {program} apply --json \'{{"type": "batch"}}\' --target-file {file}'
    assert "on the active rules" in reason(hook, by_option)
    assert reason(hook, f"{by_name} --dry-run") == ""


def test_an_edit_of_other_rules_is_left_to_the_write_switch(tmp_path: Path) -> None:
    hook = made(tmp_path)
    command = f"decision_reviewer apply --json '{OPERATION % 'examples/other.toml'}'"
    assert reason(hook, command) == ""
