"""Whatever step of the hook fails, and however: the verdict, or `on_error`, and never silence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.doors.hook.hooks import LAUNCHER, Hook
from tests.project import Done, Project

FAULTY = str(Path(__file__).with_name("faulty.py"))
BIG = "".join(f"line {n}\n" for n in range(1, 301))
PROPOSE = 'preset = "guard"\n[gate]\nmode = "propose"\n'
STRICT = 'preset = "strict"\n'
HOOK = (sys.executable, "-I", "-S", LAUNCHER, "claude")
PATIENT, SHORT = 600.0, 0.2

FAULTS = ("ImportError", "ENOSPC", "MemoryError", "UnicodeError", "KeyboardInterrupt", "hang")
# What can happen at some steps besides.
MORE = {
    "parse": ("RecursionError", "TypeError"),
    "fast path": ("EACCES", "TypeError"),
    "judge": ("RecursionError", "SystemExit", "EACCES"),
    "before-image": ("EROFS", "EACCES"),
    "propose": ("locked", "corrupt", "EROFS"),
    "queue": ("locked", "corrupt"),
    "record": ("EROFS", "EACCES"),
}
# Each step, and which of the calls below come by it.
SECRET, RUN_SECRET, REPLACE, NEW, RUN = "secret", "command", "replace", "new file", "run"
EVERY = (SECRET, RUN_SECRET, REPLACE, NEW, RUN)
STEPS = {
    "read stdin": EVERY,
    "parse": EVERY,
    "fast path": (SECRET, NEW),
    "daemon": (RUN_SECRET, REPLACE, RUN),
    "policy": (RUN_SECRET, REPLACE, RUN),
    "judge": (RUN_SECRET, REPLACE, RUN),
    "advise": (RUN_SECRET, REPLACE, RUN),
    "before-image": (NEW,),
    "look": (RUN,),
    "propose": (REPLACE,),
    "queue": (REPLACE,),
    "record": EVERY,
    "notify": (REPLACE,),
    "words": (RUN_SECRET, RUN),
}
UNREAD = ("read stdin",)
ONE_OF_SEVERAL = ("fast path", "daemon", "notify")  # another way answers, or nothing depends on it
REFUSED = (SECRET, RUN_SECRET, REPLACE)


@dataclass(frozen=True)
class Cell:
    step: str
    fault: str
    call: str


CELLS = [
    Cell(step, fault, call)
    for step in STEPS
    for fault in (*FAULTS, *MORE.get(step, ()))
    for call in STEPS[step]
    if (step, fault) != ("read stdin", "hang")  # a test of its own, with a real stdin
]


def calls(hook: Hook) -> dict[str, dict[str, Any]]:
    tools = {
        SECRET: ("Write", {"file_path": hook.at(".env"), "content": "x"}),
        RUN_SECRET: ("Bash", {"command": "echo x > .env"}),
        REPLACE: ("Write", {"file_path": hook.at("big.py"), "content": "short\n"}),
        NEW: ("Write", {"file_path": hook.at("new.txt"), "content": "x"}),
        RUN: ("Bash", {"command": "ls"}),
    }
    return {
        name: hook.document("PreToolUse", tool, given, f"toolu_{at}")
        for at, (name, (tool, given)) in enumerate(tools.items())
    }


def run(hook: Hook, cells: list[Cell], *words: str) -> list[Done]:
    documents = calls(hook)
    given = [
        {
            "step": cell.step,
            "fault": cell.fault,
            "data": json.dumps(documents[cell.call]),
            "cwd": str(hook.project.root),
            "seconds": SHORT if cell.fault == "hang" else PATIENT,
            "argv": ["claude", *words],
        }
        for cell in cells
    ]
    done = subprocess.run(
        [sys.executable, "-I", "-S", FAULTY, LAUNCHER],
        input=json.dumps(given).encode(),
        env=hook.environ(),
        capture_output=True,
        timeout=300,
        check=True,
    )
    return [Done(one["code"], one["out"], one["err"]) for one in json.loads(done.stdout)]


def verdict(done: Done) -> str:
    """What the client would do: exit code 2 blocks, JSON decides, all else lets it run."""
    if done.code == 2:
        assert done.err, "a block without a reason is taken for a yes by some clients"
        return "deny"
    assert done.code == 0, done
    said = json.loads(done.out or "{}").get("hookSpecificOutput", {})
    found: str = said.get("permissionDecision", "allow")
    return found


@pytest.fixture
def hook(project: Project) -> Hook:
    project.write("penstock.toml", PROPOSE)
    project.write("big.py", BIG)
    found = Hook(project)
    found.write("notes.txt", "x")
    return found


def test_whatever_fails_the_verdict_is_given_or_on_error_with_a_word(hook: Hook) -> None:
    wrong = []
    count = len(hook.events())
    for cell, done in zip(CELLS, run(hook, CELLS), strict=True):
        refused = cell.call in REFUSED and cell.step not in UNREAD
        # Where nothing can be parsed, words are all there is; where that hangs, not even those.
        unread = cell.step == "parse" and (cell.call == REPLACE or cell.fault == "hang")
        expected = "allow" if unread or not refused else "deny"
        said = done.err or done.out if expected == "deny" else done.err
        quiet = cell.step in ONE_OF_SEVERAL
        if verdict(done) != expected or not (said or quiet) or "Traceback" in done.err:
            wrong.append((cell, done))
        told = '"systemMessage"' in done.out or (cell.step, cell.fault) == ("parse", "hang")
        if expected == "allow" and done.err and not told:
            wrong.append((cell, done))
    assert not wrong, "\n".join(map(str, wrong))
    storable = [cell for cell in CELLS if cell.step != "record" and cell.fault != "hang"]
    assert len(hook.events()) - count >= len(storable), "an event for each"


def test_a_closed_hook_and_strict_rules_let_nothing_through_unjudged(hook: Hook) -> None:
    cells = [
        Cell(step, fault, call)
        for step in ("read stdin", "parse", "judge", "record", "policy")
        for fault in ("ImportError", "KeyboardInterrupt")
        for call in STEPS[step][:2]
    ]
    closed = [one for one in cells if one.step != "record"]
    for cell, done in zip(closed, run(hook, closed, "closed"), strict=True):
        assert verdict(done) == "deny", (cell, done)
    hook.project.write("penstock.toml", STRICT)
    hook.write("notes.txt", "x")
    for cell, done in zip(cells, run(hook, cells), strict=True):
        assert verdict(done) == "deny", (cell, done)


def test_without_a_fault_nothing_is_said(hook: Hook) -> None:
    fine = [Cell("", "", call) for call in EVERY]
    for cell, done in zip(fine, run(hook, fine), strict=True):
        assert verdict(done) == ("deny" if cell.call in REFUSED else "allow"), cell
        assert done.err == "", cell


# --- the answer cannot be printed -----------------------------------------------------------------


@pytest.mark.parametrize("way", ["pipe", "full", "shut"])
@pytest.mark.parametrize("path", [".env", "new.txt"])
def test_an_answer_that_cannot_be_printed_blocks_by_its_exit_code(
    hook: Hook, way: str, path: str
) -> None:
    """Clients take a hook that said nothing for one that agrees."""
    shell = {"pipe": "exec >&9; ", "full": "exec >/dev/full; ", "shut": "exec >&-; "}[way]
    given = {"file_path": hook.at(path), "content": "x"}
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        ["/bin/bash", "-c", f'exec 9>&{writer}; {shell} exec "$@"', "sh", *HOOK],
        input=json.dumps(hook.document("PreToolUse", "Write", given, "t1")).encode(),
        env=hook.environ(),
        pass_fds=[writer],
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )
    os.close(writer)
    assert done.returncode == (2 if path == ".env" else 0)
    assert (b"cannot be modified" in done.stderr) is (path == ".env")
