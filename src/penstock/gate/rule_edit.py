"""A rule edit: Proposals on rules files, which were validated, and go through the same gate.

What the edit is and whether it holds together is the core's. The switch lets anybody edit rules;
what lets a policy in force allow more needs a proof as well. That decision stands in the place of
the rules, which keep agents from their own files. Everything else is as for any other write:
proposed, answered, applied by the numbered checks, with a receipt that `undo` knows.
Always true: only this makes a proposal outside the workspace, and only `undo` takes one back; an
edit that failed leaves no open proposal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from msgspec import Struct, field
from msgspec.structs import replace

from penstock.core.digest import digest
from penstock.core.errors import InputError, PenstockError, RefusedError
from penstock.core.model import Actor, Decision, Verdict
from penstock.core.proposals.model import RULE_EDIT, Proposal, Receipt, Transition
from penstock.gate.answer import Answerer
from penstock.gate.apply import Applier
from penstock.gate.doors import Proof, no_terminal
from penstock.gate.parts import RULES_ENDING, Item, Parts
from penstock.gate.propose import Proposer
from penstock.gate.versions import Versions, edit_of
from penstock.ports import History, KeptVersion, Version

REVIEWER = Actor(agent="decision_reviewer")


class RuleEdit(Struct, frozen=True, kw_only=True):
    """What is written, why and by whom. `facts` go on the record beside the digests.

    Without a `message` nothing is committed, and only copies are kept. `proof` is the person's,
    where the rules that are in force want one. `ids` are the names of the proposals, by path, where
    they were drafted before.
    """

    versions: tuple[Version, ...]
    message: str
    snapshot: str
    facts: Mapping[str, object] = field(default_factory=dict)
    proof: Proof | None = None
    ids: Mapping[str, str] = field(default_factory=dict)


class RuleEditResult(Struct, frozen=True, kw_only=True):
    """What an edit left: where each file's earlier version is, and what a person should know."""

    kept: tuple[KeptVersion, ...]
    notes: tuple[str, ...] = ()


class RuleEdits:
    """The steps of one edit."""

    def __init__(self, parts: Parts, edit: RuleEdit) -> None:
        self.edit = edit
        self.parts = replace(parts, settled=_decision(edit, parts.policy().revision))
        self.answering = Answerer(self.parts)
        self.proposing = Proposer(self.parts, self.answering)

    def write(self, history: History) -> RuleEditResult:
        """Make an edit, all of it or nothing. Raises a PenstockError when nothing was changed."""
        self._require_allowed()
        versions = Versions(self.parts, history)
        made = self._proposed()
        try:
            receipts = self._applied(made, versions)
        except PenstockError as fault:
            self._close(made, fault)
            raise
        notes = dict.fromkeys(one.note for one in receipts if one.note)
        return RuleEditResult(kept=versions.kept, notes=tuple(notes))

    def draft(self) -> tuple[Proposal, ...]:
        """Return what the edit would propose. Nothing is queued, recorded or written."""
        return tuple(
            self.proposing.make(
                item, self._id_of(item), actor=REVIEWER, origin=RULE_EDIT, keeps=False
            )
            for item in self._items()
        )

    def _require_allowed(self) -> None:
        edit, rules = self.edit, self.parts.rules
        for one in edit.versions:
            if not one.path.endswith(RULES_ENDING):
                raise InputError("bad-target", f"`{one.path}` is not a rules file")
        if edit.proof is None and (rules is None or not rules.switched_on()):
            raise RefusedError(
                "writes-disabled",
                "editing rules is disabled",
                because="DECISION_REVIEWER_ALLOW_WRITES is not 1",
                hint="see `penstock rules apply --help`",
            )
        before = {one.path: one.before for one in edit.versions}
        after = {one.path: one.after for one in edit.versions}
        if edit.proof is None and self.parts.widened(before, after):
            raise no_terminal("this would make the active policy allow more")

    def _proposed(self) -> tuple[Proposal, ...]:
        edit = self.edit
        extra = edit_of(edit.facts, message=edit.message, snapshot=edit.snapshot)
        items = self._items()
        ids = [known for item in items if (known := self._id_of(item))]
        return self.proposing.propose(items, actor=REVIEWER, origin=RULE_EDIT, extra=extra, ids=ids)

    def _id_of(self, item: Item) -> str:
        """Return the name that was given to a file's proposal when it was drafted."""
        return self.edit.ids.get(self.parts.name(item.path), "")

    def _items(self) -> list[Item]:
        return [
            Item(path=one.path, content=one.after, expect=digest(one.before))
            for one in self.edit.versions
        ]

    def _applied(self, made: Sequence[Proposal], versions: Versions) -> tuple[Receipt, ...]:
        if self.edit.proof is not None:
            ids = [one.id for one in made]
            self.answering.answer_all(ids, approve=True, proof=self.edit.proof)
        applying = Applier(self.parts, self.proposing)
        return applying.apply(made[0].set_id or made[0].id, versions=versions)

    def _close(self, made: Sequence[Proposal], fault: PenstockError) -> None:
        """Nobody shall find an edit in the queue that its author was told has failed."""
        for one in made:
            with suppress(PenstockError):  # it may be closed already
                moved = self.parts.proposals.move(one.id, Transition.OUTDATE)
                self.parts.record_of("outdated", moved, status=moved.state, code=fault.code)


def _decision(edit: RuleEdit, revision: str) -> Decision:
    if edit.proof is None:
        return Decision(
            verdict=Verdict.ALLOW, because="the reviewer may edit rules", revision=revision
        )
    because = "rules that allow more need confirmation by a person"
    return Decision(verdict=Verdict.ASK, because=because, revision=revision)
