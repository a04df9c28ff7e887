"""Isolated runs on disk: one folder each below the state, with its layer and what is known of it.

A run that goes on holds a lock on its folder; so does whoever applies or drops it. The layer of
the home directory is one for the project, kept from run to run, and used by one run at a time.
Always true: a layer is removed only by `drop`; a folder that is somebody's is never touched.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from msgspec import Struct, to_builtins

from penstock.core.errors import InputError, RefusedError, StoreError
from penstock.core.run.base import Bases, PathBase
from penstock.stores.files.beneath import AS_FOLDER
from penstock.stores.system.clock import boot_id
from penstock.stores.system.private import private_dir, put_file, read_file, told

RECORD, BASES = "run.json", "bases.json"
GONE = "gone-"  # before the name of a run that is being removed
LARGEST_BASES = 64 << 20
LARGEST_RECORD = 1 << 20
ID_BYTES, TRIES = 3, 64
FOLDER, HOME_FOLDER = "runs", "run-home"
MANIFEST, TREE = "manifest.json", "tree"  # of a copy of the project


class RunRecord(Struct, frozen=True, kw_only=True):
    """One run: what was run, where, when, and how it ended. `ended` is 0 while it goes on.

    `boot` is the start of the machine in which it began; `flushed` says that since then all of its
    layer was written to the disk.
    """

    id: str
    root: str
    command: tuple[str, ...]
    started: float
    ended: float = 0.0
    exit_code: int | None = None
    counts: str = ""
    boot: str = ""
    flushed: bool = False


class RunFolders(Struct, frozen=True, kw_only=True):
    """The runs of one workspace, below its state."""

    state: str

    @property
    def folder(self) -> str:
        """Where the runs are."""
        return os.path.join(self.state, FOLDER)

    @property
    def home_layer(self) -> str:
        """The layer of the home directory that runs of this project share."""
        return os.path.join(self.state, HOME_FOLDER)

    def path(self, run: str) -> str:
        """Return the folder of a run."""
        return os.path.join(self.folder, run)

    def make(self, root: str, command: Sequence[str], now: float) -> RunRecord:
        """Make the folder of a new run."""
        private_dir(self.folder)
        for _ in range(TRIES):
            run = f"r-{os.urandom(ID_BYTES).hex()}"
            with told("make the directory", self.path(run)):
                try:
                    os.mkdir(self.path(run), 0o700)
                except FileExistsError:
                    continue
            words = tuple(command)
            made = RunRecord(id=run, root=root, command=words, started=now, boot=boot_id())
            self.keep(made)
            return made
        raise StoreError("no-id", "no free id for a run was found")

    def keep(self, record: RunRecord) -> None:
        """Write down what is known of a run."""
        data = json.dumps(to_builtins(record), ensure_ascii=True).encode()
        with told("keep", self.path(record.id)):
            put_file(self.path(record.id), RECORD, data)

    def bases(self, run: str) -> dict[str, PathBase]:
        """Return what a run and the project last agreed on; nothing where that cannot be read."""
        with suppress(OSError, ValueError, TypeError, KeyError):
            data = read_file(os.path.join(self.path(run), BASES), limit=LARGEST_BASES) or b"{}"
            return {
                path: PathBase(base=base, proposed=tuple(proposed), absorbed=absorbed)
                for path, (base, proposed, absorbed) in json.loads(data).items()
            }
        return {}

    def keep_bases(self, run: str, bases: Bases) -> None:
        """Write down what a run and the project agree on."""
        known = {path: (one.base, one.proposed, one.absorbed) for path, one in bases.items()}
        with told("keep", self.path(run)):
            put_file(self.path(run), BASES, json.dumps(known, ensure_ascii=True).encode())

    def get(self, run: str) -> RunRecord:
        """Return a run by its id or the beginning of it. Raises InputError `not-found`."""
        found = [one for one in self.all() if one.id == run] or [
            one for one in self.all() if one.id.startswith(run)
        ]
        if len(found) != 1:
            says = f"there is no run `{run}`" if not found else f"`{run}` names several runs"
            raise InputError("not-found", says, hint="list them with `penstock runs`")
        return found[0]

    def all(self) -> tuple[RunRecord, ...]:
        """Return every run that has a folder, oldest first."""
        try:
            names = os.listdir(self.folder)
        except FileNotFoundError:
            return ()
        runs = [name for name in names if not name.startswith(GONE)]
        found = [one for name in runs if (one := self._read(name)) is not None]
        return tuple(sorted(found, key=lambda one: (one.started, one.id)))

    def _read(self, name: str) -> RunRecord | None:
        with suppress(OSError, ValueError, TypeError, KeyError):
            data = read_file(os.path.join(self.path(name), RECORD), limit=LARGEST_RECORD)
            known = json.loads(data or b"{}")
            given = {one: known[one] for one in RunRecord.__struct_fields__ if one in known}
            return RunRecord(**{**given, "id": name, "command": tuple(given["command"])})
        return None

    @contextmanager
    def held(self, run: str) -> Iterator[None]:
        """Hold a run while a block runs. Raises RefusedError `run-busy`."""
        with _lock(self.path(run)) as mine:
            if not mine:
                raise RefusedError(
                    "run-busy",
                    f"run `{run}` is in use",
                    because="its command still runs, or another command works on it",
                    hint="wait until it has ended",
                )
            yield

    def is_live(self, run: str) -> bool:
        """Say whether somebody holds a run."""
        try:
            with _lock(self.path(run)) as mine:
                return not mine
        except OSError:
            return False

    @contextmanager
    def home(self, run: str) -> Iterator[str]:
        """Hold the layer of the home directory; a run beside another gets one of its own."""
        private_dir(self.home_layer)
        with _lock(self.home_layer) as mine:
            yield self.home_layer if mine else private_dir(os.path.join(self.path(run), "home"))

    def drop(self, run: str) -> None:
        """Remove a run with its layer, and what is left of others whose removal was stopped.

        It loses its name first: half of a layer must never be taken for what a command did.
        """
        with told("remove", self.path(run)):
            folder = os.open(self.folder, AS_FOLDER)
            try:
                os.rename(run, GONE + run, src_dir_fd=folder, dst_dir_fd=folder)
                with suppress(FileNotFoundError):  # somebody else removes it as a rest
                    remove_tree(folder, GONE + run)
                for name in os.listdir(folder):
                    if name.startswith(GONE):
                        with suppress(OSError):
                            remove_tree(folder, name)
            finally:
                os.close(folder)

    def clear(self, run: str) -> None:
        """Remove what a run needed only while it went on: its /tmp, and the overlay's own."""
        with told("clear", self.path(run)):
            remove_in(self.path(run), "tmp", "var-tmp", "empty")


