"""Syncs of a layer that a real overlay made, one after the other, whatever became of the last."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from msgspec.structs import replace

from penstock.app import Workspace
from penstock.app.isolated_runs import IsolatedRuns
from penstock.core.digest import digest
from penstock.core.proposals.model import Proposal, State
from penstock.core.run.changes import changes
from penstock.core.run.summary import SyncResult
from penstock.doors.run.control import ControlSocket
from penstock.doors.run.listing import drop, listed
from penstock.doors.run.sort import actor_of, sort_layer
from penstock.doors.run.supervise import Supervisor
from penstock.doors.run.sync import Sync
from penstock.gate import Item, Proof
from penstock.stores.files.step import temp_name
from penstock.stores.isolation import records
from penstock.stores.isolation.absorb import ASIDE
from tests.doors.run.stage import RUN, LayerStage, can_stage, keep_run

pytestmark = pytest.mark.skipif(not can_stage(), reason="NOT TESTED: this kernel cannot: overlays")

ALLOWED = 'version = 1\n[defaults]\nwrite = "allow"\n'
PERSON = Proof(by="ada", kind="terminal")


@dataclass
class Play:
    """A project, and a run on its stage."""

    folder: Path
    runs: IsolatedRuns
    stage: LayerStage

    @property
    def root(self) -> Path:
        return self.folder / "project"

    def sync(self, *, live: bool = True, ask: bool = False) -> SyncResult:
        known = self.runs.live(RUN, self.stage.process) if live else None
        return Sync(here=self.runs.here, runs=self.runs, run=RUN, live=known, ask=ask).sync()

    def attendant(self) -> Supervisor:
        return Supervisor(here=self.runs.here, runs=self.runs, run=RUN, process=self.stage.process)

    def pending(self) -> list[Proposal]:
        return list(self.runs.here.gate.find(states=(State.WAITING,)))

    def restart(self) -> None:
        """Forget what a process knows that has ended."""
        here = self.runs.here
        self.runs = IsolatedRuns(Workspace(here.root, here.state))


Begin = Callable[..., Play]


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    """Return what starts a run over some files."""
    stages = []

    def start(files: dict[str, str], rules: str = ALLOWED) -> Play:
        for path, text in {"penstock.toml": rules, **files}.items():
            place = tmp_path / "project" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        here = Workspace(str(tmp_path / "project"), str(tmp_path / "state"))
        assert here.gate
        runs = keep_run(here, started=time.time())
        stage = LayerStage(str(tmp_path / "project"), f"{runs.records.path(RUN)}/project")
        stages.append(stage)
        return Play(tmp_path, runs, stage)

    yield start
    for one in stages:
        one.end()


def test_a_removal_that_is_written_says_nothing_of_what_takes_its_place(begin: Begin) -> None:
    """The two have one name. What takes the place may be pending, or fail."""
    rules = f'{ALLOWED}[[ask]]\nid = "asks"\npaths = ["folder"]\nactions = ["create"]\n'
    play = begin({"folder/x.txt": "x\n"}, rules)
    play.stage(("remove", "folder"), ("write", "folder", "a file now\n"))
    for _ in range(3):
        result = play.sync()
        assert [one.path for one in result.pending] == ["folder"]
    assert not (play.root / "folder").exists()
    (one,) = play.pending()
    play.runs.here.gate.answer(one.id, approve=True, proof=PERSON)
    play.runs.here.gate.apply(one.id)
    assert (play.root / "folder").read_text() == "a file now\n"
    assert play.sync().settled


REPLACED: list[tuple[str, list[tuple[object, ...]], Callable[[Path], bool]]] = [
    ("d", [("write", "d", "now\n")], lambda d: d.read_text() == "now\n"),
    ("d", [("link", "f", "d")], lambda d: os.readlink(d) == "f"),
    ("d", [("rename", "f", "d")], lambda d: d.read_text() == "f\n"),
    ("f", [("mkdir", "f")], Path.is_dir),
    ("f", [("mkdir", "f"), ("write", "f/x", "x\n")], lambda f: (f / "x").read_text() == "x\n"),
]
REPLACED_IDS = ["a file", "a link", "a file that was moved", "a directory", "a full directory"]


@pytest.mark.parametrize("live", [True, False])
@pytest.mark.parametrize(("name", "steps", "there"), REPLACED, ids=REPLACED_IDS)
def test_what_takes_the_place_of_another_kind_stays_until_that_is_removed(
    begin: Begin,
    name: str,
    steps: list[tuple[object, ...]],
    there: Callable[[Path], bool],
    live: bool,
) -> None:
    """A sync that could not do the first of the two steps left the second one to be lost."""
    rules = f'{ALLOWED}[[ask]]\nid = "asks"\npaths = ["{name}"]\nactions = ["delete"]\n'
    play = begin({"d/x.txt": "x\n", "f": "f\n"}, rules)
    assert play.stage(("remove", name), *steps) == []
    for _ in range(3):
        result = play.sync(live=live)
        assert {f"`{name}` has to be removed first" in one.because for one in result.held} == {True}
        play.restart()
    (one,) = play.pending()
    assert (one.path, one.content) == (name, None)
    play.runs.here.gate.answer(one.id, approve=True, proof=PERSON)
    play.runs.here.gate.apply(one.id)
    result = play.sync(live=live)
    assert there(play.root / name), result
    assert (result.pending, result.failed, result.held) == ((), (), ())


def test_what_a_failing_write_of_ours_left_is_no_file_that_the_run_removed(begin: Begin) -> None:
    """A full disk: the directory can't go while our own file is in it; the next start ends that."""
    play = begin({"folder/x.txt": "x\n"})
    play.stage(("remove", "folder"), ("write", "folder", "a file now\n"))
    left = play.root / "folder" / temp_name()
    left.write_text("x\n")
    result = play.sync()
    assert {one.path for one in result.failed} == {"folder"}
    assert play.pending() == []
    left.unlink()
    assert not play.sync().failed
    assert (play.root / "folder").read_text() == "a file now\n"


