"""What a scenario is, and how every fault is tried on it."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tests.faults.tracer import FILE_CALLS, Plan, Trace, can_inject_errors, run

ERRORS = {"EIO": errno.EIO, "ENOSPC": errno.ENOSPC, "EINTR": errno.EINTR}


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """One thing to do, tried in a fresh directory for every fault.

    `prepare(folder)` sets the stage. `act(folder)` does the thing in a process of its own and
    returns `ok`, or `error CODE` for an error of ours; another exception counts as a fault of
    the program. `check(folder, answer)` is asked afterwards, with None when the process was
    killed before it answered; it recovers, looks, and raises AssertionError.
    `undecided` are answers that only a disk which stays broken excuses.
    `fails` turns the scenario into a control: at least one fault must be found by `check`.
    """

    name: str
    prepare: Callable[[str], None]
    act: Callable[[str], str]
    check: Callable[[str, str | None], None]
    undecided: frozenset[str] = frozenset()
    fails: bool = False


@dataclass
class Result:
    """How many faults of one sort were tried on a scenario, and which were not survived."""

    scenario: str
    fault: str
    tried: int = 0
    problems: list[str] = field(default_factory=list)


def stage() -> tempfile.TemporaryDirectory[str]:
    """Return a fresh directory, in memory where there is one: a kill needs no slow disk."""
    memory = "/dev/shm"
    usable = os.path.isdir(memory) and os.access(memory, os.W_OK)
    return tempfile.TemporaryDirectory(prefix="penstock-faults-", dir=memory if usable else None)


def calls_of(scenario: Scenario) -> list[str]:
    """Return the system calls of a run without faults, which must end well."""
    with stage() as folder:
        scenario.prepare(folder)
        trace = run(lambda: scenario.act(folder), Plan())
        assert trace.answer == "ok", f"{scenario.name}: {trace.answer}"
        scenario.check(folder, trace.answer)
        return trace.calls


def faults(
    calls: list[str], *, every: int = 1, first: int = 1, call: str = ""
) -> Iterator[tuple[str, Plan]]:
    """Return each fault at each call (or at every third from the first on, or of one name)."""
    points = [at for at in range(first, len(calls) + 1, every) if call in ("", calls[at - 1])]
    for at in points:
        yield "kill", Plan(at=at, kill=True)
    if not can_inject_errors():
        return
    for name, number in ERRORS.items():
        for at in points:
            if calls[at - 1] in FILE_CALLS.values():
                yield name, Plan(at=at, error=number)
    for at in points:
        yield "EIO from there on", Plan(at=at, error=errno.EIO, lasting=True)


def try_all(scenario: Scenario, *, every: int = 1, first: int = 1, call: str = "") -> list[Result]:
    """Try every fault on a scenario."""
    scenario_calls = calls_of(scenario)
    results: dict[str, Result] = {}
    for fault, plan in faults(scenario_calls, every=every, first=first, call=call):
        result = results.setdefault(fault, Result(scenario.name, fault))
        trace, problem = try_one(scenario, plan)
        result.tried += trace.struck
        if problem:
            where = trace.calls[plan.at - 1] if len(trace.calls) >= plan.at else "?"
            result.problems.append(f"{fault} at call {plan.at} ({where}): {problem}")
    return list(results.values())


def try_one(scenario: Scenario, plan: Plan) -> tuple[Trace, str]:
    """Try one fault; return what happened and what is wrong with it, if anything."""
    with stage() as folder:
        scenario.prepare(folder)
        trace = run(lambda: scenario.act(folder), plan)
        if trace.answer is not None and trace.answer.startswith("crash"):
            return trace, trace.answer
        if trace.answer is None and not plan.kill:
            return trace, "the process ended without an answer"
        if trace.answer in scenario.undecided and not plan.lasting:
            return trace, f"one fault is no excuse for {trace.answer}"
        try:
            scenario.check(folder, trace.answer)
        except AssertionError as problem:
            return trace, f"answered {trace.answer}: {problem}"
        return trace, ""


def seen(folder: str) -> dict[str, bytes | None]:
    """Return every file below a directory with its content; None for a directory."""
    found: dict[str, bytes | None] = {}
    for at, folders, names in os.walk(folder):
        for name in folders:
            found[os.path.relpath(os.path.join(at, name), folder)] = None
        for name in names:
            with open(os.path.join(at, name), "rb") as file:
                found[os.path.relpath(os.path.join(at, name), folder)] = file.read()
    return found
