"""Carry out writes, one file or a set, all or nothing.

The order is the same for one file and for many: note, open and lock the directories, check,
stage and flush everything, then change names, then look whether every path still leads to
where it was opened, then drop what was replaced, then flush the directories. A failure before
the last name has changed puts everything back.
Which content is right is not asked here; only whether the base is still the expected one.
Always true: the answer is read from the disk. An error means that no file has changed, except
`half-applied` and `outcome-unknown`, which say so and leave their note to `recover`.
"""

from __future__ import annotations

import fcntl
import time
from collections.abc import Sequence
from contextlib import suppress

from msgspec import Struct, field
from msgspec.structs import replace

from penstock.core.digest import digest
from penstock.core.errors import PenstockError, StoreError
from penstock.core.file_mode import WORDS, FileMode
from penstock.ports import FileState, PlannedWrite
from penstock.stores.files import errors
from penstock.stores.files.beneath import Beneath, Folder, Parts, look
from penstock.stores.files.contents import close
from penstock.stores.files.folder_step import FolderStep
from penstock.stores.files.journal import Journal, JournalNote, JournalPlan, SetDirection
from penstock.stores.files.rename import Renames
from penstock.stores.files.staging import flush_folder
from penstock.stores.files.step import FileStep, Way, temp_name

LOCK_TRIES = 200
MOST_DEEP = 1 << 16  # deeper than any path: files are settled before directories
LOCK_SECONDS = 0.01
Step = FileStep | FolderStep
NOT_FLUSHED = "its directory could not be flushed: a power loss now could undo the write"


class Batch(Struct, kw_only=True):
    """The steps of one write and the directories that it has open."""

    note: JournalNote
    shown: str
    at: str = ""  # the file that is worked on: where a failure was met
    steps: list[Step] = field(default_factory=list)
    folders: dict[Parts, Folder] = field(default_factory=dict)

    @property
    def single(self) -> bool:
        """True for one file: the change of its name is then the whole decision."""
        return len(self.steps) == 1

    def close(self) -> None:
        """Let go of every directory and its lock."""
        for folder in self.folders.values():
            folder.close()


