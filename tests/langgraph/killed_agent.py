"""Kill an agent's process at one system call after the other, and go on in another.

`python -m tests.langgraph.killed_agent --points N` tries N calls, spread over the whole answer.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langgraph.types import Command

from penstock.app import open_workspace
from penstock.langgraph import PenstockMiddleware
from tests.faults.scenario import stage
from tests.faults.tracer import Plan, run, why_not
from tests.langgraph.durable import THREAD, go_on, kept_in
from tests.langgraph.scripted import Call, Scripted, said, tools_of

LONG = "".join(f"line {number}\n" for number in range(270))
SHORT = "".join(f"new {number}\n" for number in range(56))
NAMES = ("one.py", "two.py", "three.py", "four.py")
CALLS: list[Call] = [
    *(("write_file", {"file_path": name, "content": SHORT}) for name in NAMES),
    ("write_file", {"file_path": "new.py", "content": "x = 1\n"}),
]
YES = {"type": "approve"}
MINE = {"name": "write_file", "args": {"file_path": "three.py", "content": "mine\n"}}
DECISIONS = [
    YES,
    {**YES, "strategy": "append"},
    {"type": "edit", "edited_action": MINE},
    {"type": "reject", "message": "no"},
]
LEFT = {
    "one.py": SHORT,
    "two.py": f"{LONG}\n{SHORT}",
    "three.py": "mine\n",
    "four.py": LONG,
    "new.py": "x = 1\n",
}


def agent(saver: Any) -> Any:
    return create_agent(
        Scripted(turns=[CALLS]),
        tools_of(Path.cwd(), []),
        middleware=[PenstockMiddleware()],
        checkpointer=saver,
    )


def prepare(folder: str) -> None:
    os.makedirs(f"{folder}/project/.git")
    for name in NAMES:
        Path(f"{folder}/project/{name}").write_text(LONG)

    def ask() -> str:
        _in(folder)
        with kept_in("sqlite", f"{folder}/checkpoints.db") as saver:
            result = agent(saver).invoke({"messages": [("user", "go")]}, THREAD)
        return "ok" if "__interrupt__" in result else "nobody was asked"

    assert run(ask, Plan()).answer == "ok"


def act(folder: str) -> str:
    _in(folder)
    with kept_in("sqlite", f"{folder}/checkpoints.db") as saver:
        agent(saver).invoke(Command(resume={"decisions": DECISIONS}), THREAD)
    return "ok"


def check(folder: str) -> str:
    """Go on as another process would; return `ok`, or what is wrong."""
    _in(folder)
    with kept_in("sqlite", f"{folder}/checkpoints.db") as saver:
        answers = said(go_on(agent(saver), DECISIONS))
    for name, text in LEFT.items():
        if Path(name).read_text() != text:
            return f"{name} holds something else: {[one.content for one in answers]}"
    told = [one.status for one in answers]
    if told != ["success", "success", "success", "error", "success"]:
        return f"the agent was told {told}: {[one.content for one in answers]}"
    return recorded()


def recorded() -> str:
    here = open_workspace()
    # A kill between a line and the queue leaves a second line about the same write, by recovery.
    written = {(e["path"], e["proposal"]) for e in here.record.events() if e["op"] == "applied"}
    applied = Counter(str(path) for path, _ in written)
    if applied != {"one.py": 1, "two.py": 1, "three.py": 1}:
        return f"the record tells of {json.dumps(applied)}"
    problems = here.verify().problems
    return f"the record is not sound: {problems}" if problems else "ok"


def _in(folder: str) -> None:
    os.chdir(f"{folder}/project")
    os.environ["HOME"] = f"{folder}/home"
    os.environ["XDG_STATE_HOME"] = f"{folder}/state"
    os.environ["XDG_CONFIG_HOME"] = f"{folder}/config"


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
    wrong = [f"at call {at} of {calls}: {told}" for at in places if (told := try_kill(at)) != "ok"]
    print(f"{len(places)} kills over {calls} calls", *wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[2])))
