"""Questions of the rule reviewer: about rules, about a million decisions, and the replay.

A question is a process of its own, and its start counts: 300 ms for one about rules or one call,
half a second for the newest of a million decisions. What counts all of them, and the replay, are
measured beside reading the same lines as JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.row import Row, best_of

MILLION = int(os.environ.get("PENSTOCK_BENCH_EVENTS", "1000000"))
REPLAYED = 100_000
ROUNDS = 9
MOST = 0.3  # seconds
START = "import sys; from penstock.reviewer import main; main(sys.argv[1:])"
AREA = "reviewer_queries"
RULES = """
[audit]
audit_file = "{log}"

[[deny]]
id = "deny-rm"
tool = "Bash"
command_regex = "^rm .*-rf"

[[allow]]
id = "allow-cargo"
tool = "Bash"
command_regex = "^cargo (build|test)"
"""
NPM = '[[allow]]\nid = "npm"\ntool = "Bash"\ncommand_regex = "^npm install( |$)"\n'
COMMANDS = ("npm install p{}", "cargo test t{}", "git status", "rm -rf b{}", "ls src/{} | head")
DECISIONS = ("allow", "allow", "passthrough", "deny", "passthrough")


def rows() -> Iterator[Row]:
    """Measure a small log first, then a large one."""
    with _place() as place:
        yield from _about_rules(place)
        yield from _about_a_million(place)
        yield from _replay(place)


@contextmanager
def _place() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="penstock-bench-") as folder:
        place = Path(folder)
        config = place / "claude-code-permissions-hook.toml"
        config.write_text(RULES.replace("{log}", str(place / "log")))
        os.utime(config, (1, 1))
        yield place


def _line(number: int) -> str:
    kind = number % 5
    minute, second = divmod(number * 2 % 86400, 60)
    day = 1 + number * 2 // 86400 % 28
    event = {
        "timestamp": f"2025-12-{day:02}T{minute // 60:02}:{minute % 60:02}:{second:02}.123456789Z",
        "session_id": f"s{number // 1000}",
        "tool_name": "Bash",
        "tool_input": {"command": COMMANDS[kind].format(number % 997)},
        "decision": DECISIONS[kind],
        "reason": "Matched rule for Bash",
        "cwd": "/p",
    }
    return json.dumps(event, separators=(",", ":")) + "\n"


def _write(place: Path, count: int) -> Path:
    path = place / "log"
    with path.open("w") as file:
        file.writelines(_line(number) for number in range(count))
    return path


def _asking(place: Path, **query: object) -> Callable[[], object]:
    environ = {**os.environ, "HOME": str(place), "XDG_STATE_HOME": str(place / "state")}
    environ.pop("PYTHONDONTWRITEBYTECODE", None)  # nobody compiles the program at every question
    words = [sys.executable, "-c", START, "query", json.dumps(query)]

    def ask() -> None:
        done = subprocess.run(words, cwd=place, env=environ, capture_output=True, check=True)
        assert b'"query_time_ms"' in done.stdout

    return ask


def _nothing() -> None:
    subprocess.run([sys.executable, "-c", "pass"], check=True)


def _timed(place: Path, names: dict[str, dict[str, object]], most: float) -> Iterator[Row]:
    calls = [_nothing, *(_asking(place, **query) for query in names.values())]
    for call in calls:
        call()  # the index is there from here on
    start, *times = best_of(calls, rounds=ROUNDS)
    for name, took in zip(names, times, strict=True):
        yield Row(
            area=AREA,
            name=name,
            subject=took,
            baseline=most,
            beside=f"{most * 1000:.0f} ms",
            limit=1,
            note=f"{(took - start) * 1000:.0f} ms more",
        )


def _about_rules(place: Path) -> Iterator[Row]:
    _write(place, 1000)
    given = {"command": "cargo test"}
    names: dict[str, dict[str, object]] = {
        "query rule": {"type": "rule"},
        "query config": {"type": "config", "full": True},
        "query match_test": {"type": "match_test", "tool": "Bash", "input": given},
    }
    yield from _timed(place, names, MOST)


def _about_a_million(place: Path) -> Iterator[Row]:
    path = _write(place, MILLION)
    lines = path.read_bytes().split(b"\n")[: MILLION // 10]
    parsing = best_of([lambda: _parse(lines)], rounds=1)[0] * 10
    asking = {"stats": {}, "stats since": {"since": "2025-12-20"}}
    for name, more in asking.items():
        began = time.perf_counter()
        _asking(place, type="stats", **more)()
        yield Row(
            area=AREA,
            name=f"query {name}, {MILLION} decisions",
            subject=time.perf_counter() - began,
            baseline=parsing,
            beside="json.loads of every line",
            limit=3,
            note=f"{path.stat().st_size >> 20} MB",
        )
    newest: dict[str, object] = {"type": "log", "decision": "deny", "last_n": 100}
    yield from _timed(place, {f"query log, {MILLION} decisions": newest}, 0.5)


def _parse(lines: list[bytes]) -> None:
    for line in lines:
        json.loads(line or b"{}")


def _replay(place: Path) -> Iterator[Row]:
    """Replay all: reading the log included, as a dry run does."""
    from penstock.core.learning.impact import impact
    from penstock.core.rules.load import parse_policy
    from penstock.stores.decisions.query import recent

    path = str(_write(place, REPLAYED))
    file = "claude-code-permissions-hook.toml"
    before, after = parse_policy(RULES, file=file), parse_policy(RULES + NPM, file=file)

    lines = Path(path).read_bytes().split(b"\n")

    def replay() -> None:
        found = impact(before, after, recent([path], REPLAYED))
        assert found.replayed == REPLAYED

    took, parsing = best_of([replay, lambda: _parse(lines)], rounds=3)
    yield Row(
        area=AREA,
        name=f"impact of a rule on {REPLAYED} decisions",
        subject=took,
        baseline=parsing,
        beside="json.loads of every line",
        limit=5,
    )
