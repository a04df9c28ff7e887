"""Try every fault on every scenario, then power cuts, then the races at full length.

`python -m tests.faults` does all of it; `--only NAME` chooses, `--every N` and `--sample N` thin
out. Every fault is tried at every step; `--all-calls` also strikes system calls that are the same
step as another one (see `rehearsal`), which takes hours. With `--progress FOLDER`, as `make faults`
says, it goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
import subprocess
import sys

import tests.faults
from tests.faults import power
from tests.faults.progress import Progress
from tests.faults.scenario import Result, Scenario, try_all
from tests.faults.tracer import can_inject_errors, why_not

SHIPPING = (
    "test_a_sink_that_refuses_now_and_then_and_goes_away_gets_everything",
    "test_a_killed_process_loses_nothing",
    "test_a_real_collector_gets_every_entry",
    "test_a_real_rsyslog_gets_every_entry",
    "test_a_real_rsyslog_gets_every_entry_by_tls",
)


def scenarios() -> list[Scenario]:
    """Return the scenarios of every module of this package that has some."""
    names = [module.name for module in pkgutil.iter_modules(tests.faults.__path__)]
    wanted = [name for name in names if name not in ("__main__",) and not name.startswith("test_")]
    modules = [importlib.import_module(f"tests.faults.{name}") for name in wanted]
    return [one for module in modules for one in getattr(module, "SCENARIOS", [])]


def report(scenario: Scenario, results: list[Result]) -> bool:
    """Print the results of a scenario; True when they are as they should be."""
    found = sum(len(result.problems) for result in results)
    tried = ", ".join(f"{result.fault} {_of(result)}" for result in results)
    good = bool(found) == scenario.fails
    word = "ok  " if good else "BAD "
    told = f"{found} found, as it must be" if scenario.fails and good else f"{found} problem(s)"
    print(f"{word}{scenario.name:40} {told:24} tried: {tried}", flush=True)
    if not good:
        for problem in [text for result in results for text in result.problems][:20]:
            print(f"     {problem}")
    return good


def _of(result: Result) -> str:
    """Return how many struck, and of how many where some did not find their call again."""
    missed = result.planned - result.tried
    return f"{result.tried} of {result.planned}" if missed else str(result.tried)


def races(applies: int) -> bool:
    """Run the race tests with many applies."""
    command = [sys.executable, "-m", "pytest", "-q", "-s", "tests/stores/files/test_races.py"]
    environment = {**os.environ, "PENSTOCK_RACES": str(applies)}
    return subprocess.run(command, env=environment, check=False).returncode == 0


def shipping(entries: int, folder: str) -> bool:
    """Ship many entries to real receivers; one that got them all is not asked again."""
    good = True
    for name in SHIPPING:
        done = Progress(folder, f"ship {entries} {name}") if folder else None
        if done and done.is_done:
            continue
        test = f"tests/app/test_ship.py::{name}"
        command = ["nice", "-n", "19", sys.executable, "-m", "pytest", "-q", test]
        environment = {**os.environ, "PENSTOCK_SHIPPED": str(entries)}
        survived = subprocess.run(command, env=environment, check=False).returncode == 0
        print(f"{'ok  ' if survived else 'BAD '}{name}, {entries:,} entries", flush=True)
        if done and survived:
            done.finish()
        good = good and survived
    return good


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="strike at every Nth call only")
    parser.add_argument("--first", type=int, default=1, help="the first call to strike at")
    parser.add_argument("--call", default="", help="strike at the calls of this name only")
    parser.add_argument("--fault", default="", help="those whose name begins so: kill, EIO, ...")
    parser.add_argument("--sample", type=int, default=0, help="so many faults, spread evenly")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="at a time")
    parser.add_argument(
        "--only", action="append", default=[], help="scenarios whose name begins so"
    )
    parser.add_argument(
        "--progress", default="", help="a folder that remembers what was survived by this code"
    )
    parser.add_argument("--all-calls", action="store_true", help="every call, not every step")
    parser.add_argument("--no-power", action="store_true", help="leave out the power cuts")
    parser.add_argument("--races", type=int, default=20_000, help="applies per race; 0 for none")
    parser.add_argument("--ship", type=int, default=1_000_000, help="entries to ship; 0 for none")
    options = parser.parse_args()
    if reason := why_not():
        print(f"SKIPPED: every fault of this harness, because {reason}", file=sys.stderr)
        return 3
    if not can_inject_errors():
        print("SKIPPED: failing calls, because this is not x86-64", file=sys.stderr)
    only = tuple(options.only) or ("",)
    chosen = [one for one in scenarios() if one.name.startswith(only)]
    names = ("every", "first", "call", "sample", "jobs", "progress", "fault", "all_calls")
    where = {name: getattr(options, name) for name in names}
    good = [report(one, try_all(one, **where)) for one in chosen]
    if not options.no_power:
        good.append(power.main(only))
    if options.races and not options.only:
        good.append(races(options.races))
    if options.ship and (not options.only or "ship" in options.only):
        good.append(shipping(options.ship, options.progress))
    print(f"{good.count(False)} of {len(good)} scenarios are not as they should be")
    return 0 if all(good) and good else 1


if __name__ == "__main__":
    sys.exit(main())
