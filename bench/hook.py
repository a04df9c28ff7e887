"""The hook as agents start it, beside a bare start of the same interpreter in the same run.

A call is a process: it starts, reads the agent's JSON, answers and ends. The hook is that of a
wheel, built and installed for this run, because a checkout has not its modules as one. Commands
and rewrites are judged by the daemon that the start of a session leaves behind; what a
command costs without it is measured as well. Times are CPU time, the daemon's included, but for
the slowest under load: there four busy processes share the machine.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench import wheel
from bench.row import Row, least_cpu
from penstock.core.own_commands import HOOK_PROGRAM
from penstock.doors.setup.scopes import shared_command

AREA = "hook"
LAUNCHER = "penstock/hook.py"
BARE = [sys.executable, "-I", "-S", "-c", "pass"]
BIG = "".join(f"line {n}\n" for n in range(1, 271))
SHORT = "".join(f"line {n}\n" for n in range(1, 57))
ROUNDS = 40
BUSY = 4
CALLS_UNDER_LOAD = 40
COMMON, MEASURED, SHARED, FIRST = 1.25, 2.0, 2.5, 30.0

# What installers write as `penstock-hook`: the older ones, and those of today.
OLD = """import re
import sys
from penstock.hook import main
if __name__ == '__main__':
    sys.argv[0] = re.sub(r'(-script\\.pyw|\\.exe)?$', '', sys.argv[0])
    sys.exit(main())
"""
NEW = """import sys
from penstock.hook import main
if __name__ == '__main__':
    sys.exit(main())
"""

# What is called, and how many bare starts it may cost.
CALLS: tuple[tuple[str, str, dict[str, str], float], ...] = (
    ("Read, a source file", "Read", {"file_path": "big.py"}, COMMON),
    ("Read, denied", "Read", {"file_path": ".env"}, COMMON),
    ("Write, a new file", "Write", {"file_path": "new.txt", "content": "x\n"}, COMMON),
    ("Write, the agent is told a note", "Write", {"file_path": "src/a.py", "content": "x"}, COMMON),
    ("Write, denied", "Write", {"file_path": ".env", "content": "x"}, COMMON),
    (
        "Edit, a large file",
        "Edit",
        {"file_path": "big.py", "old_string": "line 7\n", "new_string": "line seven\n"},
        COMMON,
    ),
    (
        "Write, a large file with few changes",
        "Write",
        {"file_path": "big.py", "content": BIG.replace("line 100\n", "")},
        MEASURED,
    ),
    ("Write, a large file replaced", "Write", {"file_path": "big.py", "content": SHORT}, MEASURED),
    ("Bash, a plain command", "Bash", {"command": "ls -la"}, MEASURED),
    ("Bash, one that writes", "Bash", {"command": "echo x > .env && sed -i s/a/b/ c"}, MEASURED),
)


class Project:
    """A project with the hook's state, in a place of its own."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.root = f"{place}/project"
        self.hook = [sys.executable, "-I", "-S", f"{wheel.installed(place)}/{LAUNCHER}", "claude"]
        self.programs = _environment(place)
        self.environ = {
            "HOME": place,
            "PATH": os.environ.get("PATH", ""),
            "CLAUDE_PROJECT_DIR": self.root,
        }
        os.makedirs(f"{self.root}/.git")
        with open(f"{self.root}/big.py", "w", encoding="utf-8") as file:
            file.write(BIG)

    def call(self, tool: str, given: dict[str, str], event: str = "PreToolUse") -> bytes:
        """Return the JSON of a call, with its path as Claude Code sends it."""
        path = {"file_path": f"{self.root}/{given['file_path']}"} if "file_path" in given else {}
        document = {
            "session_id": "bench",
            "cwd": self.root,
            "hook_event_name": event,
            "tool_name": tool,
            "tool_input": {**given, **path},
            "tool_use_id": "toolu_bench",
        }
        return json.dumps(document).encode()

    def run(self, data: bytes, **more: str) -> None:
        """Call the hook once."""
        env = {**self.environ, **more}
        quiet = subprocess.DEVNULL
        subprocess.run(self.hook, input=data, env=env, cwd="/", stdout=quiet, check=True)

    def calling(self, data: bytes) -> Callable[[], None]:
        """Return a call of the hook, to be timed."""
        return lambda: self.run(data)

    def run_shared(self, data: bytes) -> None:
        """Call the hook as `penstock init --shared` registers it: found on PATH, by a shell."""
        env = {**self.environ, "PATH": f"{self.programs}:/usr/bin:/bin"}
        command = ["/bin/sh", "-c", shared_command("claude")]
        quiet = subprocess.DEVNULL
        subprocess.run(command, input=data, env=env, cwd="/", stdout=quiet, check=True)

    def bare(self) -> None:
        """Start the same interpreter in the same way, for nothing."""
        subprocess.run(BARE, input=b"", env=self.environ, cwd="/", check=True)


