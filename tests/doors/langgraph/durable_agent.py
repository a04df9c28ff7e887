"""One process of an agent: `durable_agent KIND CHECKPOINTS start|resume`, run as a module.

`start` runs to the question, prints it and is killed; `resume` approves and prints what the tools
said. KIND is `langchain` or `deepagents`; the project is the working directory.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from tests.doors.langgraph.durable_graph import THREAD, go_on, kept_in
from tests.doors.langgraph.scripted_model import Scripted, said, tools_of

SHORT = "".join(f"new {number}\n" for number in range(56))


def langchain(saver: Any) -> Any:
    from langchain.agents import create_agent

    from penstock.langgraph import PenstockMiddleware

    return create_agent(
        Scripted(turns=[[("write_file", {"file_path": "app.py", "content": SHORT})]]),
        tools_of(Path.cwd(), []),
        middleware=[PenstockMiddleware()],
        checkpointer=saver,
    )


def deepagents(saver: Any) -> Any:
    from deepagents import create_deep_agent

    from penstock.langgraph import PenstockBackend

    inner = Scripted(turns=[[("write_file", {"file_path": "/app.py", "content": SHORT})]])
    helper: Any = {"name": "h", "description": "h", "system_prompt": "h", "model": inner}
    handed = {"description": "write", "subagent_type": "h"}
    return create_deep_agent(
        Scripted(turns=[[("task", handed)]]),
        subagents=[helper],
        backend=PenstockBackend(),
        checkpointer=saver,
    )


AGENTS = {"langchain": langchain, "deepagents": deepagents}


def main(kind: str, where: str, what: str) -> None:
    with kept_in("sqlite", where) as saver:
        agent = AGENTS[kind](saver)
        if what == "start":
            (asked,) = agent.invoke({"messages": [("user", "go")]}, THREAD)["__interrupt__"]
            print(json.dumps(asked.value), flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
        result = go_on(agent, [{"type": "approve"}])
        print(json.dumps([one.status for one in said(result)]), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
