"""A layer of a run that a test writes to as a command does, without the rest of a run.

Namespaces and a real overlay over a project, and one process inside that carries out the
operations it is sent: two milliseconds, where a whole run with its walls takes a hundred. So
thousands of sequences, races and faults can be tried on what the kernel really does.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import Never

from penstock.app import Workspace
from penstock.app.isolated_runs import IsolatedRuns, RunRecord
from penstock.stores.isolation import room, syscalls
from penstock.stores.isolation.process import IsolatedProcess
from penstock.stores.isolation.signals import StopLine
from penstock.stores.isolation.streams import Streams
from penstock.stores.system.clock import boot_id
from tests.doors.run.operations import carry_out

PATIENCE_SECONDS = 600  # a rehearsal of faults stands still at every call, on a busy machine too
RUN = "r-abc123"
NAMES = ("user", "mnt")  # in the order in which they are entered


@dataclass
class LayerStage:
    """A process in an overlay over `project`; `layer` is the folder with the upper directory."""

    project: str
    layer: str

    def __post_init__(self) -> None:
        asked, self._ask = os.pipe()
        self._answer, answers = os.pipe()
        self._spaces: tuple[int, ...] = ()
        self._line = socket.socket(socket.AF_UNIX)  # nobody is at the other end
        self.child = os.fork()
        if self.child == 0:
            os.close(self._ask)
            os.close(self._answer)
            self._serve(asked, answers)
        os.close(asked)
        os.close(answers)
        said = self._read()
        if said:
            self.end()
            raise OSError(f"no overlay here: {said}")
        self._spaces = tuple(os.open(f"/proc/{self.child}/ns/{one}", os.O_RDONLY) for one in NAMES)

    @property
    def process(self) -> IsolatedProcess:
        """The process inside, as those who sync know a run's."""
        return IsolatedProcess(
            keeper=self.child,
            line=self._line,
            stops=StopLine(self._line),
            spaces=self._spaces,
            places=(self.project,),
            streams=Streams({}),
            signals=ExitStack(),
        )

    @property
    def upper(self) -> str:
        """What was written, as the overlay keeps it."""
        return os.path.join(self.layer, "upper")

    def __call__(self, *steps: Sequence[object]) -> list[str]:
        """Have the process inside carry out operations; return which of them failed, and how."""
        os.write(self._ask, json.dumps(steps).encode() + b"\n")
        return self._read()

    def _read(self) -> list[str]:
        said = b""
        while not said.endswith(b"\n"):
            piece = os.read(self._answer, 1 << 16)
            assert piece, "the process inside has ended"
            said += piece
        found: list[str] = json.loads(said)
        return found

    def end(self) -> None:
        """End the process inside, and with it the overlay."""
        if self.child:
            self._line.close()
            os.close(self._ask)
            os.close(self._answer)
            with suppress(ProcessLookupError):
                os.kill(self.child, signal.SIGKILL)
            os.waitpid(self.child, 0)
            self.child = 0
            for one in self._spaces:
                os.close(one)

    def _serve(self, asked: int, answers: int) -> Never:
        """Inside: lay the overlay and do what is asked, until nobody asks any more."""
        try:
            signal.alarm(PATIENCE_SECONDS)
            try:
                _own_spaces()
                room._own_layer(self.project, self.layer, "")
                os.chdir(self.project)
                os.umask(0o022)
                failed: list[str] = []
            except OSError as problem:
                failed = [str(problem)]
            os.write(answers, json.dumps(failed).encode() + b"\n")
            with open(asked, "rb") as lines:
                for line in lines:
                    signal.alarm(PATIENCE_SECONDS)
                    said = carry_out(json.loads(line))
                    os.write(answers, json.dumps(said).encode() + b"\n")
        finally:
            os._exit(0)


def _own_spaces() -> None:
    user, group = os.geteuid(), os.getegid()
    syscalls.unshare(syscalls.NEWUSER | syscalls.NEWNS)
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w", encoding="utf-8") as file:
            file.write(text)
    syscalls.mount("", "/", "", syscalls.REC | syscalls.PRIVATE)


@contextmanager
def layer_stage(project: str, layer: str) -> Iterator[LayerStage]:
    """Give a stage that is gone afterwards."""
    stage = LayerStage(project, layer)
    try:
        yield stage
    finally:
        stage.end()


def keep_run(here: Workspace, *, started: float, run: str = RUN) -> IsolatedRuns:
    """Make a run whose layer a stage can write to; return the runs of the workspace."""
    runs = IsolatedRuns(here)
    os.makedirs(runs.records.path(run), mode=0o700, exist_ok=True)
    known = RunRecord(id=run, root=here.root, command=("agent",), started=started, boot=boot_id())
    runs.records.keep(known)
    return runs


def can_stage() -> bool:
    """Say whether this machine lets an ordinary process lay an overlay."""
    with tempfile.TemporaryDirectory(prefix="penstock-stage-") as folder:
        os.mkdir(os.path.join(folder, "project"))
        try:
            LayerStage(os.path.join(folder, "project"), os.path.join(folder, "layer")).end()
        except OSError:
            return False
    return True
