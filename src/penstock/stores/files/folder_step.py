"""A directory's part of a write: it is made or removed, and only while it is empty.

A directory is made when its way is opened, as those on the way to a new file are; whoever puts
a write back takes it away again. It is removed when everything else is done, because what it
held goes in the same write; one that is not empty by then stays, and the answer says so.
The rest of a write asks the same of this as of a file's step.
Always true: nothing that a directory holds is ever removed with it.
"""

from __future__ import annotations

import errno
import os

from msgspec import Struct, field

from penstock.core.digest import EMPTY
from penstock.core.errors import InputError
from penstock.core.file_mode import FileMode
from penstock.ports import FileKind, FileState
from penstock.stores.files import errors
from penstock.stores.files.beneath import Folder, Ident, Parts, ident_at, ident_of, look
from penstock.stores.files.staging import Attributes
from penstock.stores.files.step import Way

KEPT_MODE = 0o7777
IN_USE = frozenset({errno.ENOTEMPTY, errno.EEXIST, errno.EBUSY})
STAYS = "the directory is not empty, so it stays"


class FolderStep(Struct, kw_only=True):
    """One directory and the one that it lies in; `made` are all that this write made.

    `alone` is true when nothing else is written: then a directory in use is an error.
    """

    way: Way
    shown: str
    folder: Folder
    name: str
    temp: str
    alone: bool
    made: list[Parts] = field(default_factory=list)
    ours: Ident | None = None
    begun: bool = False
    left: bool = False
    state: FileState | None = None
    notes: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    expect: str | None = None
    permissions: int = 0o777

    # -- before any name changes -------------------------------------------------------

    def check(self) -> Attributes | None:
        """Raise unless a directory to remove is one, and one to make was not there."""
        status = look(self.folder.descriptor, self.name)
        if status is None:
            raise errors.stale(self.shown, EMPTY, None)
        if errors.mode_of(status) is not FileMode.DIRECTORY:
            if self.way is Way.CREATE:
                raise errors.stale(self.shown, None, self.digest_now())
            raise errors.mode_changed(self.shown, FileMode.DIRECTORY, errors.mode_of(status))
        if self.way is Way.CREATE and (*self.folder.parts, self.name) not in self.made:
            raise errors.stale(self.shown, None, EMPTY)
        self.permissions = status.st_mode & KEPT_MODE
        self.ours = ident_of(status)
        return None

    def stage(self, content: bytes | None, like: Attributes | None, *, flush: bool) -> None:
        """Say what the directory is; it was made when its way was opened."""
        del content, like, flush
        if self.way is Way.CREATE:
            self.state = FileState(
                digest=EMPTY, size=0, mode=self.permissions, kind=FileKind.DIRECTORY
            )

    # -- the step itself ---------------------------------------------------------------

    def swap(self) -> None:
        """Remove a directory that stands alone; one in a set goes when the rest is done."""
        if self.way is Way.REMOVE and self.alone:
            try:
                self._remove()
            except OSError as problem:
                if problem.errno in IN_USE:
                    raise errors.not_empty(self.shown) from problem
                raise

    def swapped(self) -> bool:
        """True when a directory that stands alone is gone; of a set it tells nothing."""
        if self.way is Way.CREATE or not self.alone:
            return self.ours is not None
        return look(self.folder.descriptor, self.name) is None

    def came_out_right(self) -> bool:
        """True always: nothing comes out of a directory's step."""
        return True

    # -- after it ----------------------------------------------------------------------

    def settle(self) -> bool:
        """Remove the directory of a set, now that what it held is gone."""
        if self.way is Way.REMOVE and look(self.folder.descriptor, self.name) is not None:
            try:
                self._remove()
            except OSError as problem:
                if problem.errno not in IN_USE:
                    raise
                self.notes.append(STAYS)
        return True

    def put_back(self) -> None:
        """Make a directory again that was removed alone; those made go with their writer."""
        if self.way is Way.REMOVE and self.alone and self.ours is not None and self.swapped():
            try:
                os.mkdir(self.name, self.permissions, dir_fd=self.folder.descriptor)
            except FileExistsError:
                return

    def keep(self) -> None:
        """Nothing of a directory is ever kept under another name."""

    def leave(self) -> None:
        """Leave the directory to a later recovery."""
        self.left = True

    def has_name(self) -> bool:
        """True when the name stands for the directory that was made."""
        return self.ours is not None and ident_at(self.folder.descriptor, self.name) == self.ours

    def digest_now(self) -> str | None:
        """Return that of no bytes where a directory is, None where nothing is."""
        return EMPTY if look(self.folder.descriptor, self.name) is not None else None

    def _remove(self) -> None:
        try:
            os.rmdir(self.name, dir_fd=self.folder.descriptor)
        except NotADirectoryError as problem:
            raise InputError("not-a-directory", f"`{self.shown}` is no directory") from problem
