"""A broken rules file on a machine that never read a good one: the gate stays, and says so."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass

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
        assert "the rules are broken: " in done.out, given
        assert denied or "the rules are broken" in said["systemMessage"], "the person sees it, too"
    judged = project.judge("Write", {"file_path": "a.txt", "content": "x"}, "--json")
    assert "the rules are broken" in judged.json["degraded"]
    assert "The rules are broken: " in hook.call("SessionStart", "", {}).out
    assert "the rules are broken" in project.run("status", "--json").out
    assert "the rules are broken" in project.run("doctor").out


def test_strict_rules_that_are_broken_stay_strict(project: Project) -> None:
    project.write("penstock.toml", 'preset = "strict"\n[[deny]\n')
    done = Hook(project).before("Bash", {"command": 'eval "$(cat script)"'})
    assert json.loads(done.out)["hookSpecificOutput"]["permissionDecision"] == "deny"


# How the state cannot be written; {state} is where it is, {file} a plain file.
READ_ONLY = 'mount --bind "{state}" "{state}" && mount -o remount,ro,bind "{state}"'
HIDDEN = 'mount -t tmpfs -o ro none "{state}"'
FULL = (
    'mount -t tmpfs -o size=64k,mode=700 none "{state}" && mkdir -m 700 "{state}/penstock" && '
    '{{ dd if=/dev/zero of="{state}/fill" bs=1k 2>/dev/null; true; }}'
)
MOUNTS = {"read-only": READ_ONLY, "hidden": HIDDEN, "full": FULL}
PLACES = {"no directory": "/dev/null/x", "not to be made": "/proc/x", "a file": "{file}"}
TOOLS: list[tuple[str, dict[str, str]]] = [
    ("Write", {"file_path": "{root}/a.txt", "content": "x"}),
    ("Edit", {"file_path": "{root}/b.txt", "old_string": "one", "new_string": "two"}),
    ("Bash", {"command": "ls"}),
    ("mcp__notes__write_note", {"path": "{root}/m.txt", "content": "x"}),
]
SECRETS: list[tuple[str, dict[str, str]]] = [
    ("Write", {"file_path": "{root}/.env", "content": "x"}),
    ("Bash", {"command": "echo x > .env"}),
    ("mcp__notes__write_note", {"path": "{root}/.env", "content": "x"}),
]


@dataclass
class Unwritable:
    """A project whose state cannot be written, in a mount namespace where that needs one."""

    hook: Hook
    wrap: list[str]
    env: dict[str, str]

    def ask(self, tool: str, given: Mapping[str, str]) -> Done:
        filled = {key: value.format(root=self.hook.project.root) for key, value in given.items()}
        data = json.dumps(self.hook.document("PreToolUse", tool, filled, "t1")).encode()
        return self._run(
            [sys.executable, "-I", "-S", PATIENT, LAUNCHER, "claude"],
            {**self.hook.environ(), **self.env},
            data,
        )

    def doctor(self) -> Done:
        environ = {**self.hook.project.environ, **self.env}
        return self._run([sys.executable, "-m", "penstock.cli", "doctor"], environ)

    def _run(self, words: list[str], env: Mapping[str, str], data: bytes = b"") -> Done:
        done = subprocess.run(
            [*self.wrap, *words],
            input=data,
            env=env,
            cwd=self.hook.project.root,
            capture_output=True,
            timeout=120,
            check=False,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture
def unwritable(project: Project, request: pytest.FixtureRequest) -> Unwritable:
    how = str(request.param)
    project.write("penstock.toml", 'preset = "guard"\n')
    project.write("b.txt", "one\n")
    hook = Hook(project)
    hook.write("notes.txt", "x")
    if how in PLACES:
        file = project.write("plain.txt", "x")
        return Unwritable(hook, [], {"XDG_STATE_HOME": PLACES[how].format(file=file)})
    mount = MOUNTS[how].format(state=project.home / "state")
    wrap = ["unshare", "--mount", "--map-root-user", "sh", "-c", f'{mount} && exec "$@"', "sh"]
    if subprocess.run([*wrap, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no mount namespaces here")
    return Unwritable(hook, wrap, {})


@pytest.mark.parametrize("unwritable", [*MOUNTS, *PLACES], indirect=True)
def test_a_state_that_cannot_be_written_is_said_and_denied_where_the_rules_say_so(
    unwritable: Unwritable,
) -> None:
    for tool, given in TOOLS:
        done = unwritable.ask(tool, given)
        assert verdict(done) == "allow", (tool, done)
        assert "not in the audit log" in done.err, (tool, done)
        assert "not in the audit log" in json.loads(done.out)["systemMessage"], (tool, done)
    for tool, given in SECRETS:
        assert verdict(unwritable.ask(tool, given)) == "deny", (tool, given)
    assert "is not writable" in unwritable.doctor().out
    rules = 'preset = "strict"\n[defaults]\nwrite = "allow"\ncreate = "allow"\n'
    unwritable.hook.project.write("penstock.toml", rules)
    for tool, given in (*TOOLS, *SECRETS):
        assert verdict(unwritable.ask(tool, given)) == "deny", (tool, given)
