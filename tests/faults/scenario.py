"""What a scenario is, and how every fault is tried on it."""

from __future__ import annotations

import errno
import gc
import importlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Set
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any

from tests.faults.progress import Progress
from tests.faults.rehearsal import Rehearsal, Watch
from tests.faults.tracer import FILE_CALLS, HELPER, Plan, Trace, can_inject_errors, run

TRIES = 4
EVERY_CALL = frozenset(FILE_CALLS.values())
# Calls that take room on a disk, and calls that wait and so can be interrupted, by their manuals.
WRITES = {"write", "pwrite64", "writev", "truncate", "ftruncate", "fallocate"}
OPENS = {"open", "openat", "openat2", "creat", "close", "fsync", "fdatasync"}
NAMES = {"mkdir", "mkdirat", "rename", "renameat", "renameat2", "link", "linkat", "symlink"}
TAKES_ROOM = WRITES | OPENS | NAMES | {"symlinkat", "fsetxattr"}
WAITS = WRITES | OPENS | {"read", "pread64", "fcntl", "flock", "getrandom"}
ERRORS = {
    "EIO": (errno.EIO, EVERY_CALL),
    "ENOSPC": (errno.ENOSPC, TAKES_ROOM),
    "EINTR": (errno.EINTR, WAITS),
}


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """One thing to do, tried in a fresh directory for every fault.

    `prepare(folder)` sets the stage. `act(folder)` does the thing in a process of its own and
    returns `ok`, or `error CODE` for an error of ours; another exception counts as a fault of
    the program. `ready(folder)` comes before it in the same process and is spared of faults.
    `check(folder, answer)` is asked afterwards, with None when the process was killed before it
    answered; it recovers, looks, and raises AssertionError. `clear(folder)` is called in the end.
    `undecided` are answers that only a disk which stays broken excuses.
    `fails` turns the scenario into a control: at least one fault must be found by `check`.
    """

    name: str
    prepare: Callable[[str], None]
    act: Callable[[str], str]
    check: Callable[[str, str | None], None]
    ready: Callable[[str], None] = lambda _: None
    clear: Callable[[str], None] = lambda _: None
    undecided: frozenset[str] = frozenset()
    fails: bool = False

    def traced(self, folder: str, plan: Plan) -> Trace:
        """Do the thing in a process of its own, with faults as planned."""
        return run(lambda: self.act(folder), plan, ready=lambda: self.ready(folder))


@dataclass
class Result:
    """How many faults of one sort were tried on a scenario, and which were not survived."""

    scenario: str
    fault: str
    planned: int = 0
    tried: int = 0  # those that struck the call which they were planned for
    problems: list[str] = field(default_factory=list)


def stage() -> tempfile.TemporaryDirectory[str]:
    """Return a fresh directory, in memory where there is one: a kill needs no slow disk."""
    memory = "/dev/shm"
    usable = os.path.isdir(memory) and os.access(memory, os.W_OK)
    return tempfile.TemporaryDirectory(prefix="penstock-faults-", dir=memory if usable else None)


@contextmanager
def prepared(scenario: Scenario) -> Iterator[str]:
    """Give a fresh directory in which the stage is set, and clear it afterwards."""
    with stage() as folder:
        try:
            scenario.prepare(folder)
            yield folder
        finally:
            scenario.clear(folder)


def import_late(scenario: Scenario) -> None:
    """Import what the thing imports when it is done: a fault is for a step, not for an import."""
    with prepared(scenario) as folder, tempfile.NamedTemporaryFile("r") as names:
        child = os.fork()
        if child == 0:
            try:
                scenario.ready(folder)
                scenario.act(folder)
                with open(names.name, "w", encoding="utf-8") as file:
                    file.write("\n".join(sys.modules))
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        late = [name for name in names.read().split() if name not in sys.modules]
    for name in late:
        with suppress(ImportError):  # some only look like modules
            importlib.import_module(name)


def rehearse(scenario: Scenario) -> Rehearsal:
    """Return the system calls of a run without faults, which must end well."""
    import_late(scenario)
    _, problem = try_one(
        scenario, Plan()
    )  # what is asked of the machine once is known from here on
    assert not problem, f"{scenario.name}: {problem}"
    with prepared(scenario) as folder:
        gc.collect()  # a connection to a database that is looked at here would lose its locks
        watch = Watch(folder)
        trace = run(
            lambda: watch.act(lambda: scenario.act(folder)),
            Plan(pause=watch.pause),
            ready=lambda: scenario.ready(folder),
        )
        assert trace.answer == "ok", f"{scenario.name}: {trace.answer}"
        scenario.check(folder, trace.answer)
    return watch.rehearsal(trace.calls)


