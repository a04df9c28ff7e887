"""The syncs of a run under every fault: while its command goes on, and when it has ended.

Whatever strikes, what follows (another sync, the end of the run, `penstock runs apply`) ends what
was begun: every change is applied once, pending once or denied once, none is lost, none is
written twice, and the audit log accounts for each.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from penstock.app import Workspace
from penstock.app.isolated_runs import IsolatedRuns
from penstock.core.errors import PenstockError
from penstock.core.proposals.model import Receipt, State
from penstock.core.run.summary import SyncResult
from penstock.doors.run.launch import sync_run, tidy
from penstock.doors.run.listing import apply_run, listed
from penstock.doors.run.supervise import Supervisor
from penstock.gate import Gate
from penstock.stores.files.step import is_temp_name
from penstock.stores.isolation.absorb import ASIDE
from tests.doors.run.stage import RUN, LayerStage, can_stage, keep_run
from tests.faults.gate import HARMLESS, here
from tests.faults.scenario import Scenario

RULES = """version = 1
[defaults]
write = "allow"
[[ask]]
id = "asks"
paths = ["asks.txt"]
actions = ["write"]
[[deny]]
id = "denies"
paths = ["denied.txt"]
actions = ["write"]
"""
LATE = "late\n"


Files = Mapping[str, str]  # content; `/` for a directory, `-> ` for a link, `x ` for a program
Step = tuple[object, ...]


@dataclass(frozen=True, kw_only=True)
class Work:
    """What a command does, and what the project holds once that is synced."""

    steps: Sequence[Step]
    before: Files
    after: Files
    pending: Sequence[str] = ()
    denied: Sequence[str] = ()
    late: str = ""  # a file that the command adds to once more, after the fault
    replaced: Sequence[str] = ()  # names that are removed, and then made anew
    along: Sequence[str] = ()  # directories that are made along with what is in them


FILES = Work(
    steps=[
        ("append", "a.txt", "new\n"),
        ("save", "asks.txt", "new\n"),
        ("write", "denied.txt", "new\n"),
        ("write", "b.txt", "new\n"),
        ("remove", "gone.txt"),
    ],
    before={"a.txt": "a\n", "asks.txt": "asks\n", "denied.txt": "denied\n", "gone.txt": "gone\n"},
    after={"a.txt": "a\nnew\n", "asks.txt": "asks\n", "denied.txt": "denied\n", "b.txt": "new\n"},
    pending=["asks.txt"],
    denied=["denied.txt"],
    late="a.txt",
)
TREES = Work(
    steps=[
        ("remove", "folder"),
        ("write", "folder", "a file now\n"),
        ("mkdir", "new"),
        ("rename", "old.sh", "new/old.sh"),
        ("chmod", "new/old.sh", 0o755),
        ("link", "new/old.sh", "link"),
    ],
    before={"folder": "/", "folder/x.txt": "x\n", "old.sh": "moved\n"},
    after={
        "folder": "a file now\n",
        "new": "/",
        "new/old.sh": "x moved\n",
        "link": "-> new/old.sh",
    },
    replaced=["folder"],
    along=["new"],
)


@dataclass
class Play:
    """A run on its stage: the command inside, and who attends it."""

    work: Work
    stage: LayerStage
    attendant: Supervisor | None = None


PLAYS: dict[str, Play] = {}


def prepare(folder: str, work: Work) -> None:
    os.environ["PATH"] = ""  # how often a program like git is waited for differs from time to time
    root = os.path.join(folder, "project")
    os.makedirs(root)
    os.makedirs(os.path.join(folder, "state"), mode=0o700)
    for name, text in {"penstock.toml": RULES, **work.before}.items():
        if text == "/":
            os.mkdir(os.path.join(root, name))
        else:
            with open(os.path.join(root, name), "w", encoding="utf-8") as file:
                file.write(text)
    runs = keep_run(here(folder), started=time.time())
    facts = {"run": RUN, "mode": "overlay", "command": "agent"}
    runs.here.gate.record("run_started", path="", status="started", **facts)
    stage = LayerStage(root, os.path.join(runs.records.path(RUN), "project"))
    PLAYS[folder] = Play(work=work, stage=stage)
    assert stage(*work.steps) == []


def clear(folder: str) -> None:
    play = PLAYS.pop(folder, None)
    if play is not None:
        play.stage.end()


# --- while the command goes on -------------------------------------------------------------------


def attend(folder: str) -> None:
    """Open everything that a run has open when a sync begins."""
    play = PLAYS[folder]
    runs = IsolatedRuns(here(folder))
    play.attendant = Supervisor(here=runs.here, runs=runs, run=RUN, process=play.stage.process)
    assert runs.settings
    assert runs.here.gate.receipts() is not None


def live_sync(folder: str) -> str:
    attendant = PLAYS[folder].attendant
    assert attendant is not None
    attendant.sync()
    if attendant.result is None:
        return "error no sync"  # the next one is to do all of it
    return told(attendant.result)


def told(result: SyncResult) -> str:
    """Return the answer that a person reads in what a sync says."""
    if result.failed:
        return f"error {result.failed[0].note}"
    return f"error {result.held[0].because}" if result.held else "ok"


def check_live(folder: str, answer: str | None) -> None:
    """Whoever synced may live on or not; the command writes something more, and ends."""
    play = PLAYS[folder]
    after = dict(play.work.after)
    if answer == "ok":
        assert acknowledged(folder) == after, f"acknowledged and not there: {project(folder)}"
    if play.work.late:
        assert play.stage(("append", play.work.late, LATE)) == []
        after[play.work.late] = f"{after[play.work.late]}{LATE}"
    if answer is not None:
        sync_again(folder)
    play.stage.end()
    check_whole(folder, after)


def sync_again(folder: str) -> None:
    """Sync once more while the command goes on, in a process of its own as the first one."""
    child = os.fork()
    if child == 0:
        try:
            attend(folder)
            live_sync(folder)
        finally:
            os._exit(0)
    os.waitpid(child, 0)


# --- when it has ended ---------------------------------------------------------------------------


def end_command(folder: str, work: Work) -> None:
    prepare(folder, work)
    PLAYS[folder].stage.end()


def end_run(folder: str) -> str:
    """Do what `penstock run` does once its command has ended."""
    attendant = PLAYS[folder].attendant
    assert attendant is not None
    runs = attendant.runs
    try:
        with runs.records.held(RUN):
            record = runs.records.get(RUN)
            result = sync_run(runs.here, runs, record, 0, ask=False, before=attendant)
            tidy(runs, RUN, result)
    except PenstockError as problem:
        return f"error {problem.code}"
    except OSError as problem:  # the disk itself; the layer is kept
        return f"error {problem.errno}"
    return told(result)


def check_ended(folder: str, answer: str | None) -> None:
    work = PLAYS[folder].work
    if answer == "ok":
        assert acknowledged(folder) == work.after, "acknowledged and not there"
    check_whole(folder, work.after)


# --- what is there then --------------------------------------------------------------------------


def check_whole(folder: str, after: Files) -> None:
    """Recover, and find every change where it belongs, once; another sync finds nothing to do."""
    now = here(folder)
    for _ in range(2):
        recover(now)
        assert project(folder) == after, f"the project has {project(folder)}"
        check_gate(now.gate, PLAYS[folder].work, after)
        left = sorted({*PLAYS[folder].work.pending, *PLAYS[folder].work.denied})
        assert layer(now) == left, f"in the layer: {layer(now)}"
    check_log(now, PLAYS[folder].work)


def recover(now: Workspace) -> None:
    """Do what a person does whose run has ended badly.

    Where nothing is left of the run, any start ends what a write had begun.
    """
    for one in listed(now):
        result = apply_run(now, one.record)
        assert not result.failed, f"not written: {result.failed}"
        assert not result.held, f"held: {result.held}"
    assert now.gate.receipts() is not None


def check_gate(gate: Gate, work: Work, after: Files) -> None:
    """The receipts of each path lead from what was there to what is there, without a repetition."""
    by_path: dict[str, list[Receipt]] = {}
    for one in reversed(gate.receipts()):
        by_path.setdefault(one.path, []).append(one)
    changed = {path for path in {*work.before, *after} if work.before.get(path) != after.get(path)}
    assert changed - set(work.along) <= set(by_path), f"no receipt: {changed - set(by_path)}"
    assert set(by_path) <= changed, f"written without a change: {set(by_path) - changed}"
    for path, found in by_path.items():
        most = 2 if path in (work.late, *work.replaced) else 1
        assert len(found) <= most, f"{path} was written {len(found)} times"
        for first, second in pairwise(found):
            assert first.after == second.before, f"{path}: {found}"
    for state, known in ((State.WAITING, work.pending), (State.DENIED, work.denied)):
        paths = sorted(one.path for one in gate.find(states=(state,)))
        assert paths == sorted(known), f"{state}: {paths}"


def check_log(now: Workspace, work: Work) -> None:
    """The audit log is sound, and accounts for each write of the run."""
    report = now.verify()
    assert report.ok, f"the audit log is not sound: {report.as_json()}"
    warned = {warning.kind.value for warning in report.warnings}
    assert warned <= HARMLESS, f"unexpected warnings {warned}"
    (account,) = report.runs
    receipts = now.gate.receipts()
    assert account.applied == len(receipts), f"{account}, and {len(receipts)} receipts"
    assert (account.pending, account.denied) == (len(work.pending), len(work.denied)), account
    assert account.ended, "nobody wrote down that it has ended"


def project(folder: str) -> dict[str, str]:
    """Return what the project holds: contents, where links lead, modes of programs."""
    found = {}
    root = os.path.join(folder, "project")
    for at, folders, names in os.walk(root):
        for name in [*folders, *names]:
            place = os.path.join(at, name)
            found[os.path.relpath(place, root)] = held(place)
    del found["penstock.toml"]
    return found


def acknowledged(folder: str) -> dict[str, str]:
    """Return the same without what a write could not tidy up; the next start does."""
    return {name: text for name, text in project(folder).items() if not is_temp_name(name)}


def held(place: str) -> str:
    status = os.lstat(place)
    if stat.S_ISLNK(status.st_mode):
        return f"-> {os.readlink(place)}"
    if stat.S_ISDIR(status.st_mode):
        return "/"
    with open(place, encoding="utf-8") as file:
        return ("x " if status.st_mode & 0o100 else "") + file.read()


def layer(now: Workspace) -> list[str]:
    """Return what is left in the layer, and of what was moved aside."""
    top = os.path.join(now.state, "runs", RUN, "project")
    aside = os.path.join(top, ASIDE)
    left = [f"{ASIDE}/{one}" for one in os.listdir(aside)] if os.path.isdir(aside) else []
    for at, folders, names in os.walk(os.path.join(top, "upper")):
        place = os.path.relpath(at, os.path.join(top, "upper"))
        left += [os.path.normpath(os.path.join(place, one)) for one in [*folders, *names]]
    return sorted(left)


def scenario(name: str, work: Work, *, live: bool) -> Scenario:
    if live:
        return Scenario(
            name=name,
            prepare=lambda folder: prepare(folder, work),
            ready=attend,
            act=live_sync,
            check=check_live,
            clear=clear,
        )
    return Scenario(
        name=name,
        prepare=lambda folder: end_command(folder, work),
        ready=attend,
        act=end_run,
        check=check_ended,
        clear=clear,
    )


SCENARIOS = (
    [
        scenario("run, a sync at the end", FILES, live=False),
        scenario("run, a sync at the end, directories", TREES, live=False),
        scenario("run, a sync while it goes on", FILES, live=True),
        scenario("run, a sync while it goes on, directories", TREES, live=True),
    ]
    if can_stage()
    else []
)
