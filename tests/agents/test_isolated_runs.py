"""Real agents in an isolated run: whatever they start, files change only through the gate."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from tests.agents.models import Use
from tests.agents.scene import NOTES, SECRET, events, text_of
from tests.agents.session import Claude, Codex, Gemini, Session
from tests.project import Project
from tests.stores.isolation.ground import impossible

CANNOT = impossible()
pytestmark = pytest.mark.skipif(bool(CANNOT), reason=f"NOT TESTED: this kernel cannot: {CANNOT}")

RUN = (sys.executable, "-m", "penstock.cli", "run", "--")
SCRIPT = "#!/bin/sh\necho made by a script > script.txt\necho TOKEN=gone > .env\n"
COMMANDS = (
    "./tool -s 5 compiled.bin",  # a compiled program: nobody can read what it writes
    "sh gen.sh",
    "git add -A . && git -c user.name=a -c user.email=a@b commit -qm 'by an agent'",
)


def claude(root: str) -> list[Use]:
    edit = {"file_path": f"{root}/notes.txt", "old_string": "second", "new_string": "SECOND"}
    return [
        Use("Write", {"file_path": f"{root}/new.py", "content": "x = 1\n"}),
        Use("Read", {"file_path": f"{root}/notes.txt"}),
        Use("Edit", edit),
        *(Use("Bash", {"command": one, "description": "x"}) for one in COMMANDS),
    ]


def codex(root: str) -> list[Use]:
    lines = ["*** Add File: new.py", "+x = 1", "*** Update File: notes.txt", "@@"]
    patch = ["*** Begin Patch", *lines, "-second", "+SECOND", "*** End Patch"]
    calls = [Use("exec_command", {"cmd": one}) for one in COMMANDS]
    return [Use("apply_patch", "\n".join(patch)), *calls]


def gemini(root: str) -> list[Use]:
    edit = {"file_path": f"{root}/notes.txt", "instruction": "c"}
    return [
        Use("write_file", {"file_path": f"{root}/new.py", "content": "x = 1\n"}),
        Use("replace", {**edit, "old_string": "second", "new_string": "SECOND"}),
        *(Use("run_shell_command", {"command": one, "description": "x"}) for one in COMMANDS),
    ]


AGENTS = [(Claude, claude), (Codex, codex), (Gemini, gemini)]


@pytest.fixture
def here(project: Project) -> Project:
    shutil.rmtree(project.root / ".git")
    subprocess.run(["git", "init", "-q", "-b", "main", str(project.root)], check=True)
    project.write(".gitignore", ".env\n")
    project.write(".env", SECRET)
    project.write("notes.txt", NOTES)
    project.write("gen.sh", SCRIPT)
    shutil.copy(str(shutil.which("truncate")), project.root / "tool")
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    for words in (("add", "-A"), (*who, "commit", "-qm", "first")):
        subprocess.run(["git", "-C", project.root, *words], check=True)
    return project


def contents(project: Project) -> dict[str, bytes]:
    found = [one for one in project.root.rglob("*") if one.is_file()]
    named = {str(one.relative_to(project.root)): one.read_bytes() for one in found}
    return {path: data for path, data in named.items() if not path.startswith(".git/")}


@pytest.mark.parametrize(("agent", "steps"), AGENTS, ids=["claude", "codex", "gemini"])
def test_everything_an_agent_starts_changes_files_through_the_gate_only(
    here: Project, agent: type[Session], steps: object, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue(agent.client)
    assert callable(steps)
    before = contents(here)
    report = agent(project=here, steps=steps(str(here.root)), before=RUN).run()
    assert report.code == 0, report
    run = report.err.split("penstock: run ")[1].split()[0]
    assert "1 commit on main" in report.err, report
    assert "1 blocked (.env)" in report.err, report

    after = contents(here)
    changed = {path for path in {*before, *after} if before.get(path) != after.get(path)}
    assert changed == {"new.py", "notes.txt", "compiled.bin", "script.txt"}, report
    assert {one["path"] for one in events(here, op="applied")} == changed
    assert text_of(here, "notes.txt") == NOTES.replace("second", "SECOND")
    assert text_of(here, ".env") == SECRET

    undone = here.run("undo", run, "--yes", "--unseen")
    assert undone.code == 0, undone.err
    assert contents(here) == before
    assert here.run("audit", "verify").code == 0
