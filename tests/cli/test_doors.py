"""Which proof each door can claim: the gate looks around itself, whatever a caller says.

The table of doors and kinds is walked as a whole; then each promise through a real process.
"""

from __future__ import annotations

import os
import sys
from itertools import product
from pathlib import Path

import pytest

from penstock.core.audit.approval.approval_proof import PASSKEY
from penstock.core.errors import RefusedError
from penstock.gate import Proof
from penstock.gate.doors import CLAIMS, KEY, PROVEN, REACH, TERMINAL, Door, Reach, believed
from penstock.stores.agents.ancestry import seen_here
from tests.cli.pending import events, one_proposed, state_dir, state_of
from tests.cut_off import run_cut_off
from tests.fakes.surroundings import SaidSurroundings
from tests.project import Done, Project
from tests.terminal import in_terminal

KINDS = sorted({*REACH, "resume", "no such kind", ""})
SEATED, PIPED = SaidSurroundings(), SaidSurroundings(at_terminal=False)
INSIDE = SaidSurroundings(inside="process 1 is an agent")


def signed(kind: str) -> Proof:
    return Proof(by="ann", kind=kind, sign=lambda _: ("signature", "key"))


@pytest.mark.parametrize(("door", "kind"), [*product(Door, KINDS)])
def test_a_door_claims_its_own_kinds_and_no_other(door: Door, kind: str) -> None:
    own = kind in CLAIMS[door]
    said = believed(Proof(by="ann", kind=kind), door, SEATED, approve=True)
    assert said.kind == (kind if own else CLAIMS[door][0])
    assert said.kind not in PROVEN
    assert believed(signed(kind), door, SEATED, approve=True).kind == KEY


@pytest.mark.parametrize(("door", "kind"), [*product(Door, KINDS)])
def test_inside_an_agent_nothing_but_a_signature_approves(door: Door, kind: str) -> None:
    with pytest.raises(RefusedError) as no:
        believed(Proof(by="ann", kind=kind), door, INSIDE, approve=True)
    assert no.value.code == "inside-agent"
    assert believed(signed(kind), door, INSIDE, approve=True).kind == KEY
    assert believed(Proof(by="ann", kind=kind), door, INSIDE, approve=False), "a no needs no proof"


@pytest.mark.parametrize("door", list(Door))
def test_without_a_terminal_no_answer_is_called_one(door: Door) -> None:
    proof = Proof(by="ann", kind=TERMINAL)
    assert believed(proof, door, PIPED, approve=False).kind != TERMINAL
    if TERMINAL in CLAIMS[door]:
        with pytest.raises(RefusedError) as no:
            believed(proof, door, PIPED, approve=True)
        assert no.value.code == "no-terminal"
    else:
        assert believed(proof, door, PIPED, approve=True).kind == CLAIMS[door][0]


def test_every_kind_has_its_reach_and_only_three_reach_the_rules() -> None:
    assert {kind for kinds in CLAIMS.values() for kind in kinds} | {*PROVEN} == set(REACH)
    reaching = {kind for kind, reach in REACH.items() if reach is Reach.RULES}
    assert reaching == {KEY, TERMINAL, PASSKEY}


# Through real processes

OPEN_GATE = "import penstock; gate = penstock.open_gate()"
OPEN_WORKSPACE = "from penstock.app import open_workspace; gate = open_workspace().gate"
WORKSPACE = (
    "from penstock.app import Workspace, open_workspace; w = open_workspace();"
    " gate = Workspace(w.root, w.state).gate"
)
AS_COMMAND = (
    "from penstock.app import open_workspace; from penstock.gate.doors import Door;"
    " gate = open_workspace(door=Door.COMMAND).gate"
)
WAYS = {"open_gate": OPEN_GATE, "open_workspace": OPEN_WORKSPACE, "Workspace": WORKSPACE}
ANSWER = """
from penstock.gate import Proof
proof = Proof(by="ann", kind="terminal")
"""
STEPS = {
    "answer": "gate.answer({id!r}, approve=True, proof=proof)",
    "answer_all": "gate.answer_all([{id!r}], approve=True, proof=proof)",
    "undo": "made = gate.undo(gate.undoable(last=1)); "
    "gate.answer(made[0].id, approve=True, proof=proof)",
}
EDIT = """
from pathlib import Path
from penstock.app.workspace import rule_history
from penstock.gate.rule_edit import RuleEdit
from penstock.ports import Version
path = Path("penstock.toml").resolve()
old = path.read_bytes()
new = old.replace(b'write = "ask"', b'write = "allow"')
gate.edit_rules(
    RuleEdit(versions=(Version(path=str(path), before=old, after=new),), message="",
             snapshot="", proof={proof}),
    history=rule_history(),
)
"""


