"""Walk a page: run its commands in a terminal, one after the other, and compare what they print.

- A block `console` is run. `$ ` begins a command, `> ` goes on with it; the lines below are what it
  prints: in this order, `...` is any text, other lines may come between.
- A file that the page shows is saved where it says: "Save this as `NAME`:". Rules that begin with
  `version = 1` are `penstock.toml`.
- `ID` and `3f2a` (with what follows it) stand for a pending change, `SET` for a change set; a list
  of pending changes has one.
- A comment `<!-- walk: COMMANDS -->` makes what the page takes for granted; `$REPOSITORY` is a
  clone.
- A command that runs until it is stopped is stopped after a while; `serving` in a comment starts a
  server that stays until the end of the page.
"""

from __future__ import annotations

import os
import pty
import re
import select
import shlex
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests import REPOSITORY
from tests.project import Project

LONGEST = 900.0
MARK = "-- walked "
# What a person types when asked.
TYPED = {
    b"[y/N]": b"y\n",
    b"passphrase: ": b"a passphrase of mine\n",
    b"once more: ": b"a passphrase of mine\n",
    b"[E]xplain: ": b"a\n",
}
ENDLESS = re.compile(r"penstock (serve(?!.*--print)|watch(?!.*--once)|mcp|review|broker( |$))")
OUTSIDE = ("systemctl", "launchctl", "ssh", "pipx", "claude", "codex", "gemini")
BLOCK = re.compile(
    r"(?:(?P<before>[^\n]*)\n\n)?^```(?P<kind>\w+)\n(?P<text>.*?)^```$"
    r"|<!-- walk: (?P<walk>.*?) -->",
    re.MULTILINE | re.DOTALL,
)
OPEN = re.compile(r"\b3f2a\w*|\b\d+ (?:s|min|h|d)\b|[−-]\d+ \+\d+")
PLACEHOLDERS = {"ID": "pending", r"3f2a\w*": "pending", "SET": "pending set"}
SAVED = re.compile(r"[Ss]ave this as `([^`]+)`")

PRELUDE = r"""
trap 'kill $(jobs -p) 2>/dev/null' EXIT
serving() {  # a server that a page takes for granted, until the end of the page
  penstock serve "$@" > serve.log 2>&1 &
  for _ in $(seq 600); do grep -q http serve.log && return; sleep 0.1; done
}
pending() { python - "$@" <<'END'
import sys
from pathlib import Path
from penstock import Item, State, open_gate
from penstock.core.model import Actor

gate, agent = open_gate("."), Actor(agent="claude")
several = sys.argv[1:] == ["set"]
found = [p for p in gate.find(states=[State.WAITING]) if bool(p.set_id) is several]
if several and not found:
    items = [Item(path=f"src/{n}.py", content=b"x = 1\n" * 40) for n in ("a", "b")]
    found = gate.propose([*items, Item(path="src/app.py", content=b"x = 1\n")], actor=agent)
elif not found:
    lines = Path("src/app.py").read_text().splitlines(keepends=True)
    new = [f"def part_{n}(): ...\n" for n in range(140)]
    text = "".join([*new, *lines[150:200], "def more(): ...\n", *lines[201:]])
    found = gate.propose([Item(path="src/app.py", content=text.encode())], actor=agent)
print(found[-1].set_id if several else found[-1].id)
END
}
"""


@dataclass(frozen=True)
class Step:
    """A command of a page and what is printed below it; `shown` is None where nobody sees it."""

    command: str
    shown: tuple[str, ...] | None = ()


def steps(page: Path) -> Iterator[Step]:
    """Yield what a page has its reader do, and what it takes for granted."""
    for found in BLOCK.finditer(page.read_text(encoding="utf-8")):
        kind, text = found["kind"], found["text"]
        if found["walk"]:
            yield Step(found["walk"], None)
        elif kind == "console":
            yield from typed(text)
        elif saved := SAVED.search(found["before"] or ""):
            yield Step(_save(saved[1], text), None)
        elif kind == "toml" and text.startswith("version = 1"):
            yield Step(_save("penstock.toml", text), None)


def _save(name: str, text: str) -> str:
    folder = os.path.dirname(name)
    made = f"mkdir -p {shlex.quote(folder)}\n" if folder else ""
    return f"{made}cat > {shlex.quote(name)} <<'END'\n{text}END"


def typed(text: str) -> Iterator[Step]:
    """Yield each command of a console block with the lines below it."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, *shown = part.rstrip("\n").split("\n")
        while shown and shown[0].startswith("> "):
            command += "\n" + shown.pop(0)[2:]
        yield Step(command, tuple(_open(line) for line in shown if line.strip()))


def _open(line: str) -> str:
    """Leave open what a page cannot know of its pending change: its id, its age, its lines."""
    return OPEN.sub("...", line) if "3f2a" in line else line


def script(walked: list[Step], seconds: int) -> str:
    """Return the page as a script that marks each command and how it ended."""
    lines = [PRELUDE]
    for step in walked:
        command = step.command
        if step.shown is not None and ENDLESS.match(command):
            command = f"timeout -k 5 {seconds} {command}"
        for word, made in PLACEHOLDERS.items():
            stands = re.compile(rf"(?<![$\w]){word}\b(?!=)")
            if step.shown is not None and stands.search(command):
                lines.append(f"placeholder=$({made})")
                command = stands.sub("$placeholder", command)
        if command.startswith("penstock proposals"):
            lines.append("pending > /dev/null")
        lines.append(command)
        if step.shown is not None:
            lines.append(f"echo; echo '{MARK}'$?")
    return "\n".join([*lines, ""])


def walk(walked: list[Step], project: Project, venv: Path, wheels: Path) -> list[tuple[int, str]]:
    """Run a page's commands at a terminal; return how each ended and what was shown."""
    environ = {
        **project.environ,
        "PATH": f"{venv}/bin:{os.environ['PATH']}",
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(wheels),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "COLUMNS": "300",
        "NO_COLOR": "1",
        "TERM": "dumb",
        "EDITOR": "true",
        "REPOSITORY": str(REPOSITORY),
    }
    environ.pop("PYTHONPATH", None)
    file = project.home / "page.sh"
    file.write_text(script(walked, seconds=6))
    own, its = pty.openpty()
    run = subprocess.Popen(
        ["/bin/bash", str(file)],
        cwd=project.root,
        env=environ,
        stdin=its,
        stdout=its,
        stderr=its,
        start_new_session=True,
    )
    os.close(its)
    try:
        told = _conversation(own)
    finally:
        run.kill()
        run.wait(timeout=60)
        os.close(own)
    parts = re.split(rf"\n{MARK}(\d+)", told.replace("\r", ""))
    return [(int(code), text) for text, code in zip(parts[::2], parts[1::2], strict=False)]


def _conversation(own: int) -> str:
    """Return what the terminal showed; what is asked is answered."""
    told, answered = b"", 0
    end = time.monotonic() + LONGEST
    while True:
        ready, _, _ = select.select([own], [], [], max(0.0, end - time.monotonic()))
        try:
            data = os.read(own, 65536) if ready else b""
        except OSError:  # how Linux says that the last process has left the terminal
            data = b""
        if not data:
            return told.decode("utf-8", "replace")
        told += data
        for question, answer in TYPED.items():
            if question in told[answered:]:
                answered = told.index(question, answered) + len(question)
                os.write(own, answer)
