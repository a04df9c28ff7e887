"""The prompt at a real terminal: a person answers there, and with a key types the passphrase."""

from __future__ import annotations

import re
import sys

import pytest

from penstock.stores.agents.ancestry import seen_here
from tests.doors.langgraph.scene import REPLACEMENT, STATE
from tests.project import Project
from tests.terminal import END, Seen, in_terminal

WORDS = "correct horse battery staple"
SCRIPT = """
import json, sys
from langgraph.checkpoint.memory import InMemorySaver
from penstock.langgraph import build_graph

write = {"target_path": "a.py", "new_content": sys.argv[1]}
done = build_graph(checkpointer=InMemorySaver()).invoke(
    {"pending_writes": [write]}, {"configurable": {"thread_id": "1"}}
)
print("RESULT", [(one["strategy"], one["proof"]) for one in done["approved_writes"]])
print("REASONS", [one["reason"] for one in done["rejected_writes"]])
"""
PROGRAM = (sys.executable, "-c", SCRIPT, REPLACEMENT)


@pytest.fixture(autouse=True)
def outside() -> None:
    if seen_here():
        pytest.skip("these tests run inside an agent themselves")


def run(project: Project, *typed: tuple[str, str]) -> Seen:
    project.write("a.py", STATE)
    return in_terminal(project, program=PROGRAM, typed=typed)


APPROVE, STRATEGY = "Approve this write", "Strategy ["


def test_at_a_terminal_the_person_is_asked_there_even_with_a_checkpointer(
    project: Project,
) -> None:
    seen = run(project, (APPROVE, "yes"), (STRATEGY, "append"))
    assert "RESULT [('append', 'terminal')]" in seen.text, seen.text[-700:]
    assert "will be DELETED" in seen.text
    assert (project.root / "a.py").read_text() == f"{STATE}\n{REPLACEMENT}"


@pytest.mark.parametrize("key", [END, "\x03"], ids=["end of input", "interrupt"])
def test_ending_the_questions_is_a_rejection_and_the_graph_goes_on(
    project: Project, key: str
) -> None:
    seen = run(project, (APPROVE, key))
    assert "RESULT []" in seen.text
    assert seen.code == 0
    assert (project.root / "a.py").read_text() == STATE
    assert project.run("proposals", "--json").json["proposals"] == []
    (closed,) = project.run("proposals", "--state", "rejected", "--json").json["proposals"]
    assert closed["path"] == "a.py"


def test_with_a_key_the_passphrase_is_typed_and_signs(project: Project) -> None:
    made = in_terminal(
        project, "approver", "init", typed=[("passphrase", WORDS), ("repeat", WORDS)]
    )
    assert made.code == 0, made.text
    wrong = run(project, (APPROVE, "yes"), (STRATEGY, ""), ("passphrase", "guess"))
    assert "RESULT []" in wrong.text
    assert re.search(r"`penstock approve [0-9a-f]{8}`", wrong.text)
    assert (project.root / "a.py").read_text() == STATE
    given_up = run(project, (APPROVE, "yes"), (STRATEGY, ""), ("passphrase", "\x03"))
    assert "no passphrase was given" in given_up.text
    assert given_up.code == 0
    right = run(project, (APPROVE, "yes"), (STRATEGY, ""), ("passphrase", WORDS))
    assert "RESULT [('replace', 'key')]" in right.text
    assert (project.root / "a.py").read_text() == REPLACEMENT
    assert project.run("audit", "verify", "--json").json["ok"] is True