def faults(
    known: Rehearsal,
    *,
    every: int = 1,
    first: int = 1,
    call: str = "",
    sample: int = 0,
    fault: str = "",
    all_calls: bool = False,
) -> list[tuple[str, Plan]]:
    """Return each `fault` at each step (or at every third from the first on, or of one name).

    With `all_calls`, also at calls that are the same step as another one. A `sample` is that many
    of them, spread evenly over all faults and all calls.
    """
    calls = known.calls
    points = [at for at in range(first, len(calls) + 1, every) if call in ("", calls[at - 1])]
    if not (all_calls or every > 1 or call):
        found = list(
            _at(calls, [at for at in points if at in known.apart], known.fresh & {*points})
        )
    else:
        found = list(_at(calls, points, frozenset(points)))
    found = [(name, plan) for name, plan in found if name.startswith(fault)]
    if not 0 < sample < len(found):
        return found
    return [found[at * len(found) // sample] for at in range(sample)]


def _at(calls: list[str], points: list[int], kills: Set[int]) -> Iterator[tuple[str, Plan]]:
    for at in sorted(kills):
        yield "kill", Plan(at=at, kill=True)
    for at in points:
        if calls[at - 1].startswith(HELPER):
            yield "kill the forked one", Plan(at=at, kill=True, alone=True)
    if not can_inject_errors():
        return
    for name, (number, struck) in ERRORS.items():
        for at in points:
            if calls[at - 1].removeprefix(HELPER) in struck:
                yield name, Plan(at=at, error=number)
    for at in points:
        if calls[at - 1].removeprefix(HELPER) in EVERY_CALL:
            yield "EIO from there on", Plan(at=at, error=errno.EIO, lasting=True)


def try_all(
    scenario: Scenario, *, jobs: int = 1, progress: str = "", **chosen: Any
) -> list[Result]:
    """Try every fault on a scenario, or those that are `chosen`, in so many processes.

    What was survived before, as the folder `progress` says, is not tried again.
    """
    known = rehearse(scenario)
    calls = known.calls
    before = Progress(progress, scenario.name) if progress else None
    results: dict[str, Result] = {}
    left: list[tuple[str, Plan]] = []
    for fault, plan in faults(known, **chosen):
        result = results.setdefault(fault, Result(scenario.name, fault))
        result.planned += 1
        struck = before.survived(plan, calls[plan.at - 1]) if before else None
        if struck is None:
            left.append((fault, plan))
        else:
            result.tried += struck
    with ProcessPoolExecutor(jobs, mp_context=get_context("fork")) as workers:
        # What a scenario holds cannot be sent to another process, and need not: it is forked.
        _FORKED.append((scenario, calls))
        for (fault, plan), (struck, problem) in zip(
            left, workers.map(_try, [plan for _, plan in left], chunksize=8), strict=True
        ):
            results[fault].tried += struck
            if problem:
                results[fault].problems.append(f"{fault} at call {plan.at} {problem}")
            elif before:
                before.note(plan, calls[plan.at - 1], struck=struck)
    return list(results.values())


_FORKED: list[tuple[Scenario, list[str]]] = []


def _try(plan: Plan) -> tuple[bool, str]:
    """Try one fault; once more where the calls before it were not the usual ones.

    Now and then a call comes in between, and the fault would strike another one.
    """
    scenario, calls = _FORKED[-1]
    for _ in range(TRIES):
        trace, problem = try_one(scenario, plan)
        meant = _is_expected(trace.calls[: plan.at], calls, plan.at)
        if problem or meant:
            break
    where = trace.calls[plan.at - 1] if len(trace.calls) >= plan.at else "?"
    return trace.struck and meant, f"({where}): {problem}" if problem else ""


def _is_expected(found: list[str], calls: list[str], at: int) -> bool:
    """Say whether a fault struck what it was meant for.

    In which order two processes make their calls is the kernel's affair.
    """
    if found[-1:] != calls[at - 1 : at]:
        return False
    mine, theirs = _by_process(found), _by_process(calls)
    return all(calls[: len(one)] == one for one, calls in zip(mine, theirs, strict=True))


def _by_process(calls: list[str]) -> tuple[list[str], list[str]]:
    forked = [one for one in calls if one.startswith(HELPER)]
    return [one for one in calls if not one.startswith(HELPER)], forked


def try_one(scenario: Scenario, plan: Plan) -> tuple[Trace, str]:
    """Try one fault; return what happened and what is wrong with it, if anything."""
    with prepared(scenario) as folder:
        trace = scenario.traced(folder, plan)
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
        except Exception as problem:  # a fault that the check did not think of
            return trace, f"answered {trace.answer}: {type(problem).__name__}: {problem}"
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
