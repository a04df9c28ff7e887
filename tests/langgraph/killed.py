"""Kill the process that answers at one system call after the other, and go on in another.

`python -m tests.langgraph.killed --points N` tries N calls, spread over the whole answer.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from typing import Any

from langgraph.types import Command

from penstock.app import open_workspace
from penstock.langgraph import build_graph
from tests.faults.scenario import stage
from tests.faults.tracer import Plan, run, why_not
from tests.langgraph.durable import THREAD, go_on, kept_in
from tests.langgraph.scene import REPLACEMENT, STATE

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


def prepare(folder: str) -> None:
    os.mkdir(f"{folder}/project")
    for name in ("one.py", "two.py", "three.py"):
        with open(f"{folder}/project/{name}", "w", encoding="utf-8") as file:
            file.write(STATE)

    def ask() -> str:
        _in(folder)
        with kept_in("sqlite", f"{folder}/checkpoints.db") as saver:
            asked: Any = {"pending_writes": WRITES}
            result = build_graph(checkpointer=saver).invoke(asked, THREAD)
        return "ok" if "__interrupt__" in result else json.dumps(result)

    assert run(ask, Plan()).answer == "ok"


def act(folder: str) -> str:
    _in(folder)
    with kept_in("sqlite", f"{folder}/checkpoints.db") as saver:
        answer: Any = Command(resume={"decisions": DECISIONS})
        build_graph(checkpointer=saver).invoke(answer, THREAD)
    return "ok"


def check(folder: str) -> str:
    """Go on as another process would; return `ok`, or what is wrong."""
    _in(folder)
    with kept_in("sqlite", f"{folder}/checkpoints.db") as saver:
        done = go_on(build_graph(checkpointer=saver), DECISIONS)
    for name, text in LEFT.items():
        with open(f"{folder}/project/{name}", encoding="utf-8") as file:
            if file.read() != text:
                return f"{name} holds something else: {done['rejected_writes']}"
    approved = [one["request"]["target_path"] for one in done["approved_writes"]]
    rejected = [one["target_path"] for one in done["rejected_writes"]]
    if (approved, rejected) != (["one.py", "two.py", "one.py", "new.py"], ["three.py"]):
        return f"state says {approved} and {rejected}"
    return told(f"{folder}/project")


def told(root: str) -> str:
    here = open_workspace(root)
    # A kill between a line and the queue leaves a second line about the same write, by recovery.
    written = {(e["path"], e["proposal"]) for e in here.record.events() if e["op"] == "applied"}
    applied = Counter(path for path, _ in written)
    if applied != {"one.py": 2, "two.py": 1, "new.py": 1}:
        return f"the record tells of {applied}"
    problems = here.verify().problems
    return f"the record is not sound: {problems}" if problems else "ok"


def _in(folder: str) -> None:
    os.chdir(f"{folder}/project")
    os.environ["HOME"] = f"{folder}/home"
    os.environ["XDG_STATE_HOME"] = f"{folder}/state"
    os.environ["XDG_CONFIG_HOME"] = f"{folder}/config"
    os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"


def try_kill(at: int) -> str:
    with stage() as folder:
        prepare(folder)
        trace = run(lambda: act(folder), Plan(at=at, kill=at > 0))
        if not at:
            return str(len(trace.calls)) if trace.answer == "ok" else f"crash {trace.answer}"
        return run(lambda: check(folder), Plan()).answer or "the process ended without an answer"


def main(points: int) -> int:
    problem = why_not()
    if problem:
        print(f"no process can be traced here: {problem}", file=sys.stderr)
        return 3
    calls = int(try_kill(0))
    places = [1 + calls * number // points for number in range(points)]
    wrong = [f"at call {at} of {calls}: {said}" for at in places if (said := try_kill(at)) != "ok"]
    print(f"{len(places)} kills over {calls} calls", *wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[2])))
