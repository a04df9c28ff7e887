"""What is done to the log of a session is found, whoever wrote its entries.

Four sessions: hooks alone, which answer by the fast path and start a process to sign; hooks
whose calls go to the background server; a gate that applies; and a broker with its log in the
workspace. Each is attacked in every way of `audit_attacks`, and `penstock audit verify` is asked
without and with a witness.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from penstock.cli import main
from penstock.doors.hook.daemon_client import launch
from penstock.gate import Proof
from tests.cli.pending import gate_of, proposed, state_dir, surroundings_of
from tests.doors.hook.audit_attacks import (
    FOUND_ALONE,
    FOUND_BY_WITNESS,
    Attack,
    Target,
    leave_nothing,
)
from tests.doors.hook.hooks import Hook, said
from tests.project import Project

EVERY = 4  # entries
RULES = """\
version = 1
[defaults]
write = "ask"
[[deny]]
id = "secrets"
paths = ["**/.env"]
[audit]
checkpoint_events = 4
checkpoint_seconds = 100000
"""
MOST_LOOKS = 1200
LOG = ".agentzero_audit.jsonl"


@dataclass
class Session:
    """One project with the log of a session, and how one more entry is written."""

    project: Project
    write: Callable[[], None] = lambda: None
    stop: Callable[[], None] = lambda: None
    number: int = 0
    backup: dict[Path, Path] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.witness = self.project.root.parent / "witness"
        self.witness.mkdir()
        self.use(witness=True)
        state = state_dir(self.project)
        self.target = Target(state / "audit.jsonl", state, self.grow)
        self.asked: list[str] = []  # what `verify` is told besides

    def use(self, *, witness: bool) -> None:
        more = f"witnesses = [{json.dumps(str(self.witness))}]\n" if witness else ""
        self.project.write("penstock.toml", RULES + more)

    def grow(self, entries: int) -> None:
        """Write some entries; each checkpoint that gets due is waited for, with its witness."""
        for _ in range(entries):
            self.write()
            count = len(self.target.lines())
            if count - self.target.signed() >= EVERY:
                wait_for(lambda: self.target.signed() >= count)  # noqa: B023 - asked here only
            wait_for(lambda: self.seen() == self.target.signed())

    def seen(self) -> int:
        return max((int(note.name) for note in self.witness.glob("*/*")), default=0)

    def keep(self) -> None:
        """Remember all files, so that each attack begins with the same ones."""
        places = [self.target.folder, self.witness, *self.target.memory, self.target.log]
        for at, place in enumerate(places):
            self.backup[place] = copied(place, self.project.root.parent / f"kept-{at}")

    def put_back(self) -> None:
        self.stop()
        wait_for(lambda: not signers(self.project.root))
        for place, kept in self.backup.items():
            if place.is_dir():
                shutil.rmtree(place)
            if not (place == self.target.log and place.parent == self.target.folder):
                copied(kept, place)
        self.use(witness=True)

    def verify(self, capsys: pytest.CaptureFixture[str]) -> tuple[object, list[str]]:
        argv = ["audit", "verify", "--json", "--workspace", str(self.project.root)]
        argv += self.asked
        with surroundings_of(self.project), pytest.raises(SystemExit) as ended:
            main(argv)
        document = json.loads(capsys.readouterr().out)
        if "error" in document:
            return ended.value.code, [document["error"]["code"]]
        return ended.value.code, [problem["kind"] for problem in document["problems"]]


def copied(place: Path, to: Path) -> Path:
    if place.is_dir():
        # What a process is about to put in place of a file is not there yet.
        shutil.copytree(place, to, symlinks=True, ignore=shutil.ignore_patterns("*.new"))
    else:
        shutil.copy2(place, to)
    return to


def signers(root: Path) -> list[str]:
    """Return the processes that sign for a project."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (place / "cmdline").read_bytes().split(b"\0")
            if b"checkpoint" in words and str(root).encode() in words:
                found.append(place.name)
    return found


def wait_for(holds: Callable[[], bool]) -> None:
    for _ in range(MOST_LOOKS):
        if holds():
            return
        time.sleep(0.05)
    pytest.fail("nobody signed")


def denied(session: Session, hook: Hook, tool: str, given: dict[str, str]) -> None:
    session.number += 1
    done = hook.before(tool, given, f"toolu_{session.number}")
    assert said(done)["permissionDecision"] == "deny"


def by_hooks_alone(session: Session) -> Iterator[None]:
    hook = Hook(session.project)
    given = {"file_path": hook.at(".env"), "content": "x"}
    session.write = lambda: denied(session, hook, "Write", given)
    yield


