"""Real agents in an isolated run: whatever they start, files change only through the gate.

As root and as an ordinary user, with and without the agents' own sandboxes inside. Claude Code's
takes bubblewrap and socat, Gemini CLI's takes bubblewrap; Codex brings its own. `gemini --sandbox`
is another thing: it starts a container, and a run has no way to Docker.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pytest

from tests.agents.models import Use
from tests.agents.scene import NOTES, SECRET, events, text_of
from tests.agents.session import Claude, Codex, Gemini, Report, Session
from tests.ordinary_user import OrdinaryProject, not_here, ordinary_project
from tests.project import Project
from tests.stores.isolation.ground import impossible

CANNOT = impossible()
pytestmark = pytest.mark.skipif(bool(CANNOT), reason=f"NOT TESTED: this kernel cannot: {CANNOT}")

RUN = (sys.executable, "-m", "penstock.cli", "run", "--")
PATIENCE_SECONDS = 300
MADE = "#!/bin/sh\necho made by a script > script.txt\n"
SCRIPT = f"{MADE}echo TOKEN=gone > .env\n"
HOLDS = "the box holds"
# A home directory is writable in a run, and not in a sandbox of an agent.
BOX_TRIED = "touch $HOME/outside 2>&1 || printf 'the box %s' holds"
COMMANDS = (
    BOX_TRIED,
    "./tool -s 5 compiled.bin",  # a compiled program: nobody can read what it writes
    "sh gen.sh",
    "git add new.py script.txt && git -c user.name=a -c user.email=a@b commit -qm 'by an agent'",
)
CHANGED = {"new.py", "notes.txt", "compiled.bin", "script.txt"}


def claude_steps(root: str) -> list[Use]:
    edit = {"file_path": f"{root}/notes.txt", "old_string": "second", "new_string": "SECOND"}
    return [
        Use("Write", {"file_path": f"{root}/new.py", "content": "x = 1\n"}),
        Use("Read", {"file_path": f"{root}/notes.txt"}),
        Use("Edit", edit),
        *(Use("Bash", {"command": one, "description": "x"}) for one in COMMANDS),
    ]


def codex_steps(root: str) -> list[Use]:
    lines = ["*** Add File: new.py", "+x = 1", "*** Update File: notes.txt", "@@"]
    patch = ["*** Begin Patch", *lines, "-second", "+SECOND", "*** End Patch"]
    calls = [Use("exec_command", {"cmd": one}) for one in COMMANDS]
    return [Use("apply_patch", "\n".join(patch)), *calls]


def gemini_steps(root: str) -> list[Use]:
    edit = {"file_path": f"{root}/notes.txt", "instruction": "c"}
    return [
        Use("write_file", {"file_path": f"{root}/new.py", "content": "x = 1\n"}),
        Use("replace", {**edit, "old_string": "second", "new_string": "SECOND"}),
        *(Use("run_shell_command", {"command": one, "description": "x"}) for one in COMMANDS),
    ]


@dataclass(frozen=True, kw_only=True)
class Row:
    """An agent, what its model does, and what else its own sandbox leaves or keeps it from."""

    agent: type[Session]
    steps: Callable[[str], list[Use]]
    boxed: bool = False
    script: str = SCRIPT
    litter: frozenset[str] = frozenset()  # what the agent's sandbox puts into the project

    @property
    def name(self) -> str:
        return f"{self.agent.client}{'-boxed' if self.boxed else ''}"


PLAIN = [
    Row(agent=Claude, steps=claude_steps),
    Row(agent=Codex, steps=codex_steps),
    Row(agent=Gemini, steps=gemini_steps),
]
BOXED = [
    Row(agent=Claude, steps=claude_steps, boxed=True, litter=frozenset({".claude/.cc-writes"})),
    Row(agent=Codex, steps=codex_steps, boxed=True),
    # Its sandbox does not let a command touch `.env`, and ends the session there.
    Row(
        agent=Gemini,
        steps=gemini_steps,
        boxed=True,
        script=MADE,
        litter=frozenset({".geminiignore"}),
    ),
]


@functools.cache
def _tools() -> str:
    """Say what agents' sandboxes need and cannot be had; apt-get is asked where it is allowed."""
    missing = [name for name in ("bwrap", "socat") if shutil.which(name) is None]
    if missing and os.geteuid() == 0 and shutil.which("apt-get"):
        argv = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "bubblewrap", "socat"]
        subprocess.run(argv, capture_output=True, timeout=PATIENCE_SECONDS, check=False)
        missing = [name for name in missing if shutil.which(name) is None]
    return f"{' and '.join(missing)} cannot be installed here" if missing else ""


