"""Those who get in the way, each a process of its own: `rivals ROLE ...`, run as a module.

A rival runs until it is told to stop through the board, a few numbers in shared memory. The
naive writers are here too: they do what a careful person would write on a first try.
"""

from __future__ import annotations

import contextlib
import hashlib
import mmap
import os
import random
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from penstock.core.digest import digest
from penstock.core.errors import StaleError
from penstock.core.paths.relpath import RelPath
from penstock.stores.files import syscalls
from penstock.stores.files.workspace import DiskFiles
from tests import REPOSITORY

SLOTS = ("ready", "stop", "turns", "calls", "lost")
PADDING = b"." * 2_000
CHANCE = random.Random(7)
# Seconds. A write takes about one millisecond, most of it before the names are exchanged.
SHORT, LONG = 0.0005, 0.003


class Board:
    """Numbers that two processes see; each slot has one writer."""

    def __init__(self, path: str) -> None:
        with open(path, "r+b") as file:
            self._memory = mmap.mmap(file.fileno(), 8 * len(SLOTS))

    def __getitem__(self, slot: str) -> int:
        return int(struct.unpack_from("<q", self._memory, 8 * SLOTS.index(slot))[0])

    def __setitem__(self, slot: str, value: int) -> None:
        struct.pack_into("<q", self._memory, 8 * SLOTS.index(slot), value)


def new_board(folder: Path) -> Path:
    """Make a board with nothing on it."""
    path = folder / "board"
    path.write_bytes(bytes(8 * len(SLOTS)))
    return path


def started(role: str, board: Path, *arguments: str) -> subprocess.Popen[bytes]:
    """Start a rival."""
    command = [sys.executable, "-m", "tests.stores.files.rivals", role, str(board), *arguments]
    return subprocess.Popen(command, cwd=REPOSITORY)


@contextlib.contextmanager
def rival(role: str, folder: Path, *arguments: str) -> Iterator[Board]:
    """Run a rival beside the block; it has begun when the block begins."""
    path = new_board(folder)
    board = Board(str(path))
    process = started(role, path, *arguments)
    try:
        while not board["ready"] and process.poll() is None:
            pass
        yield board
    finally:
        board["stop"] = 1
        code = process.wait()
    assert code == 0, f"the rival `{role}` ended with {code}"


def spin(longest: float) -> None:
    """Do nothing for a while of any length, so that each attack falls somewhere else."""
    until = time.perf_counter() + CHANCE.random() * longest
    while time.perf_counter() < until:
        pass


# -- who swaps directories --------------------------------------------------------------


def swap_for_link(board: Board, workspace: str, _outside: str) -> None:
    """Exchange `src` with a link that leads outside, and back."""
    at = os.open(workspace, os.O_RDONLY)
    while not board["stop"]:
        syscalls.exchange(at, "src", "link")
        spin(SHORT)
        syscalls.exchange(at, "src", "link")
        board["turns"] += 1
        spin(LONG)


def replace_by_link(board: Board, workspace: str, outside: str) -> None:
    """Move `src` aside and put a link in its place, step by step."""
    src, aside = os.path.join(workspace, "src"), os.path.join(workspace, "aside")
    while not board["stop"]:
        os.rename(src, aside)
        os.symlink(outside, src)
        spin(SHORT)
        os.unlink(src)
        os.rename(aside, src)
        board["turns"] += 1
        spin(LONG)


def carry_away(board: Board, workspace: str, outside: str) -> None:
    """Move the directory itself out of the workspace and back."""
    src, away = os.path.join(workspace, "src"), os.path.join(outside, "away")
    while not board["stop"]:
        os.rename(src, away)
        spin(SHORT)
        os.rename(away, src)
        board["turns"] += 1
        spin(LONG)


def swap_file_for_link(board: Board, workspace: str, outside: str) -> None:
    """Put a link to a file outside where the file was, and the file back."""
    at = os.open(os.path.join(workspace, "src"), os.O_RDONLY)
    link = os.path.join(outside, "a.txt")
    while not board["stop"]:
        # The name may be in the writer's hands for a moment; then simply again.
        with contextlib.suppress(OSError):
            os.symlink(link, "lure", dir_fd=at)
            syscalls.exchange(at, "lure", "a.txt")
            spin(SHORT)
            syscalls.exchange(at, "lure", "a.txt")
        with contextlib.suppress(OSError):
            if os.readlink("lure", dir_fd=at):
                os.unlink("lure", dir_fd=at)
        board["turns"] += 1
        spin(LONG)


