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
from penstock.gate import Gate, Item, Proof

AGENT = Actor(agent="demo-agent", tool_call_id="call-1")
YOU = Proof(by="you", kind="demo")
STUB = b"".join(b"def step_%d(): ...\n" % at for at in range(56))


@click.command()
def command() -> int:
    """Show a denied, a waiting, an approved and an undone write."""
    out = console()
    with project() as (root, gate):
        out.print(f"a project with one file of 270 lines, guarded by the preset `guard`\n{root}\n")
        denied(out, root)
        shell(out, root)
        rewrite(out, root)
        waiting(out, gate, root)
    out.print("\nNext: penstock init, docs/tutorial.md", markup=False)
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


def denied(out: Console, root: str) -> None:
    """1. The agent writes a secret."""
    _step(out, "1. the agent writes .env, and its hook asks Penstock")
    _tell(out, root, "Write", {"file_path": f"{root}/.env", "content": "KEY=1"})


def shell(out: Console, root: str) -> None:
    """2. It tries the same through the shell."""
    command = "printf 'KEY=1' | tee -a .env > /dev/null"
    _step(out, f"2. then it tries the shell: {command}")
    _tell(out, root, "Bash", {"command": command})


def rewrite(out: Console, root: str) -> None:
    """3. It replaces a file that is too large to lose, with nobody there to ask."""
    _step(out, "3. it rewrites src/app.py, 270 lines, as 56, with nobody there to ask")
    _tell(out, root, "Write", {"file_path": f"{root}/src/app.py", "content": STUB.decode()})


def waiting(out: Console, gate: Gate, root: str) -> None:
    """4. It proposes the same; a person looks, approves, and changes their mind."""
    path = os.path.join(root, "src", "app.py")
    _step(out, "4. so it proposes the same, and waits")
    (proposal,) = gate.propose([Item(path="src/app.py", content=STUB)], actor=AGENT)
    change = proposal.change
    out.print(f"   {proposal.state}: {proposal.decision.because}", markup=False)
    lost = f"{change.lines_deleted} of {change.existing_lines} lines would be lost"
    out.print(f"   {lost}; on the disk: {_lines(path)} lines", markup=False)
    _step(out, "5. you approve exactly that")
    gate.answer(proposal.id, approve=True, proof=YOU)
    (receipt,) = gate.apply(proposal.id)
    out.print(f"   applied, receipt {receipt.id}; on the disk: {_lines(path)} lines", markup=False)
    _step(out, "6. you take it back")
    (back,) = gate.undo([receipt])
    gate.answer(back.id, approve=True, proof=YOU)
    gate.apply(back.id)
    out.print(f"   on the disk: {_lines(path)} lines", markup=False)


def _step(out: Console, text: str) -> None:
    out.print(f"\n{text}", markup=False, style="bold")


def _tell(out: Console, root: str, tool: str, tool_input: dict[str, str]) -> None:
    """Call the hook as an agent does, and show what it says."""
    from penstock.doors.hook.demo import asked

    out.print(f"   {asked(root, tool, tool_input)}", markup=False)


def _lines(path: str) -> int:
    with open(path, "rb") as file:
        return file.read().count(b"\n")
