"""Kill a process that does what a person decided, at one system call after the other.

Another process goes on from what is kept, and then looks whether anything was lost or written
twice. What is asked and decided is the scene's.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pytest

from penstock.app import open_workspace
from tests import REPOSITORY
from tests.faults.scenario import stage
from tests.faults.tracer import Plan, run, why_not

# Read once, when LangGraph is imported: only another process can have it on.
STRICT = {"LANGGRAPH_STRICT_MSGPACK": "true", "PYTHONPATH": str(REPOSITORY)}
NOT_TRACED = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class Killed:
    """A scene: make it and ask, answer, and look; each in its folder, each says `ok` or why not."""

    prepare: Callable[[str], None]
    ask: Callable[[], str]
    answer: Callable[[], str]
    check: Callable[[], str]

    def at(self, call: int) -> str:
        """Kill the answer at one call and go on; at 0, return how many calls there are."""
        with stage() as folder:
            self.prepare(f"{folder}/project")
            assert run(lambda: _inside(folder, self.ask), Plan()).answer == "ok"
            plan = Plan(at=call, kill=call > 0)
            trace = run(lambda: _inside(folder, self.answer), plan)
            if not call:
                return str(len(trace.calls)) if trace.answer == "ok" else f"crash {trace.answer}"
            looked = run(lambda: _inside(folder, self.check), Plan()).answer
            return looked or "the process ended without an answer"


def _inside(folder: str, step: Callable[[], str]) -> str:
    os.chdir(f"{folder}/project")
    os.environ["HOME"] = f"{folder}/home"
    os.environ["XDG_STATE_HOME"] = f"{folder}/state"
    os.environ["XDG_CONFIG_HOME"] = f"{folder}/config"
    return step()


def recorded(writes: Mapping[str, int]) -> str:
    """Say whether the record is sound and tells of just these writes."""
    here = open_workspace()
    # A kill between a line and the queue leaves a second line about the same write, by recovery.
    told = {(e["path"], e["proposal"]) for e in here.record.events() if e["op"] == "applied"}
    applied = Counter(str(path) for path, _ in told)
    if applied != writes:
        return f"the record tells of {applied}"
    problems = here.verify().problems
    return f"the record is not sound: {problems}" if problems else "ok"


def every_kill_is_survived(module: str) -> None:
    """Run a scene in a process of its own, where nothing else is traced; skip where none can be."""
    done = subprocess.run(
        [sys.executable, "-m", module, "--points", "8"],
        env={**os.environ, **STRICT},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    if done.returncode == NOT_TRACED:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "8 kills" in done.stdout


def main(scene: Killed, points: int) -> int:
    """Try so many calls, spread over the whole answer."""
    problem = why_not()
    if problem:
        print(f"no process can be traced here: {problem}", file=sys.stderr)
        return NOT_TRACED
    calls = int(scene.at(0))
    places = [1 + calls * number // points for number in range(points)]
    wrong = [f"at call {at} of {calls}: {said}" for at in places if (said := scene.at(at)) != "ok"]
    print(f"{len(places)} kills over {calls} calls", *wrong, sep="\n")
    return 1 if wrong else 0
