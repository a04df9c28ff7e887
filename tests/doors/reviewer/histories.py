"""Random histories of edits, with crashes in between: nothing is lost, everything can be undone.

Each history is made from its number alone. A rules file, in git or not, goes through edits and
rollbacks; some of them are killed at a system call. After every step the file must load, hold
what was there before or what was asked for, and keep every comment that belongs to no rule; a
rollback must bring back exactly the bytes of that version; the next edit leaves no trace of a
crash. `python -m tests.doors.reviewer.histories 1000` does a thousand.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from penstock.app import open_workspace
from penstock.core.errors import PenstockError
from penstock.core.rule_edit.edit import edited, parse_operation
from penstock.core.rules.load import load
from penstock.doors.reviewer.apply import Apply
from penstock.doors.reviewer.arguments import ApplyArguments
from penstock.gate import Proof
from penstock.stores.files.step import is_temp_name
from tests.doors.reviewer.repos import NAME, Repo, clean, repo_at
from tests.faults.tracer import Plan, run, why_not

STEPS = 7
CRASHES = 0.35
VERBS = ["npm", "cargo", "make", "git", "ls", "pytest", "go", "rg"]
Document = dict[str, Any]


@dataclass
class History:
    """One history: its file, what it held at every version, and what can be undone."""

    number: int
    folder: Path
    home: Path
    random: random.Random
    in_git: bool
    versions: list[bytes] = field(default_factory=list)
    ways_back: list[tuple[Document, bytes, bytes]] = field(default_factory=list)
    made: int = 0
    crashes: int = 0

    @property
    def file(self) -> Path:
        return self.folder / NAME

    @property
    def repo(self) -> Repo:
        return Repo(self.folder)


def first_text(chance: random.Random) -> bytes:
    """Return a rules file with comments in every place."""
    lines = ["# the top", "[audit]", 'audit_file = "/tmp/x.log"  # behind a value', ""]
    for number in range(chance.randint(0, 6)):
        table = chance.choice(["allow", "deny"])
        if chance.random() < 0.5:
            lines += [f"# alone {number}", ""]
        if chance.random() < 0.5:
            lines.append(f"# above rule {number}")
        verb = chance.choice(VERBS)
        lines += [
            f"[[{table}]]",
            f'id = "rule-{number}"  # its name',
            "tool = 'Bash'" if chance.random() < 0.5 else 'tool = "Bash"',
            f'command_regex = "^{verb} {number}( |$)"',
            *([""] * chance.randint(0, 2)),
        ]
    lines += ["", "# the end"] if chance.random() < 0.5 else []
    end = chance.choice(["\n", "\n", "\r\n"])
    mark = chance.choice([b"", b"", b"\xef\xbb\xbf"])
    return mark + (end.join(lines) + chance.choice(["", end])).encode()


def ids_in(text: bytes) -> list[str]:
    found = load("/x/" + NAME, {"/x/" + NAME: text}.get)
    return list(dict.fromkeys(rule.id for rule in found.rules))


def alone(text: bytes) -> list[bytes]:
    """Return the comments that belong to no rule."""
    signs = (b"# the top", b"# alone", b"# the end")
    return [line.strip() for line in text.split(b"\n") if line.startswith(signs)]


def next_operation(at: History, text: bytes) -> Document:
    """Choose an operation that can be asked for now."""
    chance, known = at.random, ids_in(text)
    kinds = ["add"] * 3
    kinds += ["remove", "update", "toggle", "reorder"] * 2 if known else []
    kinds += ["back"] if at.ways_back else []
    kinds += ["batch"] if known else []
    return _operation(at, chance.choice(kinds), known)


def _operation(at: History, kind: str, known: list[str]) -> Document:
    chance = at.random
    at.made += 1
    if kind == "add":
        rule = {
            "id": f"made-{at.number}-{at.made}",
            "tool": "Bash",
            "command_regex": f"^{chance.choice(VERBS)} {at.made}$",
        }
        if chance.random() < 0.3:
            rule["description"] = 'quotes " and \\ and ünïcode'
        where = [{"position": chance.choice(["start", "end"])}]
        return {
            "type": "add_rule",
            "rule_type": chance.choice(["allow", "deny"]),
            "rule": rule,
            **chance.choice([{}, *where]),
        }
    if kind == "remove":
        return {"type": "remove_rule", "id": chance.choice(known)}
    if kind == "update":
        changes = {"command_regex": f"^changed {at.made}$"}
        return {"type": "update_rule", "id": chance.choice(known), "changes": changes}
    if kind == "toggle":
        return {"type": "toggle_rule", "id": chance.choice(known), "enabled": False}
    if kind == "reorder":
        to = chance.choice(["start", "end"])
        return {"type": "reorder_rule", "id": chance.choice(known), "move_to": to}
    if kind == "back":
        info = chance.choice(at.ways_back)[0]
        return _way_back(info)
    parts = [_operation(at, "add", known), _operation(at, "remove", known)]
    return {"type": "batch", "operations": parts}


def _way_back(info: Document) -> Document:
    if info["type"] == "git":
        return {"type": "rollback", "to_commit": info["previous_commit"]}
    return {"type": "rollback", "to_backup": os.path.basename(info["backup_file"])}


def applied(at: History, operation: Document) -> Document:
    """Apply an operation in this process."""
    asked = ApplyArguments(json=json.dumps(operation), target_file=str(at.file))
    answer = Apply(asked=asked, environ=os.environ, prove=_nobody).run()
    return answer.document


def _nobody(*_: object) -> Any:
    raise AssertionError("nobody is asked here")


def meant(at: History, operation: Document, text: bytes) -> bytes | None:
    """Return what an operation makes of the file, by the core alone; None where it is refused."""
    if operation["type"] == "rollback":
        return None
    try:
        made = edited({str(at.file): text}, parse_operation(operation))
    except PenstockError:
        return None
    return made.texts.get(str(at.file), text)


def step(at: History) -> None:
    """Take one step, killed in the middle or not, and look at what is there."""
    before = at.file.read_bytes()
    operation = next_operation(at, before)
    after = meant(at, operation, before)
    crash = at.random.random() < CRASHES and not why_not()
    place = at.random.randint(1, 700)
    if crash:
        trace = run(lambda: json.dumps(applied(at, operation)), Plan(at=place, kill=True))
        answer = json.loads(trace.answer) if trace.answer else None
        at.crashes += trace.struck
    else:
        answer = applied(at, operation)
    now = at.file.read_bytes()
    assert load(str(at.file), _read).ok, "the file does not load"
    if answer is None:
        known = {before, *at.versions, *([after] if after is not None else [])}
        assert now in known, "after a crash the file is neither old nor new"
    elif not answer["success"]:
        assert now == before, f"refused, and changed: {answer}"
    else:
        _look(at, answer, operation, before, now, after)
    assert alone(now) == alone(at.versions[0]), "a comment that belongs to no rule has changed"
    at.versions.append(now)


def _look(
    at: History,
    answer: Document,
    operation: Document,
    before: bytes,
    now: bytes,
    after: bytes | None,
) -> None:
    if operation["type"] == "rollback":
        wanted = next(then for info, then, _ in at.ways_back if _way_back(info) == operation)
        assert now == wanted, "a rollback is not exact"
    else:
        assert now == after, "what was written is not what the core made"
    if now != before:
        at.ways_back.append((answer["rollback_info"], before, now))
    left = [one.name for one in at.folder.iterdir() if is_temp_name(one.name)]
    assert not left, f"a crash left {left}"
    assert not Path(f"{at.file}.lock").exists(), "the lock is left"


def _read(path: str) -> bytes | None:
    try:
        return Path(path).read_bytes()
    except OSError:
        return None


def finish(at: History) -> None:
    """Undo what was told, the newest first, and look at the history of git."""
    # The last ten copies are kept, and each way back makes one of its own.
    for info, before, after in reversed(at.ways_back if at.in_git else at.ways_back[-4:]):
        if at.file.read_bytes() != after:
            continue  # a crash came behind it, and the next version says so
        answer = applied(at, _way_back(info))
        assert answer["success"], answer
        assert at.file.read_bytes() == before, "the way back is not exact"
    before = at.file.read_bytes()
    last = applied(at, _operation(at, "add", []))
    assert last["success"], last
    _undo(at, before)
    if at.in_git:
        assert at.repo.git("fsck", "--no-progress").strip() in ("", _dangling(at)), "git is unwell"
        assert at.repo.status() == [], f"git shows changes: {at.repo.status()}"


def _undo(at: History, before: bytes) -> None:
    """Take the newest edit back as `penstock undo` does, and look at the record."""
    here = open_workspace(os.getcwd())
    assert here.gate.recover() == (), "something is left to recover"
    made = here.gate.undo(here.gate.undoable(last=1))
    proof = Proof(by="ada", kind="terminal")
    here.gate.answer_all([one.id for one in made], approve=True, proof=proof)
    here.gate.apply(made[0].id)
    assert at.file.read_bytes() == before, "undo is not exact"
    assert here.verify().ok, "the record does not hold"


def _dangling(at: History) -> str:
    """Commits of an edit that was killed are nobody's; git calls them dangling."""
    lines = at.repo.git("fsck", "--no-progress").strip().splitlines()
    return "\n".join(line for line in lines if line.startswith("dangling "))