class Writer(Struct, frozen=True, kw_only=True):
    """The one that writes below a root."""

    beneath: Beneath
    renames: Renames
    journal: Journal
    flush: bool

    def write(self, writes: Sequence[PlannedWrite]) -> list[FileState | None]:
        """Do all of the writes or none, and return what every path holds afterwards."""
        errors.require_sense(writes)
        if not writes:
            return []
        with errors.told(_shown(writes), "write"):
            plans = [_plan(write) for write in writes]
            for plan in plans:
                self._require_free(plan)
            batch = Batch(note=self._noted(plans), shown=_shown(writes))
        try:
            self._carry_out(batch, plans, writes)
        except BaseException as problem:  # noqa: BLE001 - put back first, then it goes on its way
            return self._failed(batch, problem)
        finally:
            batch.close()
        return [_answer(step) for step in batch.steps]

    def _require_free(self, plan: JournalPlan) -> None:
        """Raise where a directory would be made by a name that something else has by now."""
        if _made_for(plan) != plan.parts:
            return
        try:
            above = self.beneath.open(plan.parts[:-1])
        except OSError:
            return  # opening its way tells
        try:
            status = look(above, plan.parts[-1])
        finally:
            close(above)
        now = errors.mode_of(status) if status else FileMode.DIRECTORY
        if now is not FileMode.DIRECTORY:
            raise errors.stale("/".join(plan.parts), None, WORDS[now] if now else "no file")

    def _noted(self, plans: Sequence[JournalPlan]) -> JournalNote:
        if self.journal.directory is None:
            return JournalNote()
        missing: dict[Parts, None] = {}
        for plan in plans:
            if plan.way == Way.CREATE:
                with errors.told("/".join(plan.parts), "write"):
                    missing.update(dict.fromkeys(self.beneath.missing(_made_for(plan))))
        try:
            return self.journal.begin(plans, list(missing), flush=self.flush and len(plans) > 1)
        except OSError as problem:
            raise errors.no_note(problem) from problem

    def _carry_out(
        self, batch: Batch, plans: Sequence[JournalPlan], writes: Sequence[PlannedWrite]
    ) -> None:
        self._open(batch, plans)
        self.lock(batch)
        for step, write in zip(batch.steps, writes, strict=True):
            batch.at = step.shown
            like = step.check()
            step.stage(write.new, like, flush=self.flush)
        batch.at = ""
        batch.note.staged([step.ours for step in batch.steps], flush=self._flush_note(batch))
        self._swap(batch)
        self._settle(batch)

    def _flush_note(self, batch: Batch) -> bool:
        return self.flush and not batch.single

    def _open(self, batch: Batch, plans: Sequence[JournalPlan]) -> None:
        made: list[Parts] = []
        for plan in plans:
            batch.at = "/".join(plan.parts)
            for parts in dict.fromkeys((plan.parts[:-1], _made_for(plan))):
                made += self._open_folder(batch, parts, plan)
            folder = batch.folders[plan.parts[:-1]]
            batch.steps.append(self.step(plan, folder, alone=len(plans) == 1, made=made))

    def _open_folder(self, batch: Batch, parts: Parts, plan: JournalPlan) -> list[Parts]:
        """Open a directory once, and return those that were made for it."""
        if parts in batch.folders:
            return []
        try:
            folder = self.beneath.folder(parts, make=plan.way == Way.CREATE)
        except FileNotFoundError as problem:
            raise errors.stale(batch.at, plan.expect, None) from problem
        batch.folders[parts] = folder
        return folder.made

    def step(
        self, plan: JournalPlan, folder: Folder, *, alone: bool, made: list[Parts] | None = None
    ) -> Step:
        """Return the step that a plan makes in an open directory."""
        shown, name = "/".join(plan.parts), plan.parts[-1]
        if FileMode.DIRECTORY in (plan.mode, plan.was):
            return FolderStep(
                way=Way(plan.way),
                shown=shown,
                folder=folder,
                name=name,
                temp=plan.temp,
                alone=alone,
                made=made or [],
            )
        return FileStep(
            way=Way(plan.way),
            shown=shown,
            folder=folder,
            name=name,
            temp=plan.temp,
            expect=plan.expect,
            new=plan.new,
            renames=self.renames,
            mode=plan.mode,
            was=plan.was,
        )

    def lock(self, batch: Batch) -> None:
        """Lock every directory once, in one order for everybody, so that no two wait in a ring."""
        by_ident = {folder.ident: folder for folder in batch.folders.values()}
        for _, folder in sorted(by_ident.items()):
            locked = lock_folder(folder.descriptor)
            for same in batch.folders.values():
                if same.ident == folder.ident:
                    same.locked = locked

    def _swap(self, batch: Batch) -> None:
        """Change the names. Until this returns, a failure puts all of them back."""
        for step in batch.steps:
            batch.at = step.shown
            step.swap()
            if not batch.single and not step.came_out_right():
                raise CameOutWrong(step)
        batch.at = ""
        for folder in batch.folders.values():
            if not self.beneath.leads_to(folder):
                raise errors.moved("/".join(folder.parts) or batch.shown)
        for step in batch.steps:
            if step.way is not Way.REMOVE and not step.has_name():
                step.notes.append("it was changed again right after the write")
        if batch.single and not batch.steps[0].settle():
            raise CameOutWrong(batch.steps[0])
        if not batch.single:
            batch.note.decide(SetDirection.FORWARD, flush=self.flush)

    def _settle(self, batch: Batch) -> None:
        """Drop what was replaced. Nothing is put back from here on; the notes tell the rest."""
        if not batch.single:
            settle_set(batch.steps)
        self.flush_folders(batch)
        end(batch, clean=True)

    def flush_folders(self, batch: Batch) -> None:
        """Bring the changed names to the disk; a failure is told in the notes."""
        if not self.flush:
            return
        try:
            for folder in batch.folders.values():
                flush_folder(folder.descriptor)
                for made in folder.made:
                    _flush_at(self.beneath, made[:-1])
        except OSError:
            for step in batch.steps:
                step.notes.append(NOT_FLUSHED)

    def _failed(self, batch: Batch, problem: BaseException) -> list[FileState | None]:
        """Put everything back and raise; or answer, when the disk says that it was done."""
        if not batch.single:
            with suppress(OSError):
                batch.note.decide(SetDirection.BACK, flush=self.flush)
        stuck = _put_back(batch.steps)
        self.flush_folders(batch)
        changed = _changed(stuck)
        if changed is None or (changed and not batch.single):
            batch.note.leave()
            raise _half(batch.shown, changed) from problem
        if changed and isinstance(problem, Exception):
            return [_kept_after_all(batch, problem)]
        made = [parts for folder in batch.folders.values() for parts in folder.made]
        end(batch, clean=self.beneath.unmake(made) and not stuck)
        raise _told(problem, batch) from problem


class CameOutWrong(Exception):  # noqa: N818 - never leaves this module
    """What came out of a swap is not what was expected, or is being written."""

    def __init__(self, step: Step) -> None:
        super().__init__(step.shown)
        self.step = step


