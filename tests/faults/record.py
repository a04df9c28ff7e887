"""The record under every fault: append, rotate, set aside what is torn, sign.

Whatever strikes, the lines that were acknowledged as durable are there, the chain is sound, and
the next append goes on; at worst a warning tells of an unfinished line.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable

from penstock.core.audit.checkpoint import make_key, open_note
from penstock.core.audit.findings import AuditReport
from penstock.core.errors import PenstockError
from penstock.stores.audit.checkpoints import Checkpoints
from penstock.stores.audit.jsonl import JsonlLog
from penstock.stores.audit.reader import read_lines
from penstock.stores.audit.remembered_head import HeadMemory
from penstock.stores.audit.verify import verify_log
from tests.faults.scenario import Scenario

KEY = make_key("penstock.test/log", bytes(range(32)))
BEFORE, NOW, AFTER = ({"op": "decided", "path": name} for name in ("before", "now", "after"))
NOON = 1736769600.0
HARMLESS = {"torn-tail", "tail-set-aside", "unremembered"}


def log_of(folder: str, *, rotate_at: int = 1 << 20) -> JsonlLog:
    memory = HeadMemory(os.path.join(folder, "head"))
    path = os.path.join(folder, "audit.jsonl")
    return JsonlLog(path, clock=lambda: NOON, rotate_at=rotate_at, memory=memory)


def checkpoints_of(folder: str) -> Checkpoints:
    path = os.path.join(folder, "audit.jsonl")
    remembered = os.path.join(folder, "remembered")
    return Checkpoints(
        os.path.join(folder, "apart"), path, public=KEY.public(), key=KEY, remembered=remembered
    )


def answered(work: Callable[[], object]) -> str:
    try:
        work()
    except PenstockError as problem:
        return f"error {problem.code}"
    return "ok"


def prepare(folder: str) -> None:
    log_of(folder).append_many([BEFORE] * 3, durable=True)


def prepare_torn(folder: str) -> None:
    prepare(folder)
    with open(os.path.join(folder, "audit.jsonl"), "ab") as file:
        file.write(b'{"ts":"2025-01-13T12:00:00Z","seq":3,"op":"unfin')


def prepare_signed(folder: str) -> None:
    prepare(folder)
    checkpoints_of(folder).sign()
    log_of(folder).append(NOW, durable=True)


def append(folder: str, *, rotate_at: int = 1 << 20) -> str:
    return answered(lambda: log_of(folder, rotate_at=rotate_at).append(NOW, durable=True))


def paths(folder: str) -> list[str]:
    lines = read_lines(os.path.join(folder, "audit.jsonl"))
    return [path for line in lines if (path := json.loads(line)["path"])]


def sound(folder: str) -> AuditReport:
    report = verify_log(os.path.join(folder, "audit.jsonl"))
    assert report.ok, f"not sound: {report.as_json()}"
    told = {warning.kind.value for warning in report.warnings}
    assert told <= HARMLESS, f"unexpected warnings {told}"
    return report


def check(folder: str, answer: str | None) -> None:
    """Nothing acknowledged is lost, and the chain goes on."""
    sound(folder)
    found = paths(folder)
    assert found[:3] == ["before"] * 3, f"old lines are gone: {found}"
    if answer == "ok":
        assert found == [*["before"] * 3, "now"], f"acknowledged and not there: {found}"
    assert len(found) <= 4, f"written twice: {found}"
    log_of(folder).append(AFTER, durable=True)
    assert paths(folder) == [*found, "after"], "the next append does not go on"
    sound(folder)


def check_signed(folder: str, answer: str | None) -> None:
    """The old signature or the new one stands; the next one continues it."""
    checkpoints = checkpoints_of(folder)
    sizes = [open_note(note, [KEY.public()]).size for note in checkpoints.notes()]
    assert sizes in ([3], [3, 4]), f"signatures {sizes}"
    if answer == "ok":
        assert sizes == [3, 4], "acknowledged and not there"
    log_of(folder).append(AFTER, durable=True)
    assert checkpoints.sign() is not None
    report = verify_log(os.path.join(folder, "audit.jsonl"), checkpoints.evidence())
    assert report.ok, f"not sound: {report.as_json()}"


SCENARIOS = [
    Scenario(name="record, append", prepare=prepare, act=append, check=check),
    Scenario(
        name="record, append with rotation",
        prepare=prepare,
        act=lambda folder: append(folder, rotate_at=900),
        check=check,
    ),
    Scenario(
        name="record, append after a torn line", prepare=prepare_torn, act=append, check=check
    ),
    Scenario(
        name="record, sign",
        prepare=prepare_signed,
        act=lambda folder: answered(checkpoints_of(folder).sign),
        check=check_signed,
    ),
]
