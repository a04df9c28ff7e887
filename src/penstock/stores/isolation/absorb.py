"""Take files out of the layer of a run that goes on, so that its command sees the project's own.

A file that was applied, or that the command left as it was while the user changed the real one,
only hides the real file. Dropping it must not take a write with it that comes at the same moment:
  (1) a lease says that nobody has the layer's file open, and whoever opens it now has to wait
  (2) it is moved aside, and the overlay forgets the names that it remembers
  (3) it is opened by its name inside: where the lease forbids that, the overlay still means the
      file that was moved, because a program holds on to it; then it goes back, and a later sync
      tries again
  (4) what was moved still holds what it held, and is removed
Files in a directory that the command made itself stay: the overlay shows nothing of the real one
there. So do links, and files with several names.
Always true: a file that is in use stays; what was moved aside when we were stopped is put back
by `mend`, unless its name is taken.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress

from msgspec import Struct

from penstock.core.run.entry import EntryKind, LayerNode
from penstock.stores.files.beneath import AS_FOLDER, Beneath, Ident, ident_at, ident_of, look
from penstock.stores.files.contents import READING, close, digest_of
from penstock.stores.isolation.layer import RunLayer, by_openat2, is_opaque, is_whiteout
from penstock.stores.isolation.lease import is_free, lease
from penstock.stores.isolation.process import IsolatedProcess

ASIDE = "aside"
NAME = ".path"  # beside each file that is moved: where it belongs
MOST = 128  # files at a time; each is an open descriptor and a lease


class _Leased(Struct, frozen=True, kw_only=True):
    """A file of the layer that nobody has open; `opened` is -1 for the mark of a deletion."""

    path: str
    name: str
    folder: int
    opened: int
    ident: Ident
    node: LayerNode

    def unchanged(self) -> bool:
        """Say whether it holds what it is known by, and has no second name.

        A program needs no open file to give it one, so a lease does not keep it from that. What is
        written by the other name must be seen by this one, too.
        """
        if self.opened < 0:
            return True
        status = os.fstat(self.opened)
        executable = bool(status.st_mode & 0o100)
        return (
            status.st_nlink == 1
            and executable == self.node.executable
            and digest_of(self.opened, status) == self.node.digest
        )


class LiveLayer(Struct, frozen=True, kw_only=True):
    """The layer of a run that goes on, and the process that keeps its mounts."""

    layer: RunLayer
    process: IsolatedProcess

    def absorb(self, known: Mapping[str, LayerNode]) -> tuple[str, ...]:
        """Drop files that hold what they are known by; return which. The others are in use."""
        paths = sorted(known)
        gone: list[str] = []
        for at in range(0, len(paths), MOST):
            with ExitStack() as held:
                some = {path: known[path] for path in paths[at : at + MOST]}
                found = list(self._leased(some, held))
                if found:
                    gone += self._dropped(found, held)
        if not paths:
            self.process.refresh()
        return tuple(gone)

    def _leased(self, known: Mapping[str, LayerNode], held: ExitStack) -> Iterator[_Leased]:
        for path, node in known.items():
            with suppress(OSError):
                one = self._lease(path, node, held)
                if one is not None and one.unchanged():
                    yield one

    def _lease(self, path: str, node: LayerNode, held: ExitStack) -> _Leased | None:
        """(1) Open a file of the layer and take a lease; None where it has to stay."""
        *above, name = path.split("/")
        root = Beneath(root=self.layer.upper, by_openat2=by_openat2())
        for depth in range(len(above)):
            with ExitStack() as briefly:
                opened = root.open(tuple(above[: depth + 1]))
                briefly.callback(close, opened)
                if is_opaque(opened):
                    return None
        folder = root.open(tuple(above))
        held.callback(close, folder)
        status = look(folder, name)
        if status is None:
            return None
        opened = -1
        if node.kind is not EntryKind.DELETED:
            if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
                return None
            opened = os.open(name, READING, dir_fd=folder)
            held.callback(close, opened)
            held.enter_context(lease(opened, alone=True))
            status = os.fstat(opened)
        elif not is_whiteout(status):
            return None
        ident = ident_of(status)
        return _Leased(path=path, name=name, folder=folder, opened=opened, ident=ident, node=node)

    def _dropped(self, found: list[_Leased], held: ExitStack) -> list[str]:
        mend(self.layer)  # or a name of what an earlier helper left there would be used again
        aside = _open_aside(self.layer)
        held.callback(close, aside)
        for number, one in enumerate(found):
            _note(aside, number, one.path)
        said = self.process.inside(lambda: self._move(found, aside))
        moved = {int(number) for number in said.split()}
        if not moved:  # none of them may leave, or the helper was killed with some of them aside
            mend(self.layer)
            self.process.refresh()
            return []
        back = False
        gone = []
        for number, one in enumerate(found):
            if number in moved and one.unchanged():  # (4)
                os.unlink(str(number), dir_fd=aside)
                gone.append(one.path)
            elif number in moved:
                back = _put_back(aside, number, one.folder, one.name) or back
            _forget(aside, number)
        if back:
            self.process.refresh()
        return gone

    def _move(self, found: list[_Leased], aside: int) -> bytes:
        """Inside: move files aside and look which of them the overlay has let go."""
        for number, one in enumerate(found):
            if ident_at(one.folder, one.name) == one.ident:
                os.rename(one.name, str(number), src_dir_fd=one.folder, dst_dir_fd=aside)  # (2)
        self.process.remount()
        left = []
        for number, one in enumerate(found):
            ours = ident_at(aside, str(number)) == one.ident
            if ours and is_free(os.path.join(self.layer.real, one.path)):  # (3)
                left.append(number)
            else:
                _put_back(aside, number, one.folder, one.name)
        return " ".join(map(str, left)).encode()


def mend(layer: RunLayer) -> None:
    """Put back what was moved aside when the process that did it was stopped."""
    try:
        aside = os.open(_aside(layer), AS_FOLDER)
    except FileNotFoundError:
        return
    try:
        for noted in sorted(name for name in os.listdir(aside) if name.endswith(NAME)):
            number = int(noted.removesuffix(NAME))
            with suppress(OSError):
                *above, name = os.fsdecode(_noted(aside, noted)).split("/")
                folder = Beneath(root=layer.upper, by_openat2=by_openat2()).open(tuple(above))
                try:
                    _put_back(aside, number, folder, name)
                finally:
                    close(folder)
            _forget(aside, number)
    finally:
        close(aside)


def _aside(layer: RunLayer) -> str:
    return os.path.join(os.path.dirname(layer.upper), ASIDE)


def _open_aside(layer: RunLayer) -> int:
    with suppress(FileExistsError):
        os.mkdir(_aside(layer), 0o700)
    return os.open(_aside(layer), AS_FOLDER)


def _note(aside: int, number: int, path: str) -> None:
    how = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
    opened = os.open(f"{number}{NAME}", how, 0o600, dir_fd=aside)
    try:
        os.write(opened, os.fsencode(path))
    finally:
        close(opened)


def _noted(aside: int, name: str) -> bytes:
    opened = os.open(name, READING, dir_fd=aside)
    try:
        return os.read(opened, 1 << 16)
    finally:
        close(opened)


def _put_back(aside: int, number: int, folder: int, name: str) -> bool:
    """Give a file its name again, unless a newer one has it; say whether it got it."""
    try:
        os.link(
            str(number), name, src_dir_fd=aside, dst_dir_fd=folder, follow_symlinks=False
        )  # unlike a rename this never takes a name away
    except FileNotFoundError:
        return False
    except OSError as problem:
        if problem.errno != errno.EEXIST:
            raise
    os.unlink(str(number), dir_fd=aside)
    return True


def _forget(aside: int, number: int) -> None:
    """Drop the note of a file that is no longer aside."""
    if ident_at(aside, str(number)) is None:
        with suppress(FileNotFoundError):
            os.unlink(f"{number}{NAME}", dir_fd=aside)