@pytest.mark.parametrize("live", [True, False])
def test_a_file_that_can_never_be_written_keeps_no_other_from_it(begin: Begin, live: bool) -> None:
    """A file with two names is not replaced; it is of one set with all else that a run did."""
    play = begin({"a.txt": "a\n", "two.txt": "two\n"})
    os.link(play.root / "two.txt", play.root / "names.txt")
    play.runs = keep_run(play.runs.here, started=time.time())  # the link was there before it
    play.stage(("append", "a.txt", "b\n"), ("append", "two.txt", "b\n"), ("write", "c.txt", "c\n"))
    for _ in range(2):
        result = play.sync(live=live)
        assert [one.path for one in result.failed] == ["two.txt"]
        play.restart()
    assert (play.root / "a.txt").read_text() == "a\nb\n"
    assert (play.root / "c.txt").read_text() == "c\n"
    assert (play.root / "two.txt").read_text() == "two\n"
    os.unlink(play.root / "names.txt")
    assert play.sync(live=False).settled
    assert (play.root / "two.txt").read_text() == "two\nb\n"
    assert len(play.runs.here.gate.receipts()) == 3


def test_a_sync_that_is_asked_for_right_after_another_finds_what_came_between(begin: Begin) -> None:
    play = begin({})
    attendant = play.attendant()
    for at in range(3):
        play.stage(("write", "a.txt", f"{at}\n"))
        attendant.answer({"op": "sync"})
        assert (play.root / "a.txt").read_text() == f"{at}\n"
    before = len(play.runs.here.gate.receipts())
    attendant.answer({"op": "sync"})
    assert len(play.runs.here.gate.receipts()) == before


