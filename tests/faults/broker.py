"""The broker under every fault: `apply_proposal` comes in as a line, and something strikes.

Whatever strikes, the next broker that starts finds the file as it was or as it was proposed, and
the log in the workspace, the record, the queue and the answer say the same about it.
"""

from __future__ import annotations

import json
import os
from typing import Any

from penstock.core.errors import PenstockError
from penstock.doors.broker.service import Broker, Role, serve
from penstock.gate import Proof
from penstock.stores.audit.verify import verify_log
from tests.faults.gate import HARMLESS, note, noted
from tests.faults.scenario import Scenario

OLD = {"src/a.txt": b"old a\n"}
CHANGE = "--- a/src/a.txt\n+++ b/src/a.txt\n@@ -1 +1 @@\n-old a\n+new a\n"
CREATE = "--- /dev/null\n+++ b/src/c.txt\n@@ -0,0 +1 @@\n+new c\n"
PERSON = Proof(by="ada", kind="front-end")
LOG = ".agentzero_audit.jsonl"


def root_of(folder: str) -> str:
    return os.path.join(folder, "project")


def broker(folder: str, role: Role = Role.FRONT_END) -> Broker:
    state = os.path.join(folder, "state", "project-1")
    return Broker(root_of(folder), role=role, proof=PERSON, state=state)


def files(folder: str) -> dict[str, bytes]:
    found = {}
    for name in sorted(os.listdir(os.path.join(root_of(folder), "src"))):
        with open(os.path.join(root_of(folder), "src", name), "rb") as file:
            found[f"src/{name}"] = file.read()
    return found


def prepare(folder: str, patch: str) -> None:
    os.environ["XDG_CONFIG_HOME"] = os.path.join(folder, "no-config")
    os.makedirs(os.path.join(root_of(folder), "src"))
    os.makedirs(os.path.join(folder, "state"), mode=0o700)
    with open(os.path.join(root_of(folder), "src", "a.txt"), "wb") as file:
        file.write(OLD["src/a.txt"])
    request = {"tool_name": "apply_patch", "patch": patch, "tool_call_id": "tc-1"}
    found: Any = broker(folder, Role.AGENT).execute_tool(request)
    details = found["details"]
    note(folder, json.dumps({"path": details["op"]["path"], **details["hitl"]}))


def apply(folder: str) -> str:
    """Start a broker, hand it one line, and return what its answer says."""
    out: list[bytes] = []
    try:
        hitl = json.loads(noted(folder))
        request = {"tool_name": "apply_proposal", "path": hitl["path"], "hitl_id": hitl["hitl_id"]}
        left = [json.dumps(request).encode() + b"\n"]
        serve(broker(folder), lambda _size: left.pop() if left else b"", out.append)
    except PenstockError as problem:  # it could not even start
        return f"error {problem.code}"
    answer = json.loads(out[0])
    return "ok" if answer["ok"] else f"error {answer['details']['error']['code']}"


def told(folder: str) -> list[dict[str, Any]]:
    with open(os.path.join(root_of(folder), LOG), "rb") as file:
        lines = [json.loads(line) for line in file]
    return [line for line in lines if line["op"] == "write_file_apply"]


def check(folder: str, answer: str | None, done: dict[str, bytes]) -> None:
    once = broker(folder)  # starting it ends what was left in the middle
    now = files(folder)
    assert now in (OLD, done), f"neither old nor new: {now}"
    if answer == "ok":
        assert now == done, "acknowledged and not there"
    said = [line for line in told(folder) if line["status"] == "allowed"]
    assert len(said) == (now == done), f"the log tells of {len(said)} applies, files {sorted(now)}"
    receipts = once.gate.receipts()
    assert bool(receipts) == (now == done), "the queue and the disk differ"
    report = verify_log(os.path.join(root_of(folder), LOG))
    assert report.ok, f"the log is not sound: {report.as_json()}"
    assert {warning.kind.value for warning in report.warnings} <= HARMLESS
    assert once.here.verify().ok, "the record is not sound"
    again = apply(folder)
    if now == done:
        assert again == "error hitl_not_found", f"applied twice: {again}"
    else:
        assert again == "ok", f"what waits cannot be applied any more: {again}"
    assert files(folder) == done


def applying(name: str, patch: str, done: dict[str, bytes]) -> Scenario:
    return Scenario(
        name=name,
        prepare=lambda folder: prepare(folder, patch),
        act=apply,
        check=lambda folder, answer: check(folder, answer, {**OLD, **done}),
        undecided=frozenset({"error half_applied", "error outcome_unknown"}),
    )


SCENARIOS = [
    applying("broker, apply a change", CHANGE, {"src/a.txt": b"new a\n"}),
    applying("broker, apply a creation", CREATE, {"src/c.txt": b"new c\n"}),
    applying(
        "broker, apply a set",
        CHANGE + CREATE,
        {"src/a.txt": b"new a\n", "src/c.txt": b"new c\n"},
    ),
]
