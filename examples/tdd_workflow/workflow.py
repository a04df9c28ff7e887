"""A graph that writes code until its tests pass, and a person who is asked on the way.

    python examples/tdd_workflow/workflow.py start DIR
    python examples/tdd_workflow/workflow.py answer DIR reject "keep the reduced rates"
    python examples/tdd_workflow/workflow.py start DIR --auto

`start` copies a small project to DIR and runs the workflow there. A scripted programmer stands in
for a language model: the first attempt is wrong, the second throws most of `prices.py` away, the
third is right. The gate lets the first one through, stops at the second one and asks; the process
ends with 3 and the question is kept. `answer` goes on in another process, today or next week.

With `--auto` nobody is asked, as in a CI job: the rewrite is blocked, the workflow says so, goes on
and ends with the third attempt.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command

from penstock.langgraph import TestingWorkflowState, build_graph

PROJECT = Path(__file__).parent / "project"
THREAD: Any = {"configurable": {"thread_id": "prices"}}
WRONG = "    return net + net * rate(country, goods)"
STILL_WRONG = "    return round(net + net * rate(country, goods), 2)"
RIGHT = "    return round(net + net * rate(country, goods) / 100, 2)"
SHORT = '''"""Prices, much shorter now."""


def price(net: float, country: str, goods: str = "") -> float:
    """Return what a customer pays."""
    return round(net * 1.19, 2)
'''


def generate(state: TestingWorkflowState) -> dict[str, str]:
    """Make an attempt. A model would read `task`, `test_output` and `rejected_writes`."""
    now = Path(state["project_root"], "prices.py").read_text(encoding="utf-8")
    attempts = [now.replace(WRONG, STILL_WRONG), SHORT, now.replace(STILL_WRONG, RIGHT)]
    return {"target_path": "prices.py", "new_content": attempts[state.get("attempts", 0)]}


def run_tests(state: TestingWorkflowState) -> subprocess.CompletedProcess[str]:
    """Run the project's own tests; whether they pass is all that the graph needs to know."""
    return subprocess.run(
        [sys.executable, "-B", "-m", "unittest", "check_prices"],
        cwd=state["project_root"],
        capture_output=True,
        text=True,
        check=False,
    )


@contextmanager
def workflow(folder: Path) -> Iterator[Any]:
    """Yield the graph; what it has done so far is kept beside the project."""
    with SqliteSaver.from_conn_string(str(folder / "checkpoints.db")) as saver:
        yield build_graph(generate, run_tests, checkpointer=saver, ask_by="interrupt")


def start(folder: Path, *, auto: bool = False) -> int:
    """Copy the project and run until somebody has to be asked; with `auto` nobody is."""
    shutil.copytree(PROJECT, folder / "project", ignore=shutil.ignore_patterns("__pycache__"))
    state = {
        "task": "round prices to cents",
        "project_root": str(folder / "project"),
        "auto_mode": auto,
    }
    with workflow(folder) as graph:
        return told(graph.invoke(state, THREAD))


def answer(folder: Path, kind: str, message: str = "") -> int:
    """Answer what was asked, and go on."""
    decision = {"type": kind, **({"message": message} if message else {})}
    with workflow(folder) as graph:
        asked = graph.get_state(THREAD).interrupts[0].value["action_requests"]
        answers = {"decisions": [decision for _ in asked]}
        return told(graph.invoke(Command(resume=answers), THREAD))


def told(result: dict[str, Any]) -> int:
    """Say how far it came: 0 when the tests pass, 3 when a person is asked, 1 otherwise."""
    for entry in result.get("approved_writes", []):
        print(f"written ({entry['outcome']}): {entry['request']['target_path']}")
    for entry in result.get("rejected_writes", []):
        print(f"not written: {entry['target_path']}: {entry['reason']}")
    if "__interrupt__" in result:
        for action in result["__interrupt__"][0].value["action_requests"]:
            print(f"asked: {action['description'].splitlines()[0]}")
        return 3
    print(f"tests {'pass' if result['tests_passed'] else 'fail'}, attempt {result['attempts']}")
    return 0 if result["tests_passed"] else 1


def main(what: str, where: str, *more: str) -> int:
    """Do what the command line says."""
    if what == "start":
        return start(Path(where), auto="--auto" in more)
    return answer(Path(where), *more)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