def test_what_an_answer_brought_to_nobody_is_in_the_next_one(begin: Begin, tmp_path: Path) -> None:
    """A hook that has no more time goes away; the model would never hear what was blocked."""
    attendant = begin({}).attendant()
    attendant.control = ControlSocket(str(tmp_path))
    call = {"hook_event_name": "PostToolUse", "tool_name": "Write", "tool_input": {}}
    question = {"op": "judge", "agent": "claude", "call": json.dumps(call), "environ": {}}
    attendant.unheard.append(".env was not written")

    def ask(*, stays: bool) -> str:
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(tmp_path / "run.sock"))
            line.sendall(json.dumps(question).encode() + b"\n")
            if not stays:
                line.close()
            for _ in range(2):
                attendant.attend(attendant.descriptors())
            return line.recv(10_000).decode() if stays else ""

    ask(stays=False)
    assert ".env was not written" in ask(stays=True)
    assert ".env" not in ask(stays=True), "once"
    attendant.control.close()


def test_what_a_run_wrote_itself_is_no_edit_of_the_user(begin: Begin) -> None:
    """A sync that is stopped has written, and has not written down what it knows."""
    play = begin({"a.txt": "a\n", "d/x.txt": "x\n"})
    play.stage(
        ("append", "a.txt", "one\n"),
        ("empty", "d"),
        ("write", "d/n.txt", "n\n"),
        ("link", "a", "l"),
    )
    assert len(play.sync().applied) == 4
    os.unlink(f"{play.runs.records.path(RUN)}/{records.BASES}")
    play.restart()
    play.stage(
        ("append", "a.txt", "two\n"), ("remove", "d/n.txt"), ("remove", "l"), ("link", "b", "l")
    )
    result = play.sync(live=False)
    assert (result.pending, sorted(result.applied)) == ((), ["a.txt", "d/n.txt", "l"])
    assert (play.root / "a.txt").read_text() == "a\none\ntwo\n"
    assert os.readlink(play.root / "l") == "b"
    assert not (play.root / "d/n.txt").exists()


def test_an_older_version_that_a_stopped_sync_proposed_does_not_end_the_newer_one(
    begin: Begin,
) -> None:
    """The set that was proposed is written with the file that stayed; the other one changed."""
    play = begin({"a.txt": "a\n"})
    play.stage(("append", "a.txt", "one\n"), ("write", "b.txt", "b\n"))
    found = sort_layer(play.runs.here, play.runs, RUN)
    made, _ = changes(found.project)
    items = [
        Item(one.path, content=play.runs.layer(RUN).content(one.path, one.digest)) for one in made
    ]
    ids = [one.key(RUN) for one in made]
    play.runs.here.gate.propose(items, actor=actor_of(RUN), ids=ids, set_id=RUN)
    play.stage(("append", "a.txt", "two\n"))
    play.stage.end()
    for _ in range(2):
        assert play.sync(live=False).settled
        assert (play.root / "a.txt").read_text() == "a\none\ntwo\n"
        assert (play.root / "b.txt").read_text() == "b\n"


def test_a_file_that_was_put_back_after_a_failed_write_is_no_edit_of_the_user(
    begin: Begin,
) -> None:
    """It holds what it held; only its times are new."""
    play = begin({"a.txt": "a\n"})
    play.stage(("append", "a.txt", "one\n"))
    item = Item("a.txt", content=b"a\none\n")
    play.runs.here.gate.propose([item], actor=actor_of(RUN), ids=["hitl-1"])
    (play.root / "a.txt").write_text("a\n")  # as a rollback leaves it
    play.stage(("append", "a.txt", "two\n"))
    result = play.sync()
    assert (result.pending, result.applied) == ((), ("a.txt",))
    assert (play.root / "a.txt").read_text() == "a\none\ntwo\n"


def test_what_a_helper_that_was_killed_left_aside_comes_back(begin: Begin) -> None:
    """A file is aside under a number; the next one to be moved would get the same."""
    play = begin({"a.txt": "a\n"})
    play.stage(("append", "a.txt", "one\n"), ("write", "b.txt", "b\n"))
    layer = f"{play.runs.records.path(RUN)}/project"
    os.mkdir(f"{layer}/{ASIDE}")
    os.rename(f"{layer}/upper/a.txt", f"{layer}/{ASIDE}/0")
    Path(f"{layer}/{ASIDE}/0.path").write_text("a.txt")
    play.sync()
    play.sync()
    assert (play.root / "a.txt").read_text() == "a\none\n"
    assert (play.root / "b.txt").read_text() == "b\n"


