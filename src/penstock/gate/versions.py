"""The versions of rules files around a write: kept before it, published after it, and told.

A proposal that changes rules says so in its `extra` under EDIT, with what its commit and its
lines on the record say; of all others nothing is kept here. Writing is `apply`'s.
  (1) the intention goes on the record of the rules' own workspace: no record, no write
  (2) what is there is kept, so that there is a way back
  (3) the files are replaced, by `apply`
  (4) the edit becomes part of the history
  (5) what was done goes on that record
Always true: a version that was replaced can be found; once the files hold the edit, a failure
here is a note and no error.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from msgspec.structs import replace

from penstock.core.errors import AuditError, PenstockError
from penstock.core.proposals.model import Proposal, Receipt
from penstock.gate.parts import Event, Parts
from penstock.ports import AuditLog, History, KeptVersion, PendingVersions, PlannedWrite, Version

EDIT = "edit"
Contents = Callable[[Proposal], tuple[bytes | None, bytes | None]]


def edit_of(facts: Mapping[str, object], *, message: str, snapshot: str) -> dict[str, str]:
    """Return what marks a proposal as an edit of rules. Without a message nothing is committed."""
    said = {"facts": dict(facts), "message": message, "snapshot": snapshot}
    return {EDIT: json.dumps(said)}


def undone(taken_back: Sequence[Proposal]) -> dict[str, str]:
    """Return what marks an undo of edits; of anything else, nothing."""
    edits = [json.loads(one.extra[EDIT]) for one in taken_back if EDIT in one.extra]
    if not edits:
        return {}
    from penstock.core.rule_edit.summary import undo_message

    messages = [edit["message"] for edit in edits]
    rules = dict.fromkeys(rule for edit in edits for rule in edit["facts"].get("rules", ()))
    return edit_of(
        {"operation": "undo", "rules": list(rules)},
        message=undo_message(messages) if all(messages) else "",
        snapshot=edits[0]["snapshot"],
    )


class Versions:
    """What is kept around one write. `kept` tells where, once the files are written."""

    def __init__(self, parts: Parts, history: History | None = None) -> None:
        self.parts = parts
        self.kept: tuple[KeptVersion, ...] = ()
        self._history = history
        self._edits: tuple[Proposal, ...] = ()
        self._log: AuditLog = parts.log
        self._root = parts.files.root
        self._pending: PendingVersions | None = None
        self._notes: list[str] = []

    def prepare(self, claimed: Sequence[Proposal], contents: Contents) -> None:
        """Tell what is about to be done, and make what is there safe. Raises: no write then."""
        rules = self.parts.rules
        self._edits = tuple(one for one in claimed if rules and EDIT in one.extra)
        if rules is None or not self._edits:
            return
        self._log, self._root = rules.record(self.parts.whole(self._edits[0].path))
        self._tell("rules_changing", status="applying")
        edit = json.loads(self._edits[0].extra[EDIT])
        self._pending = (self._history or rules.history()).prepare(
            [self._version(one, contents) for one in self._edits],
            message=edit["message"],
            snapshot=edit["snapshot"],
        )

    def _version(self, one: Proposal, contents: Contents) -> Version:
        before, after = contents(one)
        return Version(path=self.parts.whole(one.path), before=before or b"", after=after or b"")

    def publish(self) -> None:
        """The files hold the edit: make it part of the history."""
        if self._pending is None:
            return
        try:
            self.kept = self._pending.publish()
        except PenstockError as fault:
            self._notes.append(f"written, but not saved in the history: {fault.message}")
        self._notes += self._pending.notes

    def tell_done(self) -> None:
        """Put on the record what was done, and where the version before it is."""
        try:
            self._tell("rules_changed", status="applied")
        except AuditError as fault:
            self._notes.append(
                f"written, but the `rules_changed` entry could not be logged: {fault.message}"
            )

    def drop(self, fault: PenstockError) -> None:
        """Nothing was written: leave no trace but a line."""
        if self._pending is not None:
            self._pending.drop()
        self._tell("rules_change_failed", status="error", code=fault.code)

    def noted(self, receipt: Receipt) -> Receipt:
        """Return a receipt that also tells what did not go as it should here."""
        notes = [receipt.note, *self._notes] if receipt.note else self._notes
        return replace(receipt, note="; ".join(notes))

    def _tell(self, op: str, *, status: str, code: str = "") -> None:
        """Add a line for each file to the record of the workspace that the first lies in."""
        if self._edits:
            lines = [self._line(op, one, status, code) for one in self._edits]
            self._log.append_many(lines, durable=True)

    def _line(self, op: str, one: Proposal, status: str, code: str) -> Event:
        path = self.parts.whole(one.path)
        kept = next((each for each in self.kept if each.path == path), None)
        facts: dict[str, object] = {
            "by": one.answer.by if one.answer else "",
            **json.loads(one.extra[EDIT])["facts"],
            "before_hash": one.base,
            "after_hash": one.content,
            "commit": kept.commit if kept else "",
            "previous": kept.previous if kept else "",
            "code": code,
        }
        said = {name: value for name, value in facts.items() if value not in ("", None)}
        shown = path.removeprefix(self._root.rstrip("/") + "/")
        return {"op": op, "path": shown, "status": status, **said}


@contextmanager
def named_whole(plan: Sequence[PlannedWrite]) -> Iterator[None]:
    """Name files as people know them: beneath the machine's root a path has lost its first sign."""
    try:
        yield
    except PenstockError as fault:
        for one in plan:
            short, whole = f"`{one.path}", f"`/{one.path}"
            fault.message = fault.message.replace(short, whole)
            fault.because = fault.because.replace(short, whole)
        raise
