"""A broken rules file on a machine that never read a good one: the gate stays, and says so."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.doors.hook.hooks import LAUNCHER, PATIENT, Hook
from tests.doors.hook.test_faults import verdict
from tests.project import Done, Project

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


@pytest.mark.parametrize("place", ["/dev/null/x", "/proc/x", "read-only"])
def test_a_state_that_is_read_only_or_hidden_is_said_and_denied_where_the_rules_say_so(
    project: Project, place: str
) -> None:
    project.write("penstock.toml", 'preset = "guard"\n')
    hook = Hook(project)
    env = {"XDG_STATE_HOME": place}
    wrap: list[str] = []
    if place == "read-only":
        hook.write("notes.txt", "x")
        kept = project.home / "state"
        mounted = (
            f'mount --bind "{kept}" "{kept}" && mount -o remount,ro,bind "{kept}" && exec "$@"'
        )
        wrap = ["unshare", "--mount", "--map-root-user", "sh", "-c", mounted, "sh"]
        env = {}
        if subprocess.run([*wrap, "true"], capture_output=True, check=False).returncode:
            pytest.skip("no mount namespaces here")
    for rules, path, expected in (
        ("guard", "a.txt", "allow"),
        ("guard", ".env", "deny"),
        ("strict", "docs/a.txt", "deny"),
    ):
        project.write("penstock.toml", f'preset = "{rules}"\n')
        given = {"file_path": hook.at(path), "content": "x"}
        done = subprocess.run(
            [*wrap, sys.executable, "-I", "-S", PATIENT, LAUNCHER, "claude"],
            input=json.dumps(hook.document("PreToolUse", "Write", given, "t1")).encode(),
            env={**hook.environ(), **env},
            cwd=project.root,
            capture_output=True,
            timeout=120,
            check=False,
        )
        answer = Done(done.returncode, done.stdout.decode(), done.stderr.decode())
        assert verdict(answer) == expected, (rules, path, answer)
        assert expected == "deny" or "not in the audit log" in answer.err
        assert (
            expected == "deny" or "not in the audit log" in json.loads(answer.out)["systemMessage"]
        )
    if not wrap:
        told = project.run("doctor", env=env).out
        assert "cannot be written" in told
