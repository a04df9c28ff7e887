"""Notes about writes under way, so that a crash can be ended and not guessed at.

A note is written before the first temporary file, told which files were staged before the
first name changes, and removed when the write is over. It is locked while its writer lives,
so a note that can be locked was left by a crash. It names temporary files one by one: cleaning
up never has to guess which files are ours.
A set's note is flushed, because only the note knows which files belong together. A note of one
write is not: a killed process loses nothing by it, and a power cut in the middle of the write
can at worst leave a temporary file behind that no note lists (`recovery.sweep` finds those).
Always true: a line says what is about to happen, never what is hoped to have happened.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum

from msgspec import Struct

from penstock.core.file_mode import FileMode
from penstock.stores.files.beneath import Ident, Parts
from penstock.stores.files.contents import close, whole
from penstock.stores.files.rename import write_whole
from penstock.stores.files.staging import flush_file, flush_folder

SUFFIX = ".write"
VERSION = 1
TRIES = 16
MODES = ("mode", "was")  # notes of older versions have neither: then it is a file


class SetDirection(StrEnum):
    """Which way a set goes once it is settled that it goes only one way."""

    FORWARD = "forward"
    BACK = "back"


class JournalPlan(Struct, frozen=True, kw_only=True):
    """One file of a write, as the note keeps it."""

    way: str
    parts: Parts
    temp: str
    expect: str | None
    new: str | None
    mode: FileMode | None = None
    was: FileMode | None = None


class JournalEntry(Struct, frozen=True, kw_only=True):
    """A note as it was read: what was planned, which files were staged, what was decided."""

    plans: tuple[JournalPlan, ...]
    missing: tuple[Parts, ...] = ()
    staged: tuple[Ident | None, ...] | None = None
    decided: SetDirection | None = None


NOTHING_PLANNED = JournalEntry(plans=())


class JournalNote:
    """One write's note, open and locked. Without a journal every call does nothing."""

    def __init__(self, path: str = "", descriptor: int = -1) -> None:
        self._path = path
        self._descriptor = descriptor

    def staged(self, idents: Sequence[Ident | None], *, flush: bool) -> None:
        """Tell which files wait under the temporary names; the next step changes a name."""
        self.add({"staged": idents}, flush=flush)

    def decide(self, decided: SetDirection, *, flush: bool) -> None:
        """Tell which way the rest goes."""
        self.add({"decided": decided.value}, flush=flush)

    def drop(self) -> None:
        """Remove the note: nothing of its write is left to do."""
        if self._descriptor >= 0:
            with suppress(OSError):
                os.unlink(self._path)
        self.leave()

    def leave(self) -> None:
        """Let go of the note and keep it for `recover`."""
        if self._descriptor >= 0:
            close(self._descriptor)
            self._descriptor = -1

    def read(self, root: str) -> JournalEntry | None:
        """Return what the note says; None when it is about another root.

        A note without a whole first line plans nothing: its writer had not begun.
        """
        lines = whole(self._descriptor).split(b"\n")[:-1]  # what follows is a torn line
        try:
            return _entry([json.loads(line) for line in lines], root)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return NOTHING_PLANNED

    def add(self, line: Mapping[str, object], *, flush: bool) -> None:
        """Add one line."""
        if self._descriptor < 0:
            return
        write_whole(self._descriptor, json.dumps(line).encode("ascii") + b"\n")
        if flush:
            flush_file(self._descriptor)


def _entry(lines: Sequence[Mapping[str, object]], root: str) -> JournalEntry | None:
    said: dict[str, object] = {}
    for line in lines:
        said.update(line)
    if not said:
        return NOTHING_PLANNED
    if said.get("version") != VERSION or said.get("root") != root:
        return None
    staged, decided = said.get("staged"), said.get("decided")
    plans = tuple(_plan(one) for one in _listed(said["plans"]))
    if staged is not None and len(_listed(staged)) != len(plans):
        raise ValueError("every plan has one staged file")
    return JournalEntry(
        plans=plans,
        missing=tuple(tuple(map(str, _listed(one))) for one in _listed(said["missing"])),
        staged=None if staged is None else tuple(_ident(one) for one in _listed(staged)),
        decided=None if decided is None else SetDirection(str(decided)),
    )


def _plan(said: object) -> JournalPlan:
    if not isinstance(said, dict):
        raise TypeError("a plan is a table")
    texts = {key: said[key] for key in ("way", "temp", "expect", "new")}
    if not all(value is None or isinstance(value, str) for value in texts.values()):
        raise TypeError("a plan holds texts")
    modes = {key: FileMode(said[key]) for key in MODES if said.get(key) is not None}
    return JournalPlan(parts=tuple(map(str, _listed(said["parts"]))), **texts, **modes)


def _listed(said: object) -> list[object]:
    if not isinstance(said, list):
        raise TypeError("a list is wanted")
    return said


def _ident(said: object) -> Ident | None:
    if said is None:
        return None
    device, number = _listed(said)
    if not isinstance(device, int) or not isinstance(number, int):
        raise TypeError("a file is named by two numbers")
    return device, number


class Journal(Struct, frozen=True, kw_only=True):
    """The directory of the notes, or None for a writer that keeps none."""

    directory: str | None
    root: str

    def begin(
        self, plans: Sequence[JournalPlan], missing: Sequence[Parts], *, flush: bool
    ) -> JournalNote:
        """Write a note about what is going to happen. Nothing may happen before it."""
        if self.directory is None:
            return JournalNote()
        try:
            note = self._locked_note(self.directory)
        except FileNotFoundError:
            os.makedirs(self.directory, mode=0o700, exist_ok=True)
            note = self._locked_note(self.directory)
        try:
            note.add(
                {
                    "version": VERSION,
                    "root": self.root,
                    "plans": [_as_table(plan) for plan in plans],
                    "missing": missing,
                },
                flush=flush,
            )
            if flush:
                _flush(self.directory)
        except BaseException:
            note.drop()
            raise
        return note

    def left(self) -> Iterator[JournalNote]:
        """Return the notes whose writers are gone, each locked by us."""
        if self.directory is None:
            return
        try:
            names = sorted(os.listdir(self.directory))
        except FileNotFoundError:
            return
        for name in names:
            if name.endswith(SUFFIX):
                note = _claimed(os.path.join(self.directory, name))
                if note is not None:
                    yield note

    def _locked_note(self, directory: str) -> JournalNote:
        """Make a note and lock it. Whoever cleans up may come between the two: then again."""
        for _ in range(TRIES):
            path = os.path.join(directory, os.urandom(8).hex() + SUFFIX)
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            descriptor = os.open(path, flags, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                if os.fstat(descriptor).st_nlink:
                    return JournalNote(path, descriptor)
            except BaseException:
                JournalNote(path, descriptor).drop()
                raise
            close(descriptor)
        raise OSError("notes are removed as fast as they are made")


def _flush(directory: str) -> None:
    folder = os.open(directory, os.O_RDONLY | os.O_CLOEXEC)
    try:
        flush_folder(folder)
    finally:
        close(folder)


def _as_table(plan: JournalPlan) -> dict[str, object]:
    return {key: getattr(plan, key) for key in ("way", "parts", "temp", "expect", "new", *MODES)}


def _claimed(path: str) -> JournalNote | None:
    """Open and lock a note; None when its writer lives or somebody else took it."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(descriptor).st_nlink:
            return JournalNote(path, descriptor)
    except OSError:
        pass
    close(descriptor)
    return None
