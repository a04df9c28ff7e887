"""Deciding: many rules beside few, a call beside its measuring, a process beside a bare one."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence

from tests.fakes.files import MemoryFiles

from bench.matching import patterns
from bench.row import Row, best_of, command, each
from penstock.core.diff.measure import measure
from penstock.core.model import Action, Change, ChangeKind, Request, Verdict
from penstock.core.paths.relpath import locate
from penstock.core.policy.decide import decide
from penstock.core.policy.model import Layer, Policy
from penstock.core.policy.rule import FieldMatch, Rule
from penstock.core.rules.load import build, load_preset
from penstock.gate import Call, judge_call

AREA = "deciding"
ROOT = "/home/ada/project"
COUNTS = (10, 1_000, 10_000)
PATHS = ("src/app/main.py", "README.md", "zzz/yyy/xxx/www/module.zz", "config/.env")
COMMANDS = ("git status", "npm install && npm test", "sed -n 1,200p src/app/main.py | head -20")
TURNS = 50
ROUNDS = 40  # short turns and many of them: on a busy machine some are left alone


def path_policy(count: int) -> Policy:
    """Return a policy of path rules, each with one glob of the usual mix."""
    rules = tuple(
        Rule(id=f"path-{number}", verdict=Verdict.DENY, paths=(glob,))
        for number, glob in enumerate(patterns(count))
    )
    return Policy(layers=(Layer(name="bench", rules=rules),), revision="bench")


def command_policy(count: int) -> Policy:
    """Return a policy of command rules, each with one regex."""
    rules = tuple(
        Rule(
            id=f"command-{number}",
            verdict=Verdict.DENY,
            actions=frozenset(Action),
            tool="Bash",
            fields=(FieldMatch(name="command", regex=f"^tool{number} (run|exec) .*--force"),),
            per_leaf=True,
        )
        for number in range(count)
    )
    return Policy(layers=(Layer(name="bench", rules=rules),), revision="bench")


def path_requests() -> list[Request]:
    """Return ordinary writes: most meet no rule, one meets some."""
    change = Change(kind=ChangeKind.MODIFY, existing_lines=200, lines_deleted=3)
    return [
        Request(action=Action.WRITE, tool="Edit", target=locate(p, root=ROOT), change=change)
        for p in PATHS
    ]


def command_requests() -> list[Request]:
    """Return ordinary commands with their simple commands."""
    return [
        Request(
            action=Action.RUN,
            tool="Bash",
            tool_input={"command": text},
            leaves=tuple(part.strip() for part in text.replace("&&", "|").split("|")),
        )
        for text in COMMANDS
    ]


def asking(policy: Policy, requests: Sequence[Request]) -> Callable[[], None]:
    """Return a call that decides every request; the index is built before."""

    def ask() -> None:
        for request in requests:
            decide(request, policy, now=0.0)

    ask()
    return each(ask, times=TURNS)


def by_count(
    name: str, make: Callable[[int], Policy], requests: Sequence[Request]
) -> Iterator[Row]:
    """The same requests, among more and more rules."""
    times = best_of([asking(make(count), requests) for count in COUNTS], rounds=ROUNDS)
    took = [seconds / TURNS / len(requests) for seconds in times]
    for count, seconds in zip(COUNTS, took, strict=True):
        yield Row(
            area=AREA,
            name=f"decide, {count:,} {name}",
            subject=seconds,
            baseline=took[0],
            beside=f"10 {name}",
            limit=None if count == COUNTS[0] else 2,
            note=f"{seconds * 1e6:.1f} us a request",
        )


def whole_call() -> Iterator[Row]:
    """A Write of 1,000 lines over 1,000: all that judging adds to measuring."""
    before = b"".join(b"line %d of a file\n" % number for number in range(1_000))
    after = before.replace(b"line 5", b"LINE 5")
    files = MemoryFiles({"src/app.py": before})
    policy = build(load_preset("guard"))
    written = {"file_path": "src/app.py", "content": after.decode()}
    call = Call(tool="Write", tool_input=written)
    judge_call(files, policy, call, now=0.0)
    subject, baseline = best_of(
        [
            each(lambda: judge_call(files, policy, call, now=0.0), times=10),
            each(lambda: measure(before, after), times=10),
        ],
        rounds=ROUNDS,
    )
    yield Row(
        area=AREA,
        name="judge_call, Write of 1,000 lines, preset guard",
        subject=subject / 10,
        baseline=baseline / 10,
        beside="measure alone",
    )


def whole_process() -> Iterator[Row]:
    """`penstock judge` as a process; told, not judged: the hook is another, leaner program."""
    python = sys.executable
    write = '{"file_path": ".env", "content": "x"}'
    with tempfile.TemporaryDirectory() as root:
        os.mkdir(os.path.join(root, ".git"))
        ours = ("judge", "--tool", "Write", "--input", write, "--workspace", root)
        subject, baseline = best_of(
            [
                command(python, "-m", "penstock.cli", *ours),
                command(python, "-c", "pass"),
            ],
            rounds=5,
        )
    yield Row(
        area=AREA,
        name="penstock judge, the whole process",
        subject=subject,
        baseline=baseline,
        beside="python -c pass",
    )


def rows() -> Iterator[Row]:
    """Measure decisions by number of rules, then a whole call, then a whole process."""
    yield from by_count("path rules", path_policy, path_requests())
    yield from by_count("command rules", command_policy, command_requests())
    yield from whole_call()
    yield from whole_process()
