"""The agent loop of `docs/reference/python.md` runs, and comes back with what the page says."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from typing import Any

import pytest

import penstock
from penstock.app import open_workspace
from penstock.gate import Gate
from tests import REPOSITORY
from tests.project import Project

ROOT = REPOSITORY
PAGE = (ROOT / "docs/reference/python.md").read_text(encoding="utf-8")
LOOKS = 1000
TERMINAL = penstock.Proof(by="somebody", kind="terminal")


@pytest.fixture
def shop(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    project.write("penstock.toml", 'version = 1\npreset = "guard"\n')
    project.write("src/app.py", "".join(f"def step_{n}(): return {n}\n" for n in range(1, 271)))
    monkeypatch.chdir(project.root)
    for name, value in project.environ.items():
        monkeypatch.setenv(name, value)
    return project


def the_loop() -> Callable[[list[tuple[str, dict[str, str]]]], list[str]]:
    """Return the `run` that the page shows."""
    (text,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    shown: dict[str, Any] = {}
    exec(compile(text, "docs/reference/python.md", "exec"), shown)
    run: Callable[[list[tuple[str, dict[str, str]]]], list[str]] = shown["run"]
    return run


def answering(answer: Callable[[Gate, str], object]) -> threading.Thread:
    """Let somebody answer the first proposal that waits."""

    def person() -> None:
        gate, pause = open_workspace().gate, threading.Event()
        for _ in range(LOOKS):
            waiting = gate.find(states=(penstock.State.WAITING,))
            if waiting:
                answer(gate, waiting[0].id)
                return
            pause.wait(0.02)

    thread = threading.Thread(target=person)
    thread.start()
    return thread


def approve(gate: Gate, known: str) -> None:
    gate.answer(known, approve=True, proof=TERMINAL)


def reject(gate: Gate, known: str) -> None:
    gate.answer(known, approve=False, proof=TERMINAL, reason="keep the steps")


def write(path: str, content: str) -> tuple[str, dict[str, str]]:
    return "Write", {"file_path": path, "content": content}


def test_what_the_rules_allow_is_written_and_what_they_deny_is_not(shop: Project) -> None:
    said = the_loop()(
        [write("notes.md", "new\n"), write(".env", "KEY=1\n"), ("Bash", {"command": "ls"})]
    )
    assert said[0] == "notes.md is applied"
    assert said[1].startswith("denied: ")
    assert said[2] == "allow: run the tool here"
    assert (shop.root / "notes.md").read_text() == "new\n"
    assert not (shop.root / ".env").exists()


@pytest.mark.parametrize(
    ("answer", "said", "left"),
    [
        (approve, "src/app.py is applied", 1),
        (reject, "rejected: keep the steps", 270),
    ],
)
def test_a_write_that_needs_approval_waits_for_the_answer(
    shop: Project, answer: Callable[[Gate, str], object], said: str, left: int
) -> None:
    person = answering(answer)
    told = the_loop()([write("src/app.py", "def main(): ...\n")])
    person.join()
    assert told == [said]
    assert len((shop.root / "src/app.py").read_text().splitlines()) == left


def test_a_denied_write_is_a_proposal_with_its_decision(shop: Project) -> None:
    (denied,) = penstock.open_gate(".").propose([penstock.Item(path=".env", content=b"KEY=1\n")])
    assert denied.state is penstock.State.DENIED
    assert denied.decision.verdict is penstock.Verdict.DENY
    assert denied.decision.because


def test_an_allowed_write_is_approved_by_the_policy_and_not_yet_written(shop: Project) -> None:
    gate = penstock.open_gate(".")
    (one,) = gate.propose([penstock.Item(path="notes.md", content=b"new\n")])
    assert one.state is penstock.State.APPROVED
    assert one.answer is not None
    assert one.answer.proof == "policy"
    assert not (shop.root / "notes.md").exists()
    (receipt,) = gate.apply(one.id)
    assert gate.receipt(one.id) == receipt
    assert gate.verify().ok


def test_the_answer_of_a_program_is_recorded_as_a_librarys(shop: Project) -> None:
    gate = penstock.open_gate(".")
    (one,) = gate.propose([penstock.Item(path="src/app.py", content=b"short\n")])
    answered = gate.answer(one.id, approve=True, proof=TERMINAL)
    assert answered.answer is not None
    assert answered.answer.proof == "library"


def test_a_program_inside_an_agent_approves_nothing_and_may_reject(
    shop: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = penstock.open_gate(".")
    (one,) = gate.propose([penstock.Item(path="src/app.py", content=b"short\n")])
    monkeypatch.setenv("CLAUDECODE", "1")
    with pytest.raises(penstock.RefusedError) as no:
        gate.answer_all([one.id], approve=True, proof=TERMINAL)
    assert no.value.code == "inside-agent"
    assert gate.answer(one.id, approve=False, proof=TERMINAL).state is penstock.State.REJECTED


def test_every_public_name_is_there_and_on_the_page() -> None:
    errors = ("Input", "Rules", "Refused", "Stale", "Audit", "Store")
    nouns = ("Gate", "Call", "Item", "Proposal", "State", "Decision", "Verdict", "Receipt", "Proof")
    names = ["open_gate", "__version__", *nouns, *(f"{error}Error" for error in errors)]
    assert sorted(penstock.__all__) == sorted(names)
    assert all(getattr(penstock, name) for name in names)
    assert [name for name in names if name not in PAGE] == []


def test_a_name_that_is_not_public_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Parts'"):
        _ = penstock.Parts  # type: ignore[attr-defined]
