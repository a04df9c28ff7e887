"""A broken rules file on a machine that never read a good one: the gate stays, and says so."""

from __future__ import annotations

import json

import pytest

from tests.doors.hook.hooks import Hook
from tests.project import Project

BIG = "".join(f"line {n}\n" for n in range(1, 271))


@pytest.mark.parametrize("text", ["this is no TOML", 'preset = "guard"\n[', "oops = 1\n"])
def test_the_gate_for_replaced_files_stays_on_and_every_answer_says_degraded(
    project: Project, text: str
) -> None:
    project.write("penstock.toml", text)
    project.write("big.py", BIG)
    hook = Hook(project)
    for given, denied in (
        ({"file_path": hook.at("big.py"), "content": "short\n"}, True),
        ({"file_path": hook.at(".env"), "content": "x"}, True),
        ({"file_path": hook.at("a.txt"), "content": "x"}, False),
    ):
        done = hook.before("Write", given)
        said = json.loads(done.out)
        decision = said.get("hookSpecificOutput", {}).get("permissionDecision")
        assert (decision == "deny") is denied, given
        assert "degraded: the policy is broken" in done.out, given
        assert denied or "degraded" in said["systemMessage"], "the person sees it, too"
    judged = project.judge("Write", {"file_path": "a.txt", "content": "x"}, "--json")
    assert "degraded" in judged.json["degraded"]
    assert "degraded" in hook.call("SessionStart", "", {}).out
    assert "degraded" in project.run("status", "--json").out
    assert "degraded" in project.run("doctor").out


def test_strict_rules_that_are_broken_stay_strict(project: Project) -> None:
    project.write("penstock.toml", 'preset = "strict"\n[[deny]\n')
    done = Hook(project).before("Bash", {"command": 'eval "$(cat script)"'})
    assert json.loads(done.out)["hookSpecificOutput"]["permissionDecision"] == "deny"
