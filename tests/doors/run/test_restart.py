"""A machine stops during a run: what is left may be incomplete, and nothing of it is written."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from penstock.app import Workspace
from penstock.app.isolated_runs import IsolatedRuns
from penstock.core.proposals.model import State
from penstock.core.run.changes import changes
from penstock.core.run.reasons import INCOMPLETE, SUMMARY
from penstock.core.run.summary import SyncResult
from penstock.doors.run.sort import actor_of, sort_layer
from penstock.doors.run.sync import Sync
from penstock.gate import Item, Proof
from tests.doors.run.stage import RUN, LayerStage, can_stage, keep_run
from tests.project import Project
from tests.stores.isolation.ground import impossible

CANNOT = impossible()
pytestmark = [
    pytest.mark.skipif(bool(CANNOT), reason=f"NOT TESTED: this kernel cannot: {CANNOT}"),
    pytest.mark.skipif(not can_stage(), reason="NOT TESTED: this kernel cannot: overlays"),
]
WAITING = 3
OTHER = "00000000-0000-0000-0000-000000000000"
ALLOWED = 'version = 1\n[defaults]\nwrite = "allow"\n'
ASKS = f'{ALLOWED}[[ask]]\nid = "asks"\npaths = ["a.txt"]\n'
UPPER = {"overlay": "project/upper", "copy": "copy/tree"}


# -- the whole command -----------------------------------------------------------------------------


@pytest.fixture
def here(project: Project) -> Project:
    shutil.rmtree(project.root / ".git")
    subprocess.run(["git", "init", "-q", str(project.root)], check=True)
    project.write("penstock.toml", ASKS)
    for name in ("a.txt", "b.txt", "c.txt"):
        project.write(name, f"{name}\n")
    return project


def stopped(here: Project, mode: str) -> Path:
    """Have a run be stopped after it changed files; return its folder."""
    script = "echo new > b.txt; rm c.txt; echo new > n.txt; echo ready; exec sleep 300"
    command = [sys.executable, "-m", "penstock.cli", "run", "--apply", "exit", "--require", mode]
    process = subprocess.Popen(
        [*command, "--", "sh", "-c", script],
        cwd=here.root, env=here.environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.kill()
    process.communicate()
    return folder_of(here)


def folder_of(here: Project) -> Path:
    (found,) = here.home.rglob("run.json")
    return found.parent


def restart(folder: Path) -> dict[str, object]:
    """Have a run be of an earlier start of the machine; return what was kept of it."""
    place = folder / "run.json"
    known: dict[str, object] = json.loads(place.read_text())
    assert known["boot"], "so the claim is about something"
    place.write_text(json.dumps({**known, "boot": OTHER}))
    return known


@pytest.mark.parametrize("mode", UPPER)
def test_a_torn_file_is_pending_with_its_reason(here: Project, mode: str) -> None:
    folder = stopped(here, mode)
    restart(folder)
    (folder / UPPER[mode] / "b.txt").write_bytes(b"")  # as a disk has it after a power cut
    done = here.run("runs", "apply")
    assert done.code == WAITING, done.err
    assert SUMMARY in done.err
    assert (here.root / "b.txt").read_text() == "b.txt\n"
    assert (here.root / "c.txt").exists()
    assert not (here.root / "n.txt").exists()
    pending = here.run("proposals", "--json").json["proposals"]
    assert sorted(one["path"] for one in pending) == ["b.txt", "c.txt", "n.txt"]
    assert {one["decision"]["because"] for one in pending} == {INCOMPLETE}
    again = here.run("runs", "enter", folder.name, "sh", "-c", "echo more > n.txt")
    assert SUMMARY in again.err, "entering it makes nothing whole"
    assert not (here.root / "n.txt").exists()
    assert here.run("audit", "verify").code == 0


def test_without_a_restart_the_rules_decide(here: Project) -> None:
    stopped(here, "overlay")
    done = here.run("runs", "apply")
    assert (done.code, done.err.count(SUMMARY)) == (0, 0), done.err
    assert (here.root / "b.txt").read_text() == "new\n"


def test_what_a_run_that_has_ended_left_is_on_the_disk(here: Project) -> None:
    done = here.run("run", "--", "sh", "-c", "echo new > a.txt")
    assert "1 pending (a.txt" in done.err
    folder = folder_of(here)
    assert restart(folder)["flushed"] is True
    here.write("penstock.toml", ALLOWED)
    entered = here.run("runs", "enter", folder.name, "sh", "-c", "echo new > b.txt")
    assert SUMMARY not in entered.err
    assert (here.root / "b.txt").read_text() == "new\n"


# -- what a sync finds -----------------------------------------------------------------------------


class Play:
    """A run that the machine stopped in, once it has proposed something."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.root.mkdir()
        (self.root / "penstock.toml").write_text(ASKS)
        for name in ("a.txt", "b.txt"):
            (self.root / name).write_text(f"{name}\n")
        here = Workspace(str(self.root), str(folder / "state"))
        self.gate = here.gate
        self.runs = keep_run(here, started=time.time())
        self.stage = LayerStage(str(self.root), f"{self.runs.records.path(RUN)}/project")

    def restart(self) -> None:
        self.stage.end()
        self.runs.records.keep(replace(self.runs.records.get(RUN), boot=OTHER))
        self.runs = IsolatedRuns(self.runs.here)

    def sync(self) -> SyncResult:
        return Sync(here=self.runs.here, runs=self.runs, run=RUN).sync()

    def waiting(self) -> list[tuple[str, bytes]]:
        found = self.gate.find(states=(State.WAITING,))
        return [(one.path, self.gate.content(one.content or "") or b"") for one in found]


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Play]:
    made = Play(tmp_path)
    yield made
    made.stage.end()


def test_what_was_proposed_before_stays_beside_what_is_left(play: Play) -> None:
    play.stage(("write", "a.txt", "whole\n"))
    play.sync()
    play.restart()
    os.truncate(f"{play.stage.upper}/a.txt", 0)
    for _ in range(2):
        assert play.sync().pending
        assert sorted(play.waiting()) == [("a.txt", b""), ("a.txt", b"whole\n")]
    os.unlink(f"{play.stage.upper}/a.txt")
    play.sync()
    assert ("a.txt", b"whole\n") in play.waiting(), "a lost name withdraws nothing"


def test_what_only_the_rules_allowed_before_is_pending(play: Play) -> None:
    play.stage(("write", "b.txt", "allowed\n"))
    (made,), _ = changes(sort_layer(play.runs.here, play.runs, RUN).project)
    item = Item("b.txt", content=b"allowed\n")
    (one,) = play.gate.propose([item], actor=actor_of(RUN), ids=[made.key(RUN)])
    assert one.state is State.APPROVED
    play.restart()
    assert [one.path for one in play.sync().pending] == ["b.txt −1"]
    assert (play.root / "b.txt").read_text() == "b.txt\n"
    assert play.waiting() == [("b.txt", b"allowed\n")]


def test_what_a_person_approves_is_written(play: Play) -> None:
    play.stage(("write", "b.txt", "whole\n"))
    play.restart()
    play.sync()
    (one,) = play.gate.find(states=(State.WAITING,))
    play.gate.answer(one.id, approve=True, proof=Proof(by="ada", kind="terminal"))
    play.gate.apply(one.id)
    assert (play.root / "b.txt").read_text() == "whole\n"
    assert play.sync().settled
