"""One file's part of a write: check, stage, swap, and settle or put back.

A temporary name stands beside the real one. Swapping gives the new file the real name and
leaves under the temporary one what was there at that very moment; only then is it certain what
is being replaced, so only then is it looked at. If it is not what was expected, it gets its
name back. Which of the two files lies where is always read from the disk, so the same code
serves a write that fails and a crash that is recovered from.
Always true: a file is dropped only while it holds the content that we know and nobody has it
open for writing; everything else is kept under a name that a person can find.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from enum import StrEnum

from msgspec import Struct, field

from penstock.core.digest import digest
from penstock.core.errors import StoreError
from penstock.core.file_mode import FileMode
from penstock.ports import FileState
from penstock.stores.files import errors
from penstock.stores.files.beneath import Folder, Ident, ident_at, ident_of, look
from penstock.stores.files.contents import LeasedFile
from penstock.stores.files.rename import Renames, tidy
from penstock.stores.files.staging import (
    Attributes,
    StagedFile,
    attributes_of,
    write_link,
    write_temp,
)

# How often another program may replace the file while we give it back its name.
ROUNDS = 64
LONGEST_NAME = 255
HEX = frozenset("0123456789abcdef")


class Way(StrEnum):
    """What a step does to its name."""

    CREATE = "create"
    MODIFY = "modify"
    REMOVE = "remove"


def temp_name() -> str:
    """Return a name that nobody else uses and everybody can recognise."""
    return f".penstock-{os.urandom(8).hex()}.tmp"


def is_temp_name(name: str) -> bool:
    """True for what `temp_name` returns."""
    middle = name.removeprefix(".penstock-").removesuffix(".tmp")
    return name == f".penstock-{middle}.tmp" and len(middle) == 16 and set(middle) <= HEX


class FileStep(Struct, kw_only=True):
    """One file or link, its directory and its temporary name.

    `mode` is what it becomes and `was` what it must be; None stands for a regular file.
    `ours` is the file that we staged, or for a removal the file that was checked; None until
    then, which also means that no name was changed yet. `begun` is set when the temporary name
    may exist, `left` when it could not be removed at the end.
    """

    way: Way
    shown: str
    folder: Folder
    name: str
    temp: str
    expect: str | None
    new: str | None
    renames: Renames
    mode: FileMode | None = None
    was: FileMode | None = None
    ours: Ident | None = None
    begun: bool = False
    left: bool = False
    state: FileState | None = None
    notes: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)

    # -- before any name changes -------------------------------------------------------

    def check(self) -> Attributes | None:
        """Raise unless the name still stands for what was expected; return its attributes."""
        at = self.folder.descriptor
        status = look(at, self.name)
        if status is None:
            if self.expect is None:
                return None
            raise errors.stale(self.shown, self.expect, None)
        self._check_mode(status)
        if self.was is FileMode.LINK:
            self._check_link(status)
            return None
        errors.require_plain(status, self.shown)
        if self.expect is None:
            raise errors.stale(self.shown, None, self.digest_now())
        errors.require_single(status, self.shown)
        with LeasedFile(at, self.name) as file:
            errors.require_plain(file.status, self.shown)
            if not file.quiet:
                raise errors.busy(self.shown)
            now = file.digest()
            if now != self.expect:
                raise errors.stale(self.shown, self.expect, now)
            self.ours = ident_of(file.status) if self.way is Way.REMOVE else None
            return attributes_of(file.descriptor, file.status)

    def _check_mode(self, status: os.stat_result) -> None:
        now = errors.mode_of(status)
        if self.was is not None and now is not self.was:
            raise errors.mode_changed(self.shown, self.was, now)

    def _check_link(self, status: os.stat_result) -> None:
        """A link cannot be written in place, so its path is all that can be looked at."""
        now = self._link_digest(self.name)
        if now != self.expect:
            raise errors.stale(self.shown, self.expect, now)
        self.ours = ident_of(status) if self.way is Way.REMOVE else None

    def stage(self, content: bytes | None, like: Attributes | None, *, flush: bool) -> None:
        """Write the new content under the temporary name."""
        if content is None:
            return
        self.begun = True
        try:
            staged = self._write_temp(content, like, flush=flush)
        except FileExistsError:
            self.begun = False  # whose ever that file is, we did not make it
            raise
        self.ours = ident_of(staged.status)
        self.notes += staged.notes
        self.state = FileState(
            digest=self.new or "",
            size=len(content),
            mode=staged.status.st_mode & 0o7777,
            kind=errors.kind_of(staged.status),
        )

    def _write_temp(self, content: bytes, like: Attributes | None, *, flush: bool) -> StagedFile:
        at = self.folder.descriptor
        if self.mode is FileMode.LINK:
            return write_link(at, self.temp, content)
        return write_temp(at, self.temp, content, like, mode=self.mode, flush=flush)

    # -- the step itself ---------------------------------------------------------------

    def swap(self) -> None:
        """Give the name to the new file, and the temporary name to what was there."""
        at = self.folder.descriptor
        try:
            if self.way is Way.CREATE:
                self.renames.move(at, self.temp, self.name, recheck=self._recheck)
            elif self.way is Way.MODIFY:
                self.renames.exchange(at, self.temp, self.name, recheck=self._recheck)
            else:
                self.renames.move(at, self.name, self.temp, recheck=self._recheck)
        except (FileExistsError, FileNotFoundError) as problem:
            raise errors.stale(self.shown, self.expect, self.digest_now()) from problem

    def swapped(self) -> bool:
        """True when the name was given to the new file; read from the disk."""
        at = self.folder.descriptor
        tidy(at, self.temp, self.name)
        beside = ident_at(at, self.temp)
        if self.ours is None:
            return False
        if self.way is Way.REMOVE:
            return beside is not None or look(at, self.name) is None
        if beside is None:  # moved, or settled already; or put back, and then it has no name
            return self.has_name()
        return beside != self.ours

    def came_out_right(self) -> bool:
        """True when what lies under the temporary name is what was expected there."""
        return self._nothing_out() or self._holds(self.expect, self.was, drop=False)

    # -- after it ----------------------------------------------------------------------

    def settle(self) -> bool:
        """Drop the replaced file. False when it is not what was expected: it then stays."""
        return self._nothing_out() or self._holds(self.expect, self.was, drop=True)

    def put_back(self) -> None:
        """Give the name back to what had it; drop the new file if it is still as we made it."""
        if not self.swapped():
            self._discard()
        elif self.way is Way.MODIFY:
            self._swap_back()
        elif self.way is Way.CREATE:
            self._take_back()
        else:
            self._move(self.temp, self.name)

    def keep(self) -> None:
        """Give what lies under the temporary name one that a person can find."""
        tail = ".penstock-kept-" + os.urandom(4).hex()
        head = os.fsencode(self.name)[: LONGEST_NAME - len(tail)]
        name = os.fsdecode(head) + tail
        at = self.folder.descriptor
        try:
            self.renames.move(at, self.temp, name, recheck=_nothing)
        except OSError:
            name = self.temp
        self.kept.append("/".join((*self.folder.parts, name)))

    def leave(self) -> None:
        """Leave the temporary name to a later recovery, and say so."""
        self.left = True
        self.notes.append(f"`{self.temp}` was left behind and is removed at the next recovery")

    def has_name(self) -> bool:
        """True when the name stands for our file now."""
        return self.ours is not None and ident_at(self.folder.descriptor, self.name) == self.ours

    def digest_now(self) -> str | None:
        """Return the digest of what has the name now, for an answer; None when unreadable."""
        return self._link_digest(self.name) or self._digest_of(self.name)

    # -- pieces ------------------------------------------------------------------------

    def _recheck(self) -> None:
        """Stand-ins for the exchange only: the lock is needed, and a look right before."""
        if not self.folder.locked:
            raise StoreError(
                "lock-busy",
                f"the directory of `{self.shown}` is locked by another process",
                because="this file system cannot exchange files, so the lock is needed",
                hint="try again when the other process is done",
            )
        ours = self.ours
        self.check()
        self.ours = ours

    def _digest_of(self, name: str) -> str | None:
        """Return the digest of a regular file once nobody writes it; None for anything else."""
        with suppress(OSError), LeasedFile(self.folder.descriptor, name) as file:
            return file.digest() if file.regular else None
        return None

    def _link_digest(self, name: str) -> str | None:
        """Return the digest of the path that a link holds; None for anything else."""
        try:
            return digest(os.fsencode(os.readlink(name, dir_fd=self.folder.descriptor)))
        except OSError:
            return None

    def _nothing_out(self) -> bool:
        """True when nothing came out: a creation, or a step that was settled before."""
        return self.way is Way.CREATE or look(self.folder.descriptor, self.temp) is None

    def _holds(self, known: str | None, mode: FileMode | None, *, drop: bool) -> bool:
        """Say whether the temporary name stands for this content, and drop it if so."""
        at = self.folder.descriptor
        if mode is FileMode.LINK:
            right = known is not None and self._link_digest(self.temp) == known
            if right and drop:
                self._drop()
            return right
        try:
            with LeasedFile(at, self.temp) as file:
                if not file.holds(known or ""):
                    return False
                if drop:
                    self._drop()
                return True
        except OSError as problem:
            if problem.errno in (errno.ELOOP, errno.ENXIO):  # a link, a socket: no file of ours
                return False
            raise

    def _drop(self) -> None:
        try:
            os.unlink(self.temp, dir_fd=self.folder.descriptor)
        except OSError:
            self.leave()

    def _discard(self) -> None:
        """Remove the temporary file of a step that changed no name."""
        at = self.folder.descriptor
        beside = ident_at(at, self.temp)
        if not self.begun or beside is None:
            return
        if self.ours is None or self._holds(self.new, self.mode, drop=False):
            os.unlink(self.temp, dir_fd=at)
        else:
            self.keep()

    def _swap_back(self) -> None:
        """Exchange until what comes out is the file that we put in, holding what it held then.

        Anything else is a newer save that came in between, by rename or into the file itself,
        so it gets the name next. What comes out at last is superseded: our own file goes, any
        other is kept.
        """
        at = self.folder.descriptor
        put_in: tuple[Ident | None, str | None] = self.ours, self.new
        for _ in range(ROUNDS):
            in_hand = ident_at(at, self.temp), self._digest_of(self.temp)
            try:
                self.renames.exchange(at, self.temp, self.name, recheck=_nothing)
            except FileNotFoundError:
                return self._move(self.temp, self.name)
            if ident_at(at, self.temp) == put_in[0] and self._superseded(put_in[1]):
                return None
            put_in = in_hand
        return self.keep()

    def _superseded(self, held: str | None) -> bool:
        """End with what came out if it is unchanged. A link has no content that could change."""
        if ident_at(self.folder.descriptor, self.temp) == self.ours:
            return self._holds(self.new, self.mode, drop=True)
        if held is not None and not self._holds(held, None, drop=False):
            return False
        self.keep()
        return True

    def _take_back(self) -> None:
        """Take away a file that we created, unless it is somebody else's by now."""
        at = self.folder.descriptor
        try:
            self.renames.move(at, self.name, self.temp, recheck=_nothing)
        except FileNotFoundError:
            return
        if ident_at(at, self.temp) == self.ours and self._holds(self.new, self.mode, drop=True):
            return
        self._move(self.temp, self.name)
        self.kept.append(self.shown)

    def _move(self, old: str, new: str) -> None:
        """Give a name back unless somebody took it meanwhile: then both files stay."""
        try:
            self.renames.move(self.folder.descriptor, old, new, recheck=_nothing)
        except FileExistsError:
            self.keep()
        except FileNotFoundError:
            return  # somebody removed it, so there is nothing to give back


def _nothing() -> None:
    """Putting back needs no second look: whatever comes out is looked at."""
