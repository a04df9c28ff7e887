"""The broker beside the one that its spec describes: a dictionary, difflib, and plain writes.

The naive broker does what the spec's helpers do: hash, diff, keep a record, hash again, write. It
gets one wait for the disk where ours must survive a power cut, and it keeps nothing for an undo.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import tempfile
import uuid
from collections.abc import Callable, Iterator
from itertools import count

from bench.row import Row, best_of
from penstock.broker import Broker, Role
from penstock.core.proposals.model import State
from penstock.gate import Item, Proof

PERSON = Proof(by="bench", kind="front-end")
LARGE_LINES = 36_000  # about 1 MB
WAITING = 2000
SET = 500
SETTINGS = {"max_write_bytes_hard": 16 * 1024 * 1024, "hitl_ttl_seconds": 3600}
AREA = "broker"


def rows() -> Iterator[Row]:
    """Measure proposing, applying, listing, and a set."""
    os.environ.setdefault("XDG_CONFIG_HOME", "/nonexistent")
    with tempfile.TemporaryDirectory(prefix="penstock-bench-") as folder:
        yield from _large_file(folder)
    with tempfile.TemporaryDirectory(prefix="penstock-bench-") as folder:
        yield from _many_waiting(folder)
    with tempfile.TemporaryDirectory(prefix="penstock-bench-") as folder:
        yield from _large_set(folder)


def _broker(folder: str) -> Broker:
    root = os.path.join(folder, "project")
    os.makedirs(os.path.join(root, "src"), exist_ok=True)
    state = os.path.join(folder, "state")
    return Broker(root, SETTINGS, role=Role.FRONT_END, proof=PERSON, state=state)


def _ask(broker: Broker, **said: object) -> dict[str, str]:
    """Propose, and return what to apply."""
    found: dict[str, dict[str, dict[str, str]]] = broker.execute_tool(said)  # type: ignore[assignment]
    assert found["ok"], found["output"]
    details = found["details"]
    return {"path": details["op"]["path"], "hitl_id": details["hitl"]["hitl_id"]}


def _apply(broker: Broker, what: dict[str, str]) -> None:
    done = broker.execute_tool({"tool_name": "apply_proposal", **what})
    assert done["ok"], done["output"]


class Naive:
    """What one writes from the spec on a first try."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.records: dict[str, dict[str, str]] = {}

    def propose(self, path: str, content: str) -> str:
        """Diff, keep a record, log."""
        with open(os.path.join(self.folder, path), encoding="utf-8") as file:
            old = file.read()
        diff = "".join(
            difflib.unified_diff(old.splitlines(True), content.splitlines(True), path, path)
        )
        known = f"hitl-{uuid.uuid4()}"
        self.records[known] = {"path": path, "base": _sha(old), "new": content, "diff": diff}
        self._audit({"op": "write_file_propose", "patch_hash": _sha(diff)})
        with open(os.path.join(self.folder, "records.json"), "w", encoding="utf-8") as file:
            json.dump(self.records[known], file)
            _flush(file.fileno())
        return known

    def apply(self, known: str) -> None:
        """Hash again, write, log."""
        record = self.records.pop(known)
        target = os.path.join(self.folder, record["path"])
        with open(target, encoding="utf-8") as file:
            assert _sha(file.read()) == record["base"]
        _by_hand(target, record["new"].encode())
        self._audit({"op": "write_file_apply", "after_hash": _sha(record["new"])})

    def _audit(self, event: dict[str, str]) -> None:
        with open(os.path.join(self.folder, "audit.jsonl"), "a", encoding="utf-8") as file:
            file.write(json.dumps(event) + "\n")
            _flush(file.fileno())


def _flush(descriptor: int) -> None:
    os.fsync(descriptor)


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _by_hand(target: str, data: bytes) -> None:
    with open(f"{target}.new", "wb") as file:
        file.write(data)
        file.flush()
        _flush(file.fileno())
    os.rename(f"{target}.new", target)
    folder = os.open(os.path.dirname(target), os.O_RDONLY)
    _flush(folder)
    os.close(folder)


# --- rows -------------------------------------------------------------------------------


