"""Check the owners behind the writes of a record: each write has the approvals that it needed.

Which bundle was in force when is known from the bundles that this machine kept, each checked by
the organisation's key before. An entry shows everything that proves it; an unlocked session proves
nothing here.
Always true: a write is measured by the bundle that was in force, and by what its own entry says it
needed, never by less; a signature counts only if it stands in the record before the write.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from penstock.core.audit.approval.approval_proof import PASSKEY, passkey_of, touch_fault
from penstock.core.audit.approval.approvals import approved_statement
from penstock.core.audit.approval.standing_approval import (
    APPLIED,
    PROPOSED,
    UNASKED,
    approves,
)
from penstock.core.audit.findings import AuditProblem, TamperKind
from penstock.core.bundle.author import NAMES, NO_AUTHOR, ChangeAuthor, recorded_author
from penstock.core.bundle.model import BundleApprover, PolicyBundle
from penstock.core.bundle.owners import OwnerNeed, need_of, needs, tally
from penstock.core.proposals.model import UNDO
from penstock.core.proposals.signature import check

ENDORSED = "endorsed"  # one owner's approval, signed over the same statement as any other
KEY = "key"
NOTICE = frozenset({ENDORSED})

Event = Mapping[str, object]


class BundleTerm(Struct, frozen=True, kw_only=True):
    """A bundle, and since when it was in force here, as the record writes times."""

    bundle: PolicyBundle
    since: str


class OwnerApprovals(Struct):
    """Goes over numbered entries once, in their order; `problems` are its finds.

    `terms` are the bundles that were in force, the oldest first, and `author` is whoever's machine
    it is; the entries of a proposal and of its write name the author of that day.
    """

    terms: Sequence[BundleTerm]
    author: ChangeAuthor = NO_AUTHOR
    problems: list[AuditProblem] = field(default_factory=list)
    _signed: dict[str, list[Event]] = field(default_factory=dict)
    _standing: dict[str, Event] = field(default_factory=dict)
    _authors: dict[str, ChangeAuthor] = field(default_factory=dict)

    def feed(self, events: Iterable[tuple[int, Event]]) -> None:
        """Check every write among some entries, each with the number of its line."""
        for line, event in events:
            known = str(event.get("proposal"))
            if event.get("op") == PROPOSED:
                so_far = self._authors.get(known, NO_AUTHOR)
                self._authors[known] = so_far | recorded_author(event)
            if event.get("op") == ENDORSED:
                self._signed.setdefault(known, []).append(event)
            elif event.get("op") == APPLIED:
                why = self._fault(event, self._standing.pop(known, None))
                if why:
                    said = AuditProblem(kind=TamperKind.BAD_APPROVAL, line=line, message=why)
                    self.problems.append(said)
            elif approves(event):
                self._standing[known] = event

    def _fault(self, event: Event, approval: Event | None) -> str:
        """Return what a write lacks; "" where it lacks nothing, or needed no owner."""
        if approval is None or approval.get("proof") in UNASKED:
            return ""  # one without any approval is told by `standing_approval`
        if event.get("origin") == UNDO and event.get("rules_allow") is True:
            return ""  # said by the gate, as the proof `policy` is
        path = str(event.get("path"))
        found = [one.bundle for one in self.terms if one.since < str(event.get("ts"))]
        named = next(
            (one.bundle for one in self.terms if one.bundle.digest == event.get("bundle")), None
        )
        if named is None and event.get("bundle"):
            return f"the write to `{path}` names a policy bundle that is not kept here"
        if named is not None and found and named.version < found[-1].version:
            return f"the write to `{path}` goes by an older policy bundle than the active one"
        bundle = named or (found[-1] if found else None)
        return "" if bundle is None else self._lacking(event, path, bundle)

    def _lacking(self, event: Event, path: str, bundle: PolicyBundle) -> str:
        wanted = dict.fromkeys((*needs(bundle, (path,), None), *_said_needs(event)))
        now = tally([*wanted], bundle, self._signers(event, bundle), self._author(event))
        if NAMES not in event:  # an older version's, which knew no author but the machine's keys
            now = replace(now, author_known=True)
        return "" if now.done else f"`{path}` was written with {now.said}"

    def _author(self, event: Event) -> ChangeAuthor:
        proposed = self._authors.get(str(event.get("proposal")), NO_AUTHOR)
        return self.author | proposed | recorded_author(event)

    def _signers(self, event: Event, bundle: PolicyBundle) -> list[str]:
        found = []
        for one in self._signed.get(str(event.get("proposal")), []):
            same = all(one.get(name) == event.get(name) for name in SAME)
            approver = endorser(one, approved_statement(one), bundle) if same else None
            found += [approver.key_id] if approver else []
        return found


SAME = ("path", "base_hash", "content_hash", "base_mode", "mode", "revision")


def _said_needs(event: Event) -> list[OwnerNeed]:
    """Return the needs that a write's own entry holds: CODEOWNERS of that day are among them."""
    said = event.get("owners")
    texts = said if isinstance(said, list) else []
    return [need for text in texts if (need := need_of(str(text))) is not None]


# --- one owner's approval -------------------------------------------------------------------


def endorser(event: Event, said: bytes, bundle: PolicyBundle) -> BundleApprover | None:
    """Return who signed a statement by what an entry shows, if the bundle has their key."""
    approver = bundle.approver(str(event.get("key_id")))
    if approver is None:
        return None
    if event.get("proof") == PASSKEY:
        return approver if _touched(event, said, approver) else None
    signed = event.get("proof") == KEY
    good = signed and check(approver.public, said, str(event.get("signature")))
    return approver if good else None


def _touched(event: Event, said: bytes, approver: BundleApprover) -> bool:
    """Say whether a passkey that the bundle has for this person was touched for a statement."""
    passkey = passkey_of(event)
    known = {one.public for one in approver.passkeys}
    if passkey is None or passkey.public not in known:
        return False
    return not touch_fault(event, said, {approver.key_id: approver.public})