def by_the_server(session: Session) -> Iterator[None]:
    hook = Hook(session.project, resident="")
    folder = session.project.home / "state" / "penstock"
    running: list[subprocess.Popen[bytes]] = []

    def write() -> None:
        if not running:
            argv = launch("penstock.doors.hook.daemon")
            running.append(subprocess.Popen(argv, env=hook.environ(), stderr=subprocess.DEVNULL))
            wait_for(lambda: any(path.is_socket() for path in folder.glob("engine-*")))
        denied(session, hook, "Bash", {"command": "echo x > .env"})

    def stop() -> None:
        for child in running:
            child.kill()
            child.wait(timeout=30)
        running.clear()
        for path in folder.glob("engine-*"):
            path.unlink()

    session.write, session.stop = write, stop
    yield
    stop()


def by_applies(session: Session) -> Iterator[None]:
    def write() -> None:
        """Apply one file, which is signed, and let the next be proposed, which is not."""
        session.number += 1
        made = proposed(session.project, {f"{session.number}.txt": b"x\n"})[0].id
        with gate_of(session.project) as gate:
            gate.answer(made, approve=True, proof=Proof(by="you", kind="terminal"))
            gate.apply(made)
        proposed(session.project, {f"{session.number}.md": b"x\n"})

    def stop() -> None:
        for thread in threading.enumerate():
            if thread.name == "witnesses":
                thread.join(60)

    session.write, session.stop = write, stop
    yield


def by_the_broker(session: Session) -> Iterator[None]:
    project = session.project
    log, folder = project.root / LOG, session.target.folder / LOG.strip(".")
    session.target = Target(log, folder, session.grow)
    session.asked = ["--log", str(log)]
    request = {"type": "tool_request", "tool_name": "read_file", "path": "penstock.toml"}
    running: list[subprocess.Popen[bytes]] = []

    def write() -> None:
        if not running:
            argv = [sys.executable, "-m", "penstock.cli", "broker"]
            running.append(
                subprocess.Popen(
                    argv,
                    env=project.environ,
                    cwd=project.root,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                )
            )
        asking, told = running[0].stdin, running[0].stdout
        assert asking is not None
        assert told is not None
        asking.write(json.dumps(request).encode() + b"\n")
        asking.flush()
        assert json.loads(told.readline())["type"] == "tool_result"

    def stop() -> None:
        for child in running:
            child.communicate(timeout=60)
        running.clear()

    session.write, session.stop = write, stop
    yield
    stop()


SESSIONS = [by_hooks_alone, by_the_server, by_applies, by_the_broker]


@pytest.fixture(scope="module", params=SESSIONS)
def lived(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Session]:
    """A session of ten entries or more: the last checkpoint is over all but the last of them."""
    place = tmp_path_factory.mktemp("session")
    (place / "project" / ".git").mkdir(parents=True)
    (place / "home").mkdir()
    session = Session(Project(place / "project", place / "home"))
    running = request.param(session)
    next(running)
    session.grow(2 if request.param is by_applies else 10)
    assert 4 < session.target.signed() < len(session.target.lines())
    session.keep()
    yield session
    next(running, None)


@pytest.fixture
def session(lived: Session) -> Iterator[Session]:
    yield lived
    lived.put_back()


def test_a_session_that_nobody_touched_is_sound(
    session: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    for witness in (False, True):
        session.use(witness=witness)
        assert session.verify(capsys) == (0, [])
    session.grow(3)
    assert session.verify(capsys) == (0, [])


@pytest.mark.parametrize("attack", FOUND_ALONE)
def test_what_is_done_to_a_session_is_found_without_and_with_a_witness(
    session: Session, attack: Attack, capsys: pytest.CaptureFixture[str]
) -> None:
    attack(session.target)
    for witness in (False, True):
        session.use(witness=witness)
        code, found = session.verify(capsys)
        assert (code, bool(found)) == (1, True)


@pytest.mark.parametrize("attack", FOUND_BY_WITNESS)
def test_what_takes_back_everything_here_is_found_by_a_witness(
    session: Session, attack: Attack, capsys: pytest.CaptureFixture[str]
) -> None:
    attack(session.target)
    code, found = session.verify(capsys)
    assert (code, bool(found)) == (1, True)
    session.use(witness=False)
    named = session.asked and attack is leave_nothing  # who names a log expects one
    expected = (1, ["audit-not-found"]) if named else (0, [])
    assert session.verify(capsys) == expected, "else the page promises too little"


CUTS = [attack for attack in FOUND_ALONE if attack.__name__.startswith(("cut", "rebuild", "older"))]


@pytest.mark.parametrize("attack", CUTS)
def test_the_next_entry_does_not_cover_up_what_was_done(
    session: Session, attack: Attack, capsys: pytest.CaptureFixture[str]
) -> None:
    attack(session.target)
    session.write()
    session.use(witness=False)
    code, found = session.verify(capsys)
    assert code == 1
    assert "restarted" in found