@contextmanager
def _lock(folder: str) -> Iterator[bool]:
    """Hold the lock of a folder, if it is free."""
    descriptor = os.open(folder, AS_FOLDER)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True
    finally:
        os.close(descriptor)


def has_copy(folder: str) -> bool:
    """Say whether a folder holds a whole copy: the manifest is written last."""
    return os.path.isfile(os.path.join(folder, MANIFEST))


def remove_half(folder: str) -> None:
    """Remove what a start that did not work left in the folder of a run: no command ran in it."""
    remove_in(folder, "project", "copy", "tmp", "var-tmp", "empty")


def remove_in(folder: str, *names: str) -> None:
    """Remove some directories of a folder, as far as they are there."""
    opened = os.open(folder, AS_FOLDER)
    try:
        for name in names:
            with suppress(FileNotFoundError):
                remove_tree(opened, name)
    finally:
        os.close(opened)


def remove_tree(parent: int, name: str) -> None:
    """Remove a directory and all below it, however deep, following no link.

    A few descriptors do for any depth: the way back up is `..`, checked against where we came from.
    """
    current = _enter(parent, name)
    ways: list[tuple[str, list[str]]] = [(name, _emptied(current))]
    while ways:
        below, waiting = ways[-1]
        if waiting:
            child = waiting.pop()
            inner = _enter(current, child)
            os.close(current)
            current = inner
            ways.append((child, _emptied(current)))
            continue
        ways.pop()
        above = os.open("..", AS_FOLDER, dir_fd=current) if ways else os.dup(parent)
        os.close(current)
        current = above
        os.rmdir(below, dir_fd=current)
    os.close(current)


def _enter(folder: int, name: str) -> int:
    """Open a directory that we own, whatever rights a command left on it."""
    try:
        opened = os.open(name, AS_FOLDER, dir_fd=folder)
        if os.fstat(opened).st_mode & 0o700 == 0o700:
            return opened
        os.close(opened)
    except PermissionError:
        pass
    if not stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
        raise NotADirectoryError(name)
    os.chmod(name, 0o700, dir_fd=folder)
    return os.open(name, AS_FOLDER, dir_fd=folder)


def _emptied(folder: int) -> list[str]:
    """Remove everything from a directory that is none; return the directories in it."""
    directories = []
    with os.scandir(folder) as found:
        entries = list(found)
    for one in entries:
        if one.is_dir(follow_symlinks=False):
            directories.append(one.name)
        else:
            os.unlink(one.name, dir_fd=folder)
    return directories
