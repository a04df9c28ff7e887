"""Kill the process that answers at one system call after the other, and go on in another.

`python -m tests.doors.langgraph.graph_crashes --points N` tries N calls, spread over the answer.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from langgraph.types import Command

from penstock.langgraph import build_graph
from tests.doors.langgraph.crash_points import Killed, main, recorded
from tests.doors.langgraph.durable_graph import THREAD, go_on, kept_in
from tests.doors.langgraph.scene import REPLACEMENT, STATE

KEPT = "../checkpoints.db"
YES = {"type": "approve"}
DECISIONS = [YES, {**YES, "strategy": "append"}, YES, {"type": "reject", "message": "no"}]
SECOND = REPLACEMENT + "LAST = 1\n"
WRITES = [
    {"target_path": "one.py", "new_content": REPLACEMENT},
    {"target_path": "two.py", "new_content": REPLACEMENT},
    {"target_path": "one.py", "new_content": SECOND},
    {"target_path": "three.py", "new_content": REPLACEMENT},
    {"target_path": "new.py", "new_content": "x = 1\n"},
]
LEFT = {
    "one.py": SECOND,
    "two.py": f"{STATE}\n{REPLACEMENT}",
    "three.py": STATE,
    "new.py": "x = 1\n",
}


def prepare(root: str) -> None:
    Path(root).mkdir()
    for name in ("one.py", "two.py", "three.py"):
        Path(root, name).write_text(STATE)


def ask() -> str:
    with kept_in("sqlite", KEPT) as saver:
        asked: Any = {"pending_writes": WRITES}
        result = build_graph(checkpointer=saver).invoke(asked, THREAD)
    return "ok" if "__interrupt__" in result else json.dumps(result)


def answer() -> str:
    with kept_in("sqlite", KEPT) as saver:
        decided: Any = Command(resume={"decisions": DECISIONS})
        build_graph(checkpointer=saver).invoke(decided, THREAD)
    return "ok"


def check() -> str:
    with kept_in("sqlite", KEPT) as saver:
        done = go_on(build_graph(checkpointer=saver), DECISIONS)
    for name, text in LEFT.items():
        if Path(name).read_text() != text:
            return f"{name} holds something else: {done['rejected_writes']}"
    approved = [one["request"]["target_path"] for one in done["approved_writes"]]
    rejected = [one["target_path"] for one in done["rejected_writes"]]
    if (approved, rejected) != (["one.py", "two.py", "one.py", "new.py"], ["three.py"]):
        return f"state says {approved} and {rejected}"
    return recorded({"one.py": 2, "two.py": 1, "new.py": 1})


if __name__ == "__main__":
    scene = Killed(prepare=prepare, ask=ask, answer=answer, check=check)
    sys.exit(main(scene, int(sys.argv[2])))
