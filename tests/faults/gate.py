"""The whole gate under every fault: propose, apply (create, modify, a set), undo.

Whatever strikes, the files are as before or as approved, the next start finishes what was left,
the record is sound and says what the disk says, and nothing acknowledged is lost.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
from collections.abc import Mapping

import penstock.app
import penstock.core
import penstock.gate
import penstock.stores
from penstock.app import Workspace
from penstock.core.errors import PenstockError, StoreError
from penstock.core.model import Actor
from penstock.core.proposals.model import Proposal, State
from penstock.gate import Gate, Item, Proof
from tests.faults.scenario import Scenario

# A fault is for a step of the program, not for its imports: most of them come late, at first use.
for package in (penstock.app, penstock.core, penstock.gate, penstock.stores):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)


PERSON = Proof(by="ada", kind="terminal")
RULES = 'version = 1\n[defaults]\nwrite = "ask"\n'
OLD = {"a.txt": b"old a\n", "b.txt": b"old b\n"}
# A process that ends between an entry and the note of it says "unremembered" at the next start.
HARMLESS = {"torn-tail", "tail-set-aside", "missing-checkpoints", "unremembered"}


def here(folder: str) -> Workspace:
    return Workspace(os.path.join(folder, "project"), os.path.join(folder, "state", "project-1"))


def files(folder: str) -> dict[str, bytes]:
    root = os.path.join(folder, "project")
    found = {}
    for name in sorted(os.listdir(root)):
        if name != "penstock.toml":
            with open(os.path.join(root, name), "rb") as file:
                found[name] = file.read()
    return found


def stage(folder: str) -> Gate:
    os.makedirs(os.path.join(folder, "project"))
    os.makedirs(os.path.join(folder, "state"), mode=0o700)
    for name, data in {**OLD, "penstock.toml": RULES.encode()}.items():
        with open(os.path.join(folder, "project", name), "wb") as file:
            file.write(data)
    return here(folder).gate


def approved(gate: Gate, items: Mapping[str, bytes | None]) -> tuple[Proposal, ...]:
    made = gate.propose([Item(path=path, content=new) for path, new in items.items()])
    return tuple(gate.answer(one.id, approve=True, proof=PERSON) for one in made)


def note(folder: str, text: str) -> None:
    with open(os.path.join(folder, "id"), "w", encoding="utf-8") as file:
        file.write(text)


def noted(folder: str) -> str:
    try:
        with open(os.path.join(folder, "id"), encoding="utf-8") as file:
            return file.read()
    except OSError as problem:  # the fault struck the stage, not the play
        raise StoreError("stage", str(problem)) from None


def answered(work: object) -> str:
    try:
        work()  # type: ignore[operator]
    except PenstockError as problem:
        return f"error {problem.code}"
    return "ok"


def sound(folder: str) -> None:
    report = here(folder).verify()
    assert report.ok, f"the record is not sound: {report.as_json()}"
    told = {warning.kind.value for warning in report.warnings}
    assert told <= HARMLESS, f"unexpected warnings {told}"


def told(folder: str, op: str) -> int:
    return sum(event.get("op") == op for event in here(folder).record.events())


# --- propose -------------------------------------------------------------------------------


def prepare_propose(folder: str) -> None:
    stage(folder)


def propose(folder: str) -> str:
    return answered(lambda: here(folder).gate.propose([Item(path="a.txt", content=b"new\n")]))


def check_propose(folder: str, answer: str | None) -> None:
    gate = here(folder).gate
    assert files(folder) == OLD, "proposing wrote"
    waiting = gate.find(states=(State.WAITING,))
    if answer == "ok":
        assert len(waiting) == 1, "acknowledged and not there"
        assert told(folder, "proposed") == 1, "acknowledged and not on the record"
    for one in waiting:
        assert gate.contents(one) == (OLD["a.txt"], b"new\n")
    sound(folder)


# --- apply ---------------------------------------------------------------------------------


def check_apply(folder: str, answer: str | None, new: Mapping[str, bytes | None]) -> None:
    before = files(folder)
    gate = here(folder).gate  # opening it finishes what was left
    now = files(folder)
    done = {**OLD, **{path: data for path, data in new.items() if data is not None}}
    done = {path: data for path, data in done.items() if new.get(path, b"") is not None}
    assert now in (OLD, done), f"neither old nor new: {now} (was {sorted(before)})"
    if answer == "ok":
        assert now == done, "acknowledged and not there"
    written = len(new) if now == done else 0
    _once_each(folder, written)
    sound(folder)
    if now == OLD:
        again = gate.apply(noted(folder))
        assert again, "what was approved cannot be applied any more"
        assert files(folder) == done
        _once_each(folder, len(new))


def _once_each(folder: str, written: int) -> None:
    """Each write has one receipt and one line, whoever finished it."""
    receipts = here(folder).gate.receipts()
    assert len(receipts) == written, f"{len(receipts)} receipts for {written} writes"
    assert told(folder, "applied") == written, "the record and the disk differ"


def applying(name: str, new: Mapping[str, bytes | None]) -> Scenario:
    def prepare(folder: str) -> None:
        made = approved(stage(folder), new)
        note(folder, made[0].set_id or made[0].id)

    return Scenario(
        name=name,
        prepare=prepare,
        act=lambda folder: answered(lambda: here(folder).gate.apply(noted(folder))),
        check=lambda folder, answer: check_apply(folder, answer, new),
        undecided=frozenset({"error half-applied", "error outcome-unknown"}),
    )


# --- undo ----------------------------------------------------------------------------------


def prepare_undo(folder: str) -> None:
    gate = stage(folder)
    (made,) = approved(gate, {"a.txt": b"new a\n"})
    (receipt,) = gate.apply(made.id)
    (back,) = gate.undo([receipt], by=Actor(agent="person"))
    gate.answer(back.id, approve=True, proof=PERSON)
    note(folder, back.id)


def check_undo(folder: str, answer: str | None) -> None:
    gate = here(folder).gate
    now = files(folder)
    assert now in (OLD, {**OLD, "a.txt": b"new a\n"}), f"neither old nor new: {now}"
    if answer == "ok":
        assert now == OLD, "acknowledged and not there"
    undone = [receipt for receipt in gate.receipts() if receipt.undoes]
    assert bool(undone) == (now == OLD), "the receipts and the disk differ"
    sound(folder)


SCENARIOS = [
    Scenario(
        name="gate, propose",
        prepare=prepare_propose,
        act=propose,
        check=check_propose,
    ),
    applying("gate, apply a creation", {"c.txt": b"new c\n"}),
    applying("gate, apply a change", {"a.txt": b"new a\n"}),
    applying("gate, apply a set", {"a.txt": b"new a\n", "b.txt": None, "c.txt": b"new c\n"}),
    Scenario(
        name="gate, undo",
        prepare=prepare_undo,
        act=lambda folder: answered(lambda: here(folder).gate.apply(noted(folder))),
        check=check_undo,
        undecided=frozenset({"error half-applied", "error outcome-unknown"}),
    ),
]
