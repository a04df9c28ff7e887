"""`penstock demo`: a scripted agent against a temporary project, with real files.

Nothing of the person's own is touched: the project and its state live in a directory that is
removed at the end.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import click
from rich.console import Console

from penstock.cli import OK
from penstock.cli.output import console
from penstock.core.model import Actor
from penstock.gate import Call, Gate, Item, Proof

AGENT = Actor(agent="demo-agent", tool_call_id="call-1")
YOU = Proof(by="you", kind="demo")


@click.command()
def command() -> int:
    """Show a denied, a waiting, an approved and an undone write."""
    out = console()
    with project() as (root, gate):
        out.print(f"a project with one file of 270 lines, guarded by the preset `guard`\n{root}\n")
        denied(out, gate)
        shell(out, gate)
        waiting(out, gate, root)
    out.print("\nNext: penstock judge --help, docs/life-of-a-write.md", markup=False)
    return OK


@contextmanager
def project() -> Iterator[tuple[str, Gate]]:
    """Make a project with a substantial file, and its gate with state beside it."""
    from penstock.app import open_gate

    with tempfile.TemporaryDirectory(prefix="penstock-demo-") as home:
        root = os.path.join(home, "project")
        os.makedirs(os.path.join(root, "src"))
        with open(os.path.join(root, "src", "app.py"), "w", encoding="utf-8") as file:
            file.writelines(f"def step_{at}(): return {at}\n" for at in range(270))
        yield root, open_gate(root, state=os.path.join(home, "state"))


def denied(out: Console, gate: Gate) -> None:
    """1. The agent writes a secret."""
    call = Call(tool="Write", tool_input={"file_path": ".env", "content": "KEY=1"}, actor=AGENT)
    _step(out, "1. the agent writes .env")
    _tell(out, gate, call)


def shell(out: Console, gate: Gate) -> None:
    """2. It tries the same through the shell."""
    command = "printf 'KEY=1' | tee -a .env > /dev/null"
    call = Call(tool="Bash", tool_input={"command": command}, actor=AGENT)
    _step(out, f"2. then it tries the shell: {command}")
    _tell(out, gate, call)


def waiting(out: Console, gate: Gate, root: str) -> None:
    """3. It replaces 270 lines by 56; a person looks, approves, and changes their mind."""
    path = os.path.join(root, "src", "app.py")
    stub = b"".join(b"def step_%d(): ...\n" % at for at in range(56))
    _step(out, "3. the agent replaces src/app.py, 270 lines, by 56")
    (proposal,) = gate.propose([Item(path="src/app.py", content=stub)], actor=AGENT)
    change = proposal.change
    out.print(f"   {proposal.state}: {proposal.decision.because}", markup=False)
    lost = f"{change.lines_deleted} of {change.existing_lines} lines would be lost"
    out.print(f"   {lost}; on the disk: {_lines(path)} lines", markup=False)
    _step(out, "4. you approve exactly that")
    gate.answer(proposal.id, approve=True, proof=YOU)
    (receipt,) = gate.apply(proposal.id)
    out.print(f"   applied, receipt {receipt.id}; on the disk: {_lines(path)} lines", markup=False)
    _step(out, "5. you take it back")
    (back,) = gate.undo([receipt])
    gate.answer(back.id, approve=True, proof=YOU)
    gate.apply(back.id)
    out.print(f"   on the disk: {_lines(path)} lines", markup=False)


def _step(out: Console, text: str) -> None:
    out.print(f"\n{text}", markup=False, style="bold")


def _tell(out: Console, gate: Gate, call: Call) -> None:
    decision = gate.judge_call(call).decision
    out.print(f"   [bold]{decision.verdict}[/]: ", end="")
    out.print(f"{decision.because} (rule {decision.reasons[0].rule})", markup=False)


def _lines(path: str) -> int:
    with open(path, "rb") as file:
        return file.read().count(b"\n")