def _large_file(folder: str) -> Iterator[Row]:
    broker, naive = _broker(folder), Naive(os.path.join(folder, "naive"))
    os.makedirs(os.path.join(folder, "naive"))
    text = "".join(f"line {n} of some program text\n" for n in range(LARGE_LINES))
    paths = (os.path.join(folder, "project/src/a.py"), os.path.join(folder, "naive/a.py"))
    for path in paths:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    turns = count()
    ours: list[dict[str, str]] = []
    theirs: list[str] = []

    def changed() -> str:
        return text.replace("line 7 ", f"turn {next(turns)} ").replace("line 30000 ", "other ")

    propose, plain = best_of(
        [
            lambda: ours.append(
                _ask(broker, tool_name="write_file", path="src/a.py", content=changed())
            ),
            lambda: theirs.append(naive.propose("a.py", changed())),
        ],
        rounds=5,
    )
    beside = "difflib, one record"
    yield Row(
        area=AREA,
        name="propose a file of 1 MB",
        subject=propose,
        baseline=plain,
        beside=beside,
        limit=10,
    )
    apply, by_hand = _applying(broker, naive, changed)
    yield Row(
        area=AREA,
        name="apply a file of 1 MB",
        subject=apply,
        baseline=by_hand,
        beside="hash, write, rename, log",
        limit=15,
    )


def _applying(broker: Broker, naive: Naive, changed: Callable[[], str]) -> list[float]:
    """Apply in turns; what is applied was proposed before, outside of what is measured."""
    import time

    best = [float("inf")] * 2
    for _ in range(5):
        ours = _ask(broker, tool_name="write_file", path="src/a.py", content=changed())
        theirs = naive.propose("a.py", changed())
        start = time.perf_counter()
        _apply(broker, ours)
        middle = time.perf_counter()
        naive.apply(theirs)
        end = time.perf_counter()
        best = [min(best[0], middle - start), min(best[1], end - middle)]
    return best


def _many_waiting(folder: str) -> Iterator[Row]:
    few, many = _broker(os.path.join(folder, "few")), _broker(os.path.join(folder, "many"))
    for broker in (few, many):
        with open(os.path.join(broker.here.root, "src/a.py"), "wb") as file:
            file.write(b"old\n")
    items = [Item(path=f"src/new-{n}.py", content=b"%d\n" % (n % 50)) for n in range(WAITING)]
    many.gate.propose(items)
    turns = count()
    dumped = json.dumps([{"path": item.path, "state": "waiting"} for item in items])
    listed, parsed = best_of(
        [
            lambda: many.gate.find(states=[State.WAITING], limit=WAITING),
            lambda: json.loads(dumped),
        ]
    )
    yield Row(
        area=AREA,
        name=f"list {WAITING} proposals",
        subject=listed,
        baseline=parsed,
        beside="as many small JSON objects",
        note=f"{listed / WAITING * 1e6:.0f} us each",
    )

    def round_trip(broker: Broker) -> Callable[[], None]:
        def run() -> None:
            said = {"tool_name": "write_file", "path": "src/a.py", "content": f"{next(turns)}\n"}
            _apply(broker, _ask(broker, **said))

        return run

    crowded, alone = best_of([round_trip(many), round_trip(few)])
    yield Row(
        area=AREA,
        name=f"propose and apply, {WAITING} waiting",
        subject=crowded,
        baseline=alone,
        beside="with none",
        limit=1.5,
    )
    one = many.gate.find(states=[State.WAITING], limit=1)[0].id
    mine = _ask(few, tool_name="write_file", path="src/a.py", content="shown\n")["hitl_id"]
    shown, bare = best_of([lambda: many.hitl_record(one), lambda: few.hitl_record(mine)])
    yield Row(
        area=AREA,
        name=f"show one of {WAITING}",
        subject=shown,
        baseline=bare,
        beside="of one",
        limit=1.5,
    )


def _large_set(folder: str) -> Iterator[Row]:
    import time

    broker = _broker(folder)
    plain = os.path.join(folder, "plain")
    os.makedirs(plain)
    for n in range(SET):
        for path in (f"{broker.here.root}/src/{n}.py", f"{plain}/{n}.py"):
            with open(path, "wb") as file:
                file.write(b"0\n")
    best = [float("inf")] * 3
    for turn in range(3):
        patch = "".join(
            f"--- a/src/{n}.py\n+++ b/src/{n}.py\n@@ -1 +1 @@\n-{turn}\n+{turn + 1}\n"
            for n in range(SET)
        )
        times = [time.perf_counter()]
        what = _ask(broker, tool_name="apply_patch", patch=patch)
        times.append(time.perf_counter())
        _apply(broker, what)
        times.append(time.perf_counter())
        for n in range(SET):
            _by_hand(f"{plain}/{n}.py", b"%d\n" % turn)
        times.append(time.perf_counter())
        best = [min(best[at], times[at + 1] - times[at]) for at in range(3)]
    beside = f"{SET} x temp+fsync+rename+fsync"
    for name, subject, limit in (("propose", best[0], 4), ("apply", best[1], 4)):
        yield Row(
            area=AREA,
            name=f"{name} a set of {SET} files",
            subject=subject,
            baseline=best[2],
            beside=beside,
            limit=limit,
        )
