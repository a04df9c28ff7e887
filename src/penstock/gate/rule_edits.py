"""A rule edit: a change of rules files that was validated, and now goes through the gate.

What the edit is and whether it holds together is the core's; who may make it was decided before.
The order is fixed, as an editor of system files keeps it:
  (1) the intention goes on the record: no record, no write
  (2) what is there is kept, so that there is a way back
  (3) all files are replaced or none, each only over the content that was edited
  (4) the edit becomes part of the history
  (5) what was done goes on the record
Always true: after any fault what is told is what the disk says, and a version that was replaced
can be found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from penstock.core.digest import digest
from penstock.core.errors import AuditError, PenstockError, RefusedError
from penstock.core.paths import RelPath
from penstock.ports import AuditLog, Files, History, Kept, PendingVersions, PlannedWrite, Version

if TYPE_CHECKING:
    from penstock.gate.parts import Approvers, Event, Proof

ROOT = "/"  # rules files lie anywhere; their paths are absolute, with every link resolved


@dataclass(frozen=True, kw_only=True, slots=True)
class RuleEdit:
    """What is written, why and by whom. `facts` go on the record beside the digests.

    `proof` is the person's, where the rules that are in force want one.
    """

    operation: str
    versions: tuple[Version, ...]
    message: str
    snapshot: str
    facts: Mapping[str, object] = field(default_factory=dict)
    proof: Proof | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Edited:
    """What an edit left: where each file's earlier version is, and what a person should know."""

    kept: tuple[Kept, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class RuleEdits:
    """The steps of an edit. `files` are all files of the machine, from `ROOT`.

    `root` is the workspace whose record `log` is; paths in it are told relative to it.
    """

    files: Files
    history: History
    log: AuditLog
    root: str
    approvers: Callable[[], Approvers]
    clock: Callable[[], float]

    def write(self, edit: RuleEdit) -> Edited:
        """Make an edit, all of it or nothing. Raises a PenstockError when nothing was changed."""
        approvals = () if edit.proof is None else self._approvals(edit, edit.proof)
        self._tell("rules_changing", edit, status="applying", first=approvals)
        pending: PendingVersions | None = None
        try:
            pending = self.history.prepare(
                edit.versions, message=edit.message, snapshot=edit.snapshot
            )
            states = self.files.replace_all([_planned(one) for one in edit.versions])
        except PenstockError as fault:
            if not self._done(edit):
                self._undone(edit, pending, fault)
                _name_whole(fault, edit)
                raise
            states = ()
        notes = [note for state in states if state for note in state.notes]
        return self._settled(edit, pending, notes)

    def _settled(self, edit: RuleEdit, pending: PendingVersions | None, notes: list[str]) -> Edited:
        """The files hold the edit: nothing from here on may say otherwise."""
        kept: tuple[Kept, ...] = ()
        if pending is not None:
            try:
                kept = pending.publish()
            except PenstockError as fault:
                notes.append(f"written, but not kept in the history: {fault.message}")
            notes += pending.notes
        try:
            self._tell("rules_changed", edit, status="applied", kept=kept)
        except AuditError as fault:
            notes.append(f"written, but the line `rules_changed` could not be stored: {fault}")
        return Edited(kept=kept, notes=tuple(notes))

    def _undone(
        self, edit: RuleEdit, pending: PendingVersions | None, fault: PenstockError
    ) -> None:
        if pending is not None:
            pending.drop()
        with suppress(PenstockError):  # nothing that fails now may hide what failed first
            self._tell("rules_change_failed", edit, status="error", code=fault.code)

    def _done(self, edit: RuleEdit) -> bool:
        """Read the disk: all files hold what they should."""
        try:
            return all(self._digest(one.path) == digest(one.after) for one in edit.versions)
        except PenstockError:
            return False

    def _digest(self, path: str) -> str:
        state = self.files.state(inside(path))
        return "" if state is None else state.digest

    def _tell(
        self,
        op: str,
        edit: RuleEdit,
        *,
        status: str,
        kept: Sequence[Kept] = (),
        code: str = "",
        first: Sequence[Event] = (),
    ) -> None:
        """Add one line for each file, all in one piece."""
        where = {one.path: one for one in kept}
        lines = [
            _event(
                op,
                self._shown(one.path),
                status,
                {
                    "operation": edit.operation,
                    **edit.facts,
                    "before_hash": digest(one.before),
                    "after_hash": digest(one.after),
                    **_found(where.get(one.path)),
                    "code": code,
                },
            )
            for one in edit.versions
        ]
        self.log.append_many([*first, *lines], durable=True)

    def _approvals(self, edit: RuleEdit, proof: Proof) -> list[Event]:
        """Return the lines that say who approved each file, signed where there is a key."""
        at = self.clock()
        return [self._approval(one, proof, at) for one in edit.versions]

    def _approval(self, version: Version, proof: Proof, at: float) -> Event:
        path, base, content = (
            self._shown(version.path),
            digest(version.before),
            digest(version.after),
        )
        name = f"rules-{content.removeprefix('sha256:')[:32]}"
        facts = {
            "proposal": name,
            "base_hash": base,
            "content_hash": content,
            "revision": base,
            "by": proof.by,
            "proof": proof.kind,
        }
        if proof.sign is not None:
            from penstock.core.approval import statement

            said = statement(name, base, content, base, at, path=path)
            signature, key_id = proof.sign(said)
            if not self.approvers().valid(said, signature, key_id):
                raise RefusedError(
                    "unknown-key",
                    f"the key `{key_id}` is not an approver's here",
                    hint="see `penstock approver show`",
                )
            facts |= {"signature": signature, "key_id": key_id}
            return _event("approved", path, "approved", {**facts, "signed_at": at})
        return _event("approved", path, "approved", facts)

    def _shown(self, path: str) -> str:
        return path.removeprefix(self.root.rstrip("/") + "/")


def _found(kept: Kept | None) -> dict[str, object]:
    return {} if kept is None else {"commit": kept.commit, "previous": kept.previous}


def _event(op: str, path: str, status: str, facts: Mapping[str, object]) -> Event:
    said = {name: value for name, value in facts.items() if value not in ("", None)}
    return {"op": op, "path": path, "status": status, **said}


def _planned(version: Version) -> PlannedWrite:
    return PlannedWrite(path=inside(version.path), new=version.after, expect=digest(version.before))


def _name_whole(fault: PenstockError, edit: RuleEdit) -> None:
    """Name the files as people know them: beneath `ROOT` a path has lost its first sign."""
    for one in edit.versions:
        short, whole = f"`{inside(one.path)}", f"`{one.path}"
        fault.message = fault.message.replace(short, whole)
        fault.because = fault.because.replace(short, whole)


def inside(path: str) -> RelPath:
    """Return an absolute, resolved path as the files of the machine know it."""
    return RelPath(text=path.removeprefix(ROOT))
