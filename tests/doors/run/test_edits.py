"""The user edits while a run goes on: whatever is done when, what the user saved is never lost.

A row is what the user does, before or after the command made its own copy, before or after the
command was shown the user's files. The user's content is in the project at the end, or the change
that would replace it is pending and the project still has it; `undo` is never needed for that.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable

import pytest

from penstock.app import Workspace
from penstock.app.isolated_runs import IsolatedRuns, RunRecord
from penstock.core.proposals.model import State
from penstock.doors.run.supervise import Supervisor
from penstock.doors.run.sync import Sync
from penstock.stores.system.clock import boot_id
from tests.stores.isolation.ground import impossible
from tests.stores.isolation.test_absorb import Shell, in_shell

CANNOT = impossible()
pytestmark = pytest.mark.skipif(bool(CANNOT), reason=f"NOT TESTED: this kernel cannot: {CANNOT}")

USER = "saved by the user\n"
TICK = 0.05  # the clock of files is a coarse one


def in_place(shell: Shell) -> None:
    (shell.here.project / "target.txt").write_text(USER)


def atomic(shell: Shell) -> None:
    shell.save("target.txt", USER)


def deleted(shell: Shell) -> None:
    os.unlink(shell.here.project / "target.txt")


def new_name(shell: Shell) -> None:
    os.rename(shell.here.project / "target.txt", shell.here.project / "other.txt")
    shell.save("other.txt", USER)


def written(shell: Shell) -> None:
    shell("echo agent >> target.txt")


def replaced(shell: Shell) -> None:
    shell("(cat target.txt 2> /dev/null; echo agent) > t.tmp; mv t.tmp target.txt")


EDITS: tuple[Callable[[Shell], None], ...] = (in_place, atomic, deleted, new_name)
WAYS: tuple[Callable[[Shell], None], ...] = (written, replaced)
WHEN = ("before the copy", "before the copy, shown", "after the copy", "after a sync", "after both")
ROWS = list(itertools.product(EDITS, WAYS, WHEN))


@pytest.mark.parametrize(
    ("edit", "write", "when"), ROWS, ids=[f"{e.__name__}, {w.__name__}, {t}" for e, w, t in ROWS]
)
def test_the_users_edit_is_never_lost(
    edit: Callable[[Shell], None], write: Callable[[Shell], None], when: str
) -> None:
    def work(shell: Shell) -> list[object]:
        runs, _, sync = supervised(shell)
        shell("cat target.txt other.txt 2> /dev/null")  # names are known inside, as they were
        if when in ("after a sync", "after both"):
            write(shell)
            sync()
        if when in ("after the copy", "after both"):
            write(shell)
        time.sleep(TICK)
        edit(shell)
        time.sleep(TICK)
        if when == "before the copy, shown":
            shell.process.refresh()
            time.sleep(TICK)
        if when.startswith("before"):
            write(shell)
        sync()
        sync()
        name = "other.txt" if edit is new_name else "target.txt"
        place = shell.here.project / name
        real = place.read_text() if place.exists() else None
        found = runs.here.gate.find(states=(State.WAITING,))
        pending = [one.path for one in found]
        return [real, pending, shell(f"cat {name} 2> /dev/null")]

    real, pending, inside = in_shell(work, os.geteuid())
    assert isinstance(pending, list)
    if edit is deleted:
        # A file that the command made after that is one of its own.
        assert real is None or when.startswith("before the copy") or write is replaced
    else:
        kept = str(real).startswith(USER)
        assert kept, (real, pending, inside)
        if real != USER:  # the command saw it, and added to it
            assert str(real) == USER + "agent\n"


def supervised(shell: Shell) -> tuple[IsolatedRuns, str, Callable[[], None]]:
    """Return the run of a shell as `penstock run` has it, and what syncs it."""
    here = Workspace(str(shell.here.project), str(shell.here.state))
    runs = IsolatedRuns(here)
    run = os.path.basename(shell.here.run)
    started = time.time()
    runs.records.keep(
        RunRecord(id=run, root=here.root, command=("bash",), started=started, boot=boot_id())
    )
    attendant = Supervisor(here=here, runs=runs, run=run, process=shell.process)
    return runs, run, attendant.sync


def test_what_is_left_at_the_end_is_the_same() -> None:
    """A last sync, when nobody is inside any more, loses nothing either."""

    def work(shell: Shell) -> list[object]:
        runs, run, sync = supervised(shell)
        shell("echo agent > target.txt; echo new > new.txt; exec 9>> target.txt")
        sync()
        shell.save("new.txt", USER)
        shell.end()
        Sync(here=runs.here, runs=runs, run=run, shown=tuple(shell.process.shown)).sync()
        project = shell.here.project
        return [(project / "target.txt").read_text(), (project / "new.txt").read_text()]

    assert in_shell(work, os.geteuid()) == ["agent\n", USER]