@contextmanager
def staged(number: int) -> Iterator[History]:
    """Make the file of one history, with a home of its own."""
    chance = random.Random(number)
    with tempfile.TemporaryDirectory(prefix="penstock-history-") as place:
        at = History(
            number=number,
            folder=Path(place, "rules"),
            home=Path(place, "home"),
            random=chance,
            in_git=chance.random() < 0.6,
        )
        for folder in (at.folder, at.home):
            folder.mkdir()
        at.file.write_bytes(first_text(chance))
        at.versions.append(at.file.read_bytes())
        if at.in_git:
            repo_at(at.folder)
        kept, stood = dict(os.environ), os.getcwd()
        if number % 2:  # the file lies in the workspace of the command, or outside it
            os.chdir(at.folder)
        os.environ.clear()
        os.environ.update({**clean(at.home), "DECISION_REVIEWER_ALLOW_WRITES": "1"})
        try:
            yield at
        finally:
            os.chdir(stood)
            os.environ.clear()
            os.environ.update(kept)


def one_history(number: int) -> History:
    """Go through one history; AssertionError tells what went wrong."""
    with staged(number) as at:
        for _ in range(STEPS):
            step(at)
        finish(at)
        return at


def main(count: int) -> int:
    """Go through many histories and tell which fail."""
    failed = crashes = 0
    for number in range(count):
        try:
            crashes += one_history(number).crashes
        except AssertionError as problem:
            failed += 1
            print(f"history {number}: {problem}", file=sys.stderr)
    print(f"{count} histories, {crashes} crashes, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    if subprocess.run(["git", "--version"], capture_output=True, check=False).returncode:
        sys.exit("git is needed")
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