def _environment(place: str) -> str:
    """Install the same wheel into an environment of its own; return where its programs are."""
    folder = f"{place}/environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    there = ["--python", f"{folder}/bin/python", "install", *wheel.OFFLINE]
    subprocess.run([*wheel.PIP, *there, str(wheel.built(place))], check=True)
    return f"{folder}/bin"


@contextmanager
def project() -> Iterator[Project]:
    """A project whose daemon is up; it is ended with it."""
    with tempfile.TemporaryDirectory() as place:
        made = Project(place)
        try:
            made.run(made.call("", {}, "SessionStart"))
            _wait_for_daemon(place)
            yield made
        finally:
            for process in list(_daemons(place)):
                os.kill(process, signal.SIGKILL)


def _wait_for_daemon(place: str) -> None:
    for _ in range(200):
        if any(path.is_socket() for path in Path(place).glob(".local/state/penstock/engine-*")):
            return
        time.sleep(0.05)


def _daemons(place: str) -> Iterator[int]:
    """Yield the processes of the daemon that hooks with this home have started."""
    wanted = f"HOME={place}".encode()
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            environ = Path(f"/proc/{number}/environ").read_bytes().split(b"\0")
            command = Path(f"/proc/{number}/cmdline").read_bytes()
        except OSError:
            continue
        if wanted in environ and b"hook.daemon" in command:
            yield int(number)


def _under_load(here: Project) -> float:
    """Return the slowest of many calls while four processes keep the machine busy."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(BUSY)]
    slowest = 0.0
    try:
        for at in range(CALLS_UNDER_LOAD):
            _, tool, given, _ = CALLS[at % len(CALLS)]
            start = time.perf_counter()
            here.run(here.call(tool, given))
            slowest = max(slowest, time.perf_counter() - start)
    finally:
        for child in busy:
            child.kill()
            child.wait()
    return slowest


def _shared(here: Project, call: bytes) -> Iterator[Row]:
    """Measure a call as `--shared` registers it, by the launchers that installers write."""
    program = Path(here.programs, HOOK_PROGRAM)
    for made, text in (("pip 23, which imports `re`", OLD), ("pip 24 or later, and by uv", NEW)):
        program.write_text(f"#!{here.programs}/python\n{text}", encoding="utf-8")
        bare, shared = least_cpu([here.bare, lambda: here.run_shared(call)], rounds=ROUNDS)
        yield Row(
            area=AREA,
            name=f"Write, a new file, as --shared registers it; launcher by {made}",
            subject=shared,
            baseline=bare,
            beside="python -I -S -c pass",
            limit=SHARED,
        )


def _sealed(here: Project, call: bytes) -> Iterator[Row]:
    """Measure a call of an installation that the process can't write to."""
    out = wheel.keeping_out()
    hook = [*out, sys.executable, "-I", "-S", f"{wheel.sealed(here.place)}/{LAUNCHER}", "claude"]

    def start(argv: list[str], data: bytes) -> None:
        quiet = subprocess.DEVNULL
        subprocess.run(argv, input=data, env=here.environ, cwd="/", stdout=quiet, check=True)

    start(hook, call)
    bare, took = least_cpu(
        [lambda: start([*out, *BARE], b""), lambda: start(hook, call)], rounds=ROUNDS
    )
    yield Row(
        area=AREA,
        name="Write, a new file, installed read-only",
        subject=took,
        baseline=bare,
        beside="python -I -S -c pass",
        limit=COMMON,
    )
    wheel.unsealed(here.place)


def rows() -> Iterator[Row]:
    """Measure every kind of call beside a bare start."""
    with project() as here:
        runs = [here.calling(here.call(tool, given)) for _, tool, given, _ in CALLS]
        after = here.call("Write", {"file_path": "new.txt"}, "PostToolUse")
        every = [here.bare, *runs, here.calling(after)]
        bare, *times, post = least_cpu(every, rounds=ROUNDS, beside=list(_daemons(here.place)))
        beside = "python -I -S -c pass"
        for (name, _, _, limit), took in zip(CALLS, times, strict=True):
            yield Row(area=AREA, name=name, subject=took, baseline=bare, beside=beside, limit=limit)
        yield Row(area=AREA, name="after a Write", subject=post, baseline=bare, beside=beside)
        plain = here.call("Write", {"file_path": "new.txt", "content": "x\n"})
        yield from _shared(here, plain)
        yield from _sealed(here, plain)
        alone = here.call("Bash", {"command": "ls -la"})
        without = [here.bare, lambda: here.run(alone, PENSTOCK_RESIDENT="off")]
        bare, first = least_cpu(without, rounds=7)
        yield Row(
            area=AREA,
            name="Bash, without a resident",
            subject=first,
            baseline=bare,
            beside=beside,
            limit=FIRST,
            note="the first command of a session that none was started for",
        )
        yield Row(
            area=AREA,
            name="the slowest under load",
            subject=_under_load(here),
            baseline=1.0,
            beside="one second",
            limit=1.0,
            note=f"{BUSY} busy processes on {os.cpu_count()} cores",
        )