def test_what_the_user_wrote_after_a_run_is_still_the_users(begin: Begin) -> None:
    play = begin({"a.txt": "a\n"})
    play.stage(("append", "a.txt", "one\n"))
    play.sync()
    os.unlink(f"{play.runs.records.path(RUN)}/{records.BASES}")
    play.restart()
    (play.root / "a.txt").write_text("the user\n")
    play.stage(("append", "a.txt", "two\n"))
    result = play.sync(live=False)
    assert [one.path for one in result.pending] == ["a.txt"] or not result.pending
    assert (play.root / "a.txt").read_text().startswith("the user\n")


def test_a_directory_that_only_we_emptied_is_removed(begin: Begin) -> None:
    """What changes in a directory changes its time as well; it is still the one that was seen."""
    play = begin({"folder/x.txt": "x\n"})
    play.stage(("remove", "folder"))
    time.sleep(0.05)  # the clock of files is a coarse one
    (play.root / "folder/x.txt").unlink()
    result = play.sync(live=False)
    assert (result.pending, result.failed) == ((), ())
    assert not (play.root / "folder").exists()


def test_a_directory_that_the_user_made_again_is_not_removed_unasked(begin: Begin) -> None:
    play = begin({"folder/x.txt": "x\n"})
    play.stage(("remove", "folder"))
    time.sleep(0.05)
    (play.root / "folder/x.txt").unlink()
    (play.root / "folder").rmdir()
    (play.root / "folder").mkdir()
    result = play.sync(live=False)
    assert [one.path for one in result.pending] == ["folder"]
    assert (play.root / "folder").is_dir()


def test_half_of_a_layer_is_never_taken_for_the_work_of_a_command(begin: Begin) -> None:
    """A removal that is stopped leaves a run that nobody finds; the next removal ends it."""
    play = begin({"a.txt": "a\n"})
    play.stage(("append", "a.txt", "one\n"))
    play.stage.end()
    folder = Path(play.runs.records.folder)
    other = play.runs.records.make(str(play.root), ["true"], 1.0)
    os.rename(folder / RUN, folder / f"{records.GONE}{RUN}")
    (folder / f"{records.GONE}{RUN}" / records.RECORD).unlink()
    (folder / "r-broken").mkdir()
    assert [one.record.id for one in listed(play.runs.here)] == [other.id]
    drop(play.runs.here, other.id)
    assert os.listdir(folder) == ["r-broken"]


def test_a_file_that_the_user_deleted_is_told_from_one_that_was_moved(begin: Begin) -> None:
    """Each is a copy of a real file under a name that the project does not have."""
    play = begin({"a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n", "d/e.txt": "e\n"})
    time.sleep(0.05)  # the clock of files is a coarse one
    play.runs.records.keep(replace(play.runs.records.get(RUN), started=time.time()))
    play.stage(
        ("append", "a.txt", "one\n"),
        ("rename", "b.txt", "moved.txt"),
        ("rename", "c.txt", "d/changed.txt"),
        ("append", "d/changed.txt", "two\n"),
        ("remove", "d/e.txt"),
    )
    (play.root / "a.txt").unlink()
    result = play.sync(live=False)
    assert [one.path for one in result.pending] == ["a.txt"]
    assert sorted(result.applied) == [
        "b.txt", "c.txt", "d/changed.txt", "d/e.txt", "moved.txt"
    ]  # fmt: skip


def test_a_preview_stores_nothing(begin: Begin) -> None:
    """A sync asks for one of every file, and large files would be packed twice."""
    gate = begin({"a.txt": "a\n"}).runs.here.gate
    found = gate.preview(Item("a.txt", content=b"other\n"))
    assert found.content == digest(b"other\n")
    assert found.state is State.APPROVED
    assert gate.content(found.content) is None
    gate.propose([Item("a.txt", content=b"other\n")])
    assert gate.content(found.content) == b"other\n"