def end(batch: Batch, *, clean: bool) -> None:
    """Remove the note; or keep it for a recovery when something of ours is left behind."""
    if clean and not any(step.left for step in batch.steps):
        batch.note.drop()
    else:
        batch.note.leave()


def settle_set(steps: Sequence[Step]) -> None:
    """Drop what was replaced; what changed since it was looked at is kept.

    Directories come last, the innermost first: what they held is gone by then.
    """
    for step in sorted(steps, key=_settled_at):
        try:
            settled = step.settle()
        except OSError:
            step.leave()  # the next recovery looks at it again
            continue
        if not settled:
            step.keep()
            step.notes.append(f"an earlier version is kept as `{step.kept[-1]}`")


def _settled_at(step: Step) -> int:
    return -len(step.folder.parts) if isinstance(step, FolderStep) else -MOST_DEEP


def _put_back(steps: Sequence[Step]) -> list[Step]:
    """Put steps back in reverse; return those that could not be, after a second try."""
    stuck: list[Step] = []
    for step in reversed(steps):
        for last in (False, True):
            try:
                step.put_back()
            except OSError:
                if last:
                    stuck.append(step)
            else:
                break
    return stuck


def _changed(steps: Sequence[Step]) -> list[Step] | None:
    """Return which steps still hold the new content; None when the disk does not say."""
    try:
        return [step for step in steps if step.swapped()]
    except OSError:
        return None


def _kept_after_all(batch: Batch, problem: Exception) -> FileState | None:
    """Answer for a file that holds the new content although something failed afterwards."""
    step = batch.steps[0]
    step.notes.append(f"something failed after the write: {problem}")
    step.keep()
    step.notes.append(f"the earlier version is kept as `{step.kept[-1]}`")
    batch.note.drop()
    return _answer(step)


def _answer(step: Step) -> FileState | None:
    if step.state is None:
        return None
    made = tuple("/".join(parts) for parts in step.folder.made)
    return replace(step.state, notes=tuple(step.notes), made=made)


def _half(shown: str, changed: Sequence[Step] | None) -> StoreError:
    if changed is None:
        return StoreError(
            "outcome-unknown",
            f"`{shown}` may have the old or the new content",
            because="the disk failed during the write and could not be read afterwards",
            hint="check the disk; the next start of Penstock completes the write",
        )
    names = ", ".join(f"`{step.shown}`" for step in changed)
    return StoreError(
        "half-applied",
        "the change set was partly written and could not be reverted",
        because=f"{names} have the new content, the others the old",
        hint="check the disk; the next start of Penstock reverts the rest",
    )


def _told(problem: BaseException, batch: Batch) -> BaseException:
    """Return our error for what stopped a write that has been put back."""
    told = errors.ours(problem, batch.at or batch.shown, "write")
    if isinstance(problem, CameOutWrong):
        step = problem.step
        now = step.digest_now()
        told = errors.busy(step.shown)
        if now != step.expect:
            told = errors.stale(step.shown, step.expect, now)
    kept = [name for step in batch.steps for name in step.kept]
    if kept and isinstance(told, PenstockError):
        told.because += "; a version that came in between is kept as " + ", ".join(kept)
    return told


def lock_folder(descriptor: int) -> bool:
    """Lock a directory among all Penstocks; False when somebody holds on to it."""
    for _ in range(LOCK_TRIES):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(LOCK_SECONDS)
        except OSError:  # a file system without locks
            return False
        else:
            return True
    return False


def _flush_at(beneath: Beneath, parts: Parts) -> None:
    descriptor = beneath.open(parts)
    try:
        flush_folder(descriptor)
    finally:
        close(descriptor)


def _shown(writes: Sequence[PlannedWrite]) -> str:
    rest = f" and {len(writes) - 1} more" if len(writes) > 1 else ""
    return writes[0].path.text + rest


def _plan(write: PlannedWrite) -> JournalPlan:
    """Return the note's form of a write; here a path is looked at for the second time."""
    way = Way.REMOVE if write.new is None else Way.CREATE if write.expect is None else Way.MODIFY
    return JournalPlan(
        way=way.value,
        parts=errors.parts_of(write.path),
        temp=temp_name(),
        expect=write.expect,
        new=None if write.new is None else digest(write.new),
        mode=write.mode,
        was=write.was,
    )


def _made_for(plan: JournalPlan) -> Parts:
    """Return the directory that a plan needs: the one above it, or the one that it makes."""
    makes = plan.mode is FileMode.DIRECTORY and plan.way == Way.CREATE
    return plan.parts if makes else plan.parts[:-1]
