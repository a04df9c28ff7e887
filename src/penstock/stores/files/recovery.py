"""End the writes that a crash interrupted, from the notes they left.

A write goes forward when all of its names were changed and everything that came out was
expected; otherwise it goes back. A set that had decided goes on as it had decided.
The steps are those of `step`, which read from the disk how far the crash let them come.
The note of a single write is not flushed (`journal`), so after a power cut a temporary file can
be there that nobody lists. Whoever began the write still knows what it was about: `sweep` takes
for ours only a file that has the form of our names and holds just that.
Always true: else only temporary names that a note of ours lists are touched, and recovering
twice, or being killed while recovering, ends the same way. Nothing is swept whose bytes are not
known elsewhere, and nothing while another Penstock may be writing in the same directory.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from penstock.ports import Ending, FileKind, RecoveredWrite
from penstock.stores.files.batch import Batch, Step, Writer, end, lock_folder, settle_set
from penstock.stores.files.beneath import Beneath, Folder, Ident, Parts, ident_at, look
from penstock.stores.files.contents import READING, close, whole
from penstock.stores.files.errors import kind_of
from penstock.stores.files.journal import JournalEntry, JournalNote, JournalPlan, SetDirection
from penstock.stores.files.staging import flush_folder
from penstock.stores.files.step import Way, is_temp_name

# A directory that is not there any more, or where only a link has its name.
GONE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})
MOST_NAMES = 100_000


class Recovery(Struct, frozen=True, kw_only=True):
    """Whoever ends what a writer began."""

    writer: Writer

    def recover(self) -> Iterator[RecoveredWrite]:
        """End every write whose writer is gone."""
        for note in self.writer.journal.left():
            try:
                entry = note.read(self.writer.journal.root)
                if entry is None:
                    continue
                if entry.plans and all(map(_sound, entry.plans)):
                    yield self._ended(note, entry)
                else:
                    note.drop()
            finally:
                note.leave()

    def _ended(self, note: JournalNote, entry: JournalEntry) -> RecoveredWrite:
        batch = Batch(note=note, shown="/".join(entry.plans[0].parts))
        trouble: tuple[str, ...] = ()
        try:
            ending = self._carried_on(batch, entry)
        except OSError as problem:  # the note stays, and the next recovery tries again
            ending = Ending.LEFT
            trouble = (f"could not be ended yet: {problem.strerror}",)
        finally:
            batch.close()
        return RecoveredWrite(
            paths=tuple("/".join(plan.parts) for plan in entry.plans),
            ending=ending,
            kept=tuple(name for step in batch.steps for name in step.kept),
            notes=trouble + tuple(text for step in batch.steps for text in step.notes),
        )

    def _carried_on(self, batch: Batch, entry: JournalEntry) -> Ending:
        self._reopen(batch, entry)
        self.writer.lock(batch)
        forward = _goes_forward(batch.steps, entry)
        if forward:
            settle_set(batch.steps)
        else:
            for step in reversed(batch.steps):
                step.put_back()
        self.writer.flush_folders(batch)
        end(batch, clean=forward or self.writer.beneath.unmake(entry.missing))
        return Ending.FINISHED if forward else Ending.PUT_BACK

    def _reopen(self, batch: Batch, entry: JournalEntry) -> None:
        """Open the directories again; one that is gone took its temporary files along."""
        idents = entry.staged or (None,) * len(entry.plans)
        for plan, ours in zip(entry.plans, idents, strict=True):
            parts = plan.parts[:-1]
            try:
                if parts not in batch.folders:
                    batch.folders[parts] = self.writer.beneath.folder(parts)
            except OSError as problem:
                if problem.errno not in GONE:
                    raise
                continue
            alone = len(entry.plans) == 1
            step = self.writer.step(plan, batch.folders[parts], alone=alone)
            step.ours, step.begun = _as_it_is_known_now(step, ours), True
            batch.steps.append(step)


def _as_it_is_known_now(step: Step, ours: Ident | None) -> Ident | None:
    """Return the file of a note by the numbers that it has now.

    A restart may give a disk another number; what a file is called on its disk stays. Of the two
    names that may stand for ours, the one with its number does.
    """
    there = [ident_at(step.folder.descriptor, name) for name in (step.temp, step.name)]
    if ours is None or ours in there:
        return ours
    return next((found for found in there if found and found[1] == ours[1]), ours)


def _goes_forward(steps: Sequence[Step], entry: JournalEntry) -> bool:
    """All names changed and everything replaced was expected: finish. Otherwise: back."""
    if entry.staged is None or entry.decided is SetDirection.BACK:
        return False
    if entry.decided is SetDirection.FORWARD:
        return True
    if len(steps) < len(entry.plans):  # a directory is gone, and its part of the answer with it
        return False
    return all(step.swapped() for step in steps) and all(step.came_out_right() for step in steps)


def _sound(plan: JournalPlan) -> bool:
    """True when a note's plan can be one of ours; nothing else is ever touched."""
    ways = {way.value for way in Way}
    plain = bool(plan.parts) and all(map(_plain, plan.parts))
    return plain and plan.way in ways and is_temp_name(plan.temp)


def _plain(part: str) -> bool:
    try:
        name = os.fsencode(part)
    except UnicodeEncodeError:
        return False
    return name not in (b"", b".", b"..") and not {0, ord("/")} & set(name)


def sweep(beneath: Beneath, parts: Parts, contents: Collection[bytes]) -> tuple[str, ...]:
    """Remove what an interrupted write of these contents left beside a file; return the names."""
    try:
        folder = beneath.folder(parts[:-1])
    except (FileNotFoundError, NotADirectoryError):
        return ()
    try:
        if not lock_folder(folder.descriptor):
            return ()
        names = os.listdir(folder.descriptor)[:MOST_NAMES]
        ours = [n for n in names if is_temp_name(n) and _holds_one_of(folder, n, contents)]
        for name in ours:
            os.unlink(name, dir_fd=folder.descriptor)
        if ours:
            flush_folder(folder.descriptor)
        return tuple(sorted(ours))
    finally:
        folder.close()


def _holds_one_of(folder: Folder, name: str, contents: Collection[bytes]) -> bool:
    """True for a plain file with one of these contents, or with the beginning of one."""
    status = look(folder.descriptor, name)
    if status is None or kind_of(status) is not FileKind.FILE or status.st_nlink > 1:
        return False
    if status.st_size > max(map(len, contents), default=-1):
        return False
    descriptor = os.open(name, READING, dir_fd=folder.descriptor)
    try:
        held = whole(descriptor)
    finally:
        close(descriptor)
    return any(content.startswith(held) for content in contents)
