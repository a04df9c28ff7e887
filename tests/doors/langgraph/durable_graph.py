"""One process of a graph whose state is kept: `python -m tests.doors.langgraph.durable_graph ...`.

`start` runs to the question, prints it and is killed; `resume` answers it and prints the state.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.types import Command

from penstock.langgraph import build_graph

THREAD: Any = {"configurable": {"thread_id": "thread-1"}}


@contextmanager
def kept_in(kind: str, where: str) -> Iterator[BaseCheckpointSaver[Any]]:
    if kind == "sqlite":
        from langgraph.checkpoint.sqlite import SqliteSaver

        with SqliteSaver.from_conn_string(where) as saver:
            yield saver
        return
    from langgraph.checkpoint.postgres import PostgresSaver

    with PostgresSaver.from_conn_string(where) as saver:
        saver.setup()
        yield saver


def go_on(graph: Any, decisions: Any) -> Any:
    """Do what a program does that does not know how far another one came."""
    state = graph.get_state(THREAD)
    if state.interrupts:
        return graph.invoke(Command(resume={"decisions": decisions}), THREAD)
    return graph.invoke(None, THREAD) if state.next else state.values


def main(kind: str, where: str, what: str, given: str) -> None:
    with kept_in(kind, where) as saver:
        graph = build_graph(checkpointer=saver)
        if what == "start":
            result = graph.invoke({"pending_writes": json.loads(given)}, THREAD)
            (asked,) = result["__interrupt__"]
            print(json.dumps(asked.value), flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
        print(json.dumps(go_on(graph, json.loads(given))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
