"""A project, a home and places around them, and a way to run a program there with and without us.

Tests run as root as often as not, and the claims are about ordinary users: so a process of its own
becomes `nobody` where it can, runs the program, and tells what it saw.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from penstock.core.errors import StoreError
from penstock.stores.isolation import syscalls
from penstock.stores.isolation.process import start
from penstock.stores.isolation.room import RoomPlan
from tests import REPOSITORY

NOBODY = 65534
REAL = b"real\n"
TRIED_SECONDS = 60


def python() -> str:
    """Return an interpreter that every user can start."""
    for found in ("/usr/bin/python3", "/usr/local/bin/python3", sys.executable):
        place = os.path.realpath(found)
        if os.path.exists(place) and all(
            os.stat(above).st_mode & 0o001 for above in [place, *map(str, Path(place).parents)]
        ):
            return found
    return ""


@dataclass
class Ground:
    """What a run has around it. `base` lies outside of /tmp, which a run has its own of."""

    base: Path
    user: int = field(default_factory=lambda: NOBODY if os.geteuid() == 0 else os.geteuid())

    def __post_init__(self) -> None:
        for folder in (self.project, self.elsewhere, self.state, self.home / ".ssh", self.run):
            folder.mkdir(parents=True, exist_ok=True)
        (self.project / "src").mkdir(exist_ok=True)
        for file in (self.target, self.other, self.home / ".bashrc", self.home / ".ssh/id"):
            file.write_bytes(REAL)
        self.give()

    def give(self) -> None:
        """Have everything belong to the user who runs."""
        if os.geteuid() == 0:
            for place in [self.base, *self.base.rglob("*")]:
                os.chown(place, self.user, self.user, follow_symlinks=False)

    @property
    def home(self) -> Path:
        return self.base / "home"

    @property
    def project(self) -> Path:
        return self.home / "project"

    @property
    def target(self) -> Path:
        return self.project / "target.txt"

    @property
    def elsewhere(self) -> Path:
        return self.base / "elsewhere"

    @property
    def other(self) -> Path:
        return self.elsewhere / "other.txt"

    @property
    def state(self) -> Path:
        return self.home / ".local/state/penstock"

    @property
    def run(self) -> Path:
        return self.state / "runs/r-1"

    @property
    def upper(self) -> Path:
        return self.run / "project/upper"

    def plan(self, **more: Any) -> RoomPlan:
        """Return what a run of this ground shows."""
        usual = {
            "folder": str(self.run),
            "project": str(self.project),
            "directory": str(self.project),
            "home": str(self.home),
            "home_layer": str(self.run / "home"),
            "state": str(self.state),
            "hidden": (str(self.home / ".ssh"),),
        }
        return RoomPlan(**{**usual, **more})

    def environ(self, **more: str) -> dict[str, str]:
        return {"PATH": os.environ["PATH"], "HOME": str(self.home), "LC_ALL": "C.UTF-8", **more}

    def isolated(self, command: Sequence[str], **more: Any) -> int:
        """Run a command isolated and return its exit code; as the user who this process is."""
        return start(self.plan(**more), command, self.environ()).wait()

    def plain(self, command: Sequence[str]) -> int:
        """Run a command without isolation, for comparison."""
        return subprocess.run(
            command, cwd=self.project, env=self.environ(), close_fds=False, check=False
        ).returncode

    def as_user(self, work: Callable[[], Any]) -> Any:
        """Have a process of the ordinary user do something; return what it returned, as JSON."""
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            _be(self.user)
            os.close(read)
            with suppress(BaseException):
                signal.alarm(TRIED_SECONDS)
                try:
                    said = {"value": work()}
                except StoreError as fault:
                    said = {"fault": fault.render(), "code": fault.code}
                except BaseException:
                    said = {"error": traceback.format_exc()}
                os.write(write, json.dumps(said).encode())
            os._exit(0)
        os.close(write)
        with open(read, "rb") as pipe:
            text = pipe.read()
        os.waitpid(child, 0)
        said = json.loads(text or b'{"error": "it ended without a word"}')
        assert "error" not in said, said["error"]
        return said if "fault" in said else said["value"]


def _be(user: int) -> None:
    """Become an ordinary user, with a process that is ordinary in every other way, too."""
    if os.geteuid() == 0 and user != 0:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
        syscalls.prctl(syscalls.DUMPABLE, 1, what="dumpable")
    null = os.open("/dev/null", os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)


@contextmanager
def ground(user: int | None = None) -> Iterator[Ground]:
    """Give a ground that is gone afterwards, whatever a run left in it."""
    base = Path(tempfile.mkdtemp(prefix=".isolation-", dir=REPOSITORY))
    try:
        yield Ground(base) if user is None else Ground(base, user)
    finally:
        for folder, names, _ in os.walk(base):
            for name in names:
                place = os.path.join(folder, name)
                with suppress(OSError):
                    if not os.path.islink(place):  # a link may lead anywhere
                        os.chmod(place, 0o700)
        shutil.rmtree(base, ignore_errors=True)


def impossible() -> str:
    """Say why this machine cannot isolate an ordinary user's run; "" where it can."""
    with ground() as here:
        said = here.as_user(lambda: here.isolated(["true"]))
    return str(said["fault"]) if isinstance(said, dict) else ""


def listen(address: str) -> socket.socket:
    """Listen at a Unix address; nobody waits for anybody."""
    made = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    made.bind(address)
    made.setblocking(False)
    return made


def heard(at: socket.socket) -> bool:
    """Say whether something arrived."""
    try:
        return bool(at.recv(64))
    except BlockingIOError:
        return False


LIBRARY = ctypes.CDLL(None, use_errno=True)
