"""Kill an agent's process at one system call after the other, and go on in another.

`python -m tests.doors.langgraph.agent_crashes --points N`
tries N calls, spread over the whole answer.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langgraph.types import Command

from penstock.langgraph import PenstockMiddleware
from tests.doors.langgraph.crash_points import Killed, main, recorded
from tests.doors.langgraph.durable_graph import THREAD, go_on, kept_in
from tests.doors.langgraph.scripted_model import Call, Scripted, said, tools_of

KEPT = "../checkpoints.db"
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


def prepare(root: str) -> None:
    Path(root, ".git").mkdir(parents=True)
    for name in NAMES:
        Path(root, name).write_text(LONG)


def ask() -> str:
    with kept_in("sqlite", KEPT) as saver:
        result = agent(saver).invoke({"messages": [("user", "go")]}, THREAD)
    return "ok" if "__interrupt__" in result else "nobody was asked"


def answer() -> str:
    with kept_in("sqlite", KEPT) as saver:
        agent(saver).invoke(Command(resume={"decisions": DECISIONS}), THREAD)
    return "ok"


def check() -> str:
    with kept_in("sqlite", KEPT) as saver:
        answers = said(go_on(agent(saver), DECISIONS))
    for name, text in LEFT.items():
        if Path(name).read_text() != text:
            return f"{name} holds something else: {[one.content for one in answers]}"
    told = [one.status for one in answers]
    if told != ["success", "success", "success", "error", "success"]:
        return f"the agent was told {told}: {[one.content for one in answers]}"
    return recorded({"one.py": 1, "two.py": 1, "three.py": 1})


if __name__ == "__main__":
    scene = Killed(prepare=prepare, ask=ask, answer=answer, check=check)
    sys.exit(main(scene, int(sys.argv[2])))
