"""Run a command as a process that has cut itself off from whoever started it.

It has a session of its own, only init above it, clean variables and no terminal: nothing around
it tells who is behind it.
"""

from __future__ import annotations

import json
import subprocess
import sys

from tests.project import Done, Project

ORPHAN = """
import json, os, subprocess, sys, time
reading, writing = os.pipe()
if os.fork():
    os.close(writing)
    with os.fdopen(reading) as answer:
        print(answer.read())
    os._exit(0)
os.setsid()
first = os.getpid()
if os.fork():
    os._exit(0)
for _ in range(2000):
    if os.getppid() != first:
        break
    time.sleep(0.005)
command, kept = json.loads(sys.argv[1]), json.loads(sys.argv[2])
done = subprocess.run(command, env=kept, stdin=subprocess.DEVNULL, capture_output=True, text=True)
with os.fdopen(writing, "w") as answer:
    json.dump([done.returncode, done.stdout, done.stderr], answer)
"""
KEPT = ("HOME", "PATH", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "LANG")


def cut_off(project: Project, *argv: str, program: str = "penstock.cli", **env: str) -> Done:
    """Run `penstock ARGV` as an orphan with a session of its own and nothing on its stdin."""
    command = [sys.executable, "-m", program, *argv]
    return run_cut_off(project, command, **env)


def run_cut_off(project: Project, command: list[str], **env: str) -> Done:
    """Run any command like that."""
    kept = {name: value for name, value in project.environ.items() if name in KEPT}
    done = subprocess.run(
        [sys.executable, "-c", ORPHAN, json.dumps(command), json.dumps({**kept, **env})],
        cwd=project.root,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    code, out, err = json.loads(done.stdout)
    return Done(code, out, err)