def furnish(project: Project, script: str, git: Callable[..., object]) -> None:
    shutil.rmtree(project.root / ".git")
    git("init", "-q", "-b", "main")
    project.write(".gitignore", ".env\n")
    project.write(".env", SECRET)
    project.write("notes.txt", NOTES)
    project.write("gen.sh", script)
    shutil.copy(str(shutil.which("truncate")), project.root / "tool")
    git("add", "-A")
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first")


@pytest.fixture
def here(project: Project) -> Project:
    def git(*words: str) -> None:
        subprocess.run(["git", "-C", project.root, *words], check=True)

    furnish(project, SCRIPT, git)
    return project


@pytest.fixture
def ordinary() -> Iterator[OrdinaryProject]:
    """A project of a user without rights."""
    because = not_here()
    if because:
        pytest.skip(f"ORDINARY USER NOT RUN: {because}")
    with ordinary_project() as found:
        (found.home / ".bashrc").write_text("")
        yield found


def contents(project: Project) -> dict[str, bytes]:
    found = [one for one in project.root.rglob("*") if one.is_file()]
    named = {str(one.relative_to(project.root)): one.read_bytes() for one in found}
    return {path: data for path, data in named.items() if not path.startswith(".git/")}


def refs(project: Project) -> list[str]:
    found = subprocess.run(
        ["git", "-c", f"safe.directory={project.root}", "-C", project.root, "for-each-ref"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return sorted(found.stdout.splitlines())


def checked(here: Project, row: Row, run: Sequence[str]) -> Report:
    """Run an agent and look: at the tree, the receipts, the repository, undo, and the log."""
    before, heads = contents(here), refs(here)
    steps = row.steps(str(here.root))
    report = row.agent(project=here, steps=steps, before=run, boxed=row.boxed).run()
    assert report.code == 0, report
    name = report.err.split("penstock: run ")[1].split()[0]
    assert "started (overlay" in report.err, report
    assert "1 commit on main" in report.err, report
    assert ("1 blocked (.env)" in report.err) == (row.script == SCRIPT), report

    assert (HOLDS in report.told) == row.boxed, report
    assert not (here.home / "outside").exists()

    after = contents(here)
    changed = {path for path in {*before, *after} if before.get(path) != after.get(path)}
    assert changed - row.litter == CHANGED, report
    assert {one["path"] for one in events(here, op="applied")} == CHANGED | row.litter
    assert text_of(here, "notes.txt") == NOTES.replace("second", "SECOND")
    assert text_of(here, ".env") == SECRET
    made = [one for one in refs(here) if one not in heads]
    assert [one.split()[-1] for one in made] == [f"refs/penstock/run/{name}/main"]
    assert [one for one in refs(here) if one in heads] == heads

    verified = here.run("audit", "verify")
    assert verified.code == 0, verified.err
    writes = len(CHANGED | row.litter)
    assert f"1 isolated run: {writes} writes, all accounted for" in verified.out, verified.out
    undone = here.run("undo", name, "--yes", "--unseen")
    assert undone.code == 0, undone.err
    assert contents(here) == before
    assert here.run("audit", "verify").code == 0
    return report


@pytest.mark.parametrize("row", PLAIN, ids=lambda row: row.name)
def test_everything_an_agent_starts_changes_files_through_the_gate_only(
    here: Project, row: Row, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue(row.agent.client)
    checked(here, row, RUN)


@pytest.mark.parametrize("row", [*PLAIN, *BOXED], ids=lambda row: row.name)
def test_an_ordinary_users_agent_with_and_without_its_own_sandbox(
    ordinary: OrdinaryProject, row: Row, request: pytest.FixtureRequest
) -> None:
    """The sandboxes nest: what they let pass is in the layer, and the gate decides about it."""
    request.getfixturevalue(row.agent.client)
    if row.boxed and row.agent is not Codex and _tools():
        pytest.skip(f"AGENTS' SANDBOXES NOT RUN: {_tools()}")
    furnish(ordinary, row.script, lambda *words: ordinary.start("git", *words))
    checked(ordinary, row, (*ordinary.command, "run", "--"))


def test_geminis_container_cannot_be_started_in_a_run(
    ordinary: OrdinaryProject, gemini: None
) -> None:
    """`--sandbox` takes Docker or podman; a run has no socket of either, so nothing starts."""
    furnish(ordinary, MADE, lambda *words: ordinary.start("git", *words))
    before = contents(ordinary)
    run = (*ordinary.command, "run", "--")
    steps = [Use("write_file", {"file_path": f"{ordinary.root}/new.py", "content": "x = 1\n"})]
    session = Gemini(project=ordinary, steps=steps, before=run, args=("--sandbox",))
    report = session.run()
    assert report.code not in (0, None), report
    assert "0 applied" in report.err
    assert contents(ordinary) == before