def program(opening: str, step: str) -> list[str]:
    return [sys.executable, "-c", f"{opening}\n{ANSWER}\n{step}"]


def run(project: Project, command: list[str], **env: str) -> Done:
    import subprocess

    done = subprocess.run(
        command,
        cwd=project.root,
        env={**project.environ, **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def outside() -> None:
    if seen_here():
        pytest.skip("these tests run inside an agent themselves")


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("way", [*WAYS, "as a command"])
def test_inside_an_agent_a_program_approves_nothing(project: Project, way: str, step: str) -> None:
    note = one_proposed(project, "notes/a.md", b"note\n")
    assert project.run("apply", note).code == 0
    one = one_proposed(project, "a.txt", b"x\n")
    command = program({**WAYS, "as a command": AS_COMMAND}[way], STEPS[step].format(id=one))
    done = run(project, command, CLAUDECODE="1")
    assert done.code != 0
    assert "inside an agent only an approver key can approve" in done.err
    assert state_of(project, one) == "waiting"
    assert not events(project, "approved")


@pytest.mark.usefixtures("outside")
@pytest.mark.parametrize("way", WAYS)
def test_outside_a_programs_answer_is_called_library(project: Project, way: str) -> None:
    one = one_proposed(project, "a.txt", b"x\n")
    seen = in_terminal(
        project, program=program(WAYS[way], STEPS["answer"].format(id=one))
    )  # at a real terminal, too
    assert seen.code == 0, seen.text
    (yes,) = events(project, "approved")
    assert (yes["by"], yes["proof"]) == ("ann", "library")


@pytest.mark.usefixtures("outside")
def test_a_program_that_plays_the_command_needs_a_terminal(project: Project) -> None:
    one = one_proposed(project, "a.txt", b"x\n")
    done = run_cut_off(project, program(AS_COMMAND, STEPS["answer"].format(id=one)))
    assert done.code != 0
    assert "approval needs a person at a terminal" in done.err
    assert state_of(project, one) == "waiting"


@pytest.mark.usefixtures("outside")
@pytest.mark.parametrize("proof", ["None", "proof"])
@pytest.mark.parametrize("inside", [True, False], ids=["inside an agent", "outside"])
def test_a_program_does_not_widen_the_policy(project: Project, proof: str, inside: bool) -> None:
    one_proposed(project, "a.txt", b"x\n")
    rules = (project.root / "penstock.toml").read_text()
    switch = {"DECISION_REVIEWER_ALLOW_WRITES": "1"}
    more = {"CLAUDECODE": "1"} if inside else {}
    done = run(project, program(OPEN_GATE, EDIT.format(proof=proof)), **switch, **more)
    assert done.code != 0, done.err
    assert "RefusedError" in done.err
    assert (project.root / "penstock.toml").read_text() == rules
    assert not events(project, "applied")


def test_without_the_switch_a_program_edits_no_rules(project: Project) -> None:
    one_proposed(project, "a.txt", b"x\n")
    tighter = EDIT.replace('write = "allow"', 'write = "deny"').format(proof="None")
    done = run(project, program(OPEN_GATE, tighter))
    assert done.code != 0
    assert "editing rules is disabled" in done.err


@pytest.mark.usefixtures("outside")
def test_a_policy_that_demands_a_key_takes_nothing_else(project: Project) -> None:
    project.write(
        "penstock.toml", 'version = 1\n[defaults]\nwrite = "ask"\n[approval]\nrequire_key = true\n'
    )
    one = one_proposed(project, "a.txt", b"x\n")
    done = run(project, program(OPEN_GATE, STEPS["answer"].format(id=one)))
    assert done.code != 0
    assert "needs an approver's key" in done.err


def test_with_a_key_a_program_inside_an_agent_signs(project: Project) -> None:
    words = "correct horse battery staple"
    handed = {"PENSTOCK_PASSPHRASE_FD": "0"}
    made = project.run("approver", "init", "--json", env=handed, stdin=f"{words}\n")
    assert made.code == 0, made.err
    one = one_proposed(project, "a.txt", b"x\n")
    sign = "; ".join(
        (
            "from penstock.stores.approver.keys import ApproverKeys",
            f"keys = ApproverKeys({os.fspath(Path(state_dir(project)).parent / 'approver')!r})",
            f"proof = Proof(by='ann', sign=keys.unseal({words!r}))",
            STEPS["answer"].format(id=one),
        )
    )
    done = run(project, program(OPEN_GATE, sign), CLAUDECODE="1")
    assert done.code == 0, done.err
    assert events(project, "approved")[-1]["proof"] == "key"
    assert project.run("audit", "verify").code == 0
