"""The sync of a run under every fault: what it left in its layer goes to the gate.

Whatever strikes, the next sync ends what the first began: every change is applied once, pending
once or denied once, none is lost, and the audit log is sound.
"""

from __future__ import annotations

import os

from penstock.app.isolated_runs import IsolatedRuns, RunRecord
from penstock.core.errors import PenstockError
from penstock.core.proposals.model import State
from penstock.doors.run.sync import Sync
from tests.faults.gate import here
from tests.faults.scenario import Scenario

RUN = "r-abc123"
RULES = """version = 1
[defaults]
write = "allow"
[[ask]]
id = "asks"
paths = ["asks.txt"]
actions = ["write"]
"""
OLD = {"a.txt": b"old a\n", "asks.txt": b"old\n"}
LEFT = {"a.txt": b"new a\n", "asks.txt": b"new\n", "b.txt": b"new b\n"}
DONE = {"a.txt": b"new a\n", "asks.txt": b"old\n", "b.txt": b"new b\n"}


def prepare(folder: str) -> None:
    root = os.path.join(folder, "project")
    os.makedirs(root)
    os.makedirs(os.path.join(folder, "state"), mode=0o700)
    for name, data in {**OLD, "penstock.toml": RULES.encode()}.items():
        with open(os.path.join(root, name), "wb") as file:
            file.write(data)
    runs = IsolatedRuns(here(folder))
    assert runs.here.gate
    upper = os.path.join(runs.records.path(RUN), "project", "upper")
    os.makedirs(upper, mode=0o700)
    runs.records.keep(RunRecord(id=RUN, root=root, command=("agent",), started=2**40))
    for name, data in LEFT.items():
        with open(os.path.join(upper, name), "wb") as file:
            file.write(data)


def sync(folder: str) -> str:
    runs = IsolatedRuns(here(folder))
    try:
        runs.mend(RUN)
        result = Sync(here=runs.here, runs=runs, run=RUN).sync()
    except PenstockError as problem:
        return f"error {problem.code}"
    except OSError as problem:  # the disk itself; the layer is kept
        return f"error {problem.errno}"
    return f"error {result.failed[0].note}" if result.failed else "ok"


def files(folder: str) -> dict[str, bytes]:
    found = {}
    for name in DONE:
        try:
            with open(os.path.join(folder, "project", name), "rb") as file:
                found[name] = file.read()
        except FileNotFoundError:
            continue
    return found


def check(folder: str, answer: str | None) -> None:
    now = files(folder)
    for name, data in now.items():
        assert data in (OLD.get(name), DONE[name]), f"neither old nor new: {name} {data!r}"
    if answer == "ok":
        assert now == DONE, "acknowledged and not there"
    again = sync(folder)
    assert again == "ok", f"the next sync: {again}"
    assert files(folder) == DONE, "lost"
    gate = here(folder).gate
    receipts = sorted(one.path for one in gate.receipts())
    assert receipts == ["a.txt", "b.txt"], f"applied: {receipts}"
    pending = [one.path for one in gate.find(states=(State.WAITING,))]
    assert pending == ["asks.txt"], f"pending: {pending}"
    report = here(folder).verify()
    assert report.ok, f"the audit log is not sound: {report.as_json()}"


SCENARIOS = [Scenario(name="run, a sync", prepare=prepare, act=sync, check=check)]