# -- who saves the same file ------------------------------------------------------------


def content(save: int, applied: int) -> bytes:
    """Return a file that tells the last save it knows of."""
    return b"%d %d %s\n" % (save, applied, PADDING)


def last_save(data: bytes) -> int:
    """Return which save a content knows of; 0 when it is torn."""
    words = data.split(b" ")
    return int(words[0]) if data.endswith(PADDING + b"\n") else 0


def in_place(path: str, data: bytes) -> None:
    """Save as `nano` does: empty the file, then fill it."""
    with open(path, "wb", buffering=0) as file:
        file.write(data)


def over_the_old(path: str, data: bytes) -> None:
    """Save into the open file and cut it to length."""
    with open(path, "r+b", buffering=0) as file:
        file.write(data)
        file.truncate(len(data))


def by_rename(path: str, data: bytes) -> None:
    """Save as `vim` does: a new file, renamed over the old one."""
    with open(path + "~", "wb", buffering=0) as file:
        file.write(data)
    os.rename(path + "~", path)


SAVES: list[Callable[[str, bytes], None]] = [by_rename, in_place, over_the_old]


def edit(board: Board, path: str) -> None:
    """Save again and again, and look each time whether the save before is still known.

    Mostly one save falls somewhere into each call of the writer; sometimes many do.
    """
    save = 0
    while not board["stop"]:
        if save and not _known(board, path, save):
            board["lost"] += 1
        if CHANCE.random() < 0.9:
            _wait_for_a_call(board)
        save += 1
        with contextlib.suppress(FileNotFoundError):
            SAVES[save % len(SAVES)](path, content(save, 0))
        board["turns"] = save


def _wait_for_a_call(board: Board) -> None:
    begun = board["calls"]
    while board["calls"] == begun and not board["stop"]:
        pass
    spin(LONG)


def _known(board: Board, path: str, save: int) -> bool:
    """True when the file knows of a save, or does once the writer has ended what it began.

    A writer may show its file for a moment and take it back, so what counts is the file after
    a whole call that began later: `calls` goes up when a call begins and when it ends.
    """
    seen = board["calls"]
    while last_save(Path(path).read_bytes()) < save:
        if board["calls"] >= seen + 4 or board["stop"]:
            return last_save(Path(path).read_bytes()) >= save
    return True


def count_up(_board: Board, workspace: str, exchange: str, times: str) -> None:
    """Add one to the number in a file, so many times, starting again when somebody was first."""
    files = DiskFiles(workspace, use_exchange=bool(exchange))
    path = RelPath(text="src/a.txt")
    for _ in range(int(times)):
        done = False
        while not done:
            base = files.read(path)
            with contextlib.suppress(StaleError):
                files.replace(path, b"%d" % (int(base) + 1), expect=digest(base))
                done = True


# -- what a careful person writes on a first try -----------------------------------------


def naive_replace(root: str, path: str, new: bytes, expect: str) -> bool:
    """Check the path, check the content, write a temporary file, rename. All by name."""
    full = os.path.join(root, path)
    if not os.path.realpath(full).startswith(root + os.sep):
        return False
    with open(full, "rb") as file:
        if "sha256:" + hashlib.sha256(file.read()).hexdigest() != expect:
            return False
    with open(full + ".tmp", "wb") as file:
        file.write(new)
        file.flush()
        os.fsync(file.fileno())
    os.rename(full + ".tmp", full)
    return True


ROLES: dict[str, Callable[..., None]] = {
    "swap-for-link": swap_for_link,
    "replace-by-link": replace_by_link,
    "carry-away": carry_away,
    "swap-file-for-link": swap_file_for_link,
    "edit": edit,
    "count-up": count_up,
}


def main(role: str, path: str, *arguments: str) -> None:
    board = Board(path)
    board["ready"] = 1
    ROLES[role](board, *arguments)


if __name__ == "__main__":
    main(*sys.argv[1:])
