"""What is asked and decided about one write, and what state keeps of it.

Always true: a decision says yes only when a person approved or edited; entries are plain JSON
values; every write that came in leaves exactly one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import Any, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from penstock.core.merge.strategies import Strategy
from penstock.core.proposals.line_comment import LineComment, of_values
from penstock.core.proposals.model import Proposal, Receipt
from penstock.core.text.display import harmless, spoken
from penstock.core.timestamps import stamp
from penstock.doors.langgraph.pending_writes import Write
from penstock.gate import Proof

STRATEGY = "strategy:"
POLICY = Proof(by="policy", kind="policy")
ITS_FILE = "."  # what a comment is about that names no file
Entry: TypeAlias = dict[str, Any]  # of `approved_writes` or `rejected_writes`


class DecisionType(StrEnum):
    """What a person can decide about one write."""

    APPROVE = "approve"
    EDIT = "edit"
    REJECT = "reject"
    RESPOND = "respond"


class ReviewAction(Struct, frozen=True, kw_only=True):
    """One write that a person is asked about.

    `args` are the call's own; an edit keeps their names and types, and the values of those in
    `pinned`. `joins` says that there is a file to join the new content with, and `lines` how
    many lines it has. `facts` are shown beside: the proposal, the counts, the digests.
    """

    name: str
    args: Mapping[str, object]
    description: str = ""
    proposal: str = ""
    allowed: tuple[DecisionType, ...] = tuple(DecisionType)
    pinned: tuple[str, ...] = ()
    joins: bool = False
    lines: int = 0
    facts: Mapping[str, object] = field(default_factory=dict)


class ReviewDecision(Struct, frozen=True, kw_only=True):
    """What a person decided; `args` are those of an edit, `comments` what a rejection points at."""

    kind: DecisionType = DecisionType.APPROVE
    strategy: Strategy = Strategy.REPLACE
    insertion_point: int | None = None
    args: Mapping[str, object] = field(default_factory=dict)
    message: str = ""
    comments: tuple[LineComment, ...] = ()

    @property
    def said(self) -> str:
        """The message and every comment, as the agent reads them."""
        words = [
            one.words if one.path == ITS_FILE else f"{spoken(one.path)} {one.words}"
            for one in self.comments
        ]
        return "; ".join(filter(None, (self.message, *words)))

    def about(self, paths: Collection[str]) -> ReviewDecision:
        """Return it for some files: a comment that names none is about the only one."""
        if len(paths) != 1:
            return self
        (only,) = paths
        named = (replace(one, path=only) if one.path == ITS_FILE else one for one in self.comments)
        return replace(self, comments=tuple(named))

    @property
    def yes(self) -> bool:
        """Say whether something is to be written."""
        return self.kind in (DecisionType.APPROVE, DecisionType.EDIT)

    def as_json(self) -> dict[str, Any]:
        """Return it as plain values, as the state of a graph keeps it."""
        said = {"type": str(self.kind), "strategy": str(self.strategy), "args": dict(self.args)}
        comments = [one.as_json() for one in self.comments]
        words = {"message": self.message, "comments": comments}
        return {**said, "insertion_point": self.insertion_point, **words}


def decision_of(kept: Mapping[str, Any]) -> ReviewDecision:
    """Return what the state of a graph has kept."""
    return ReviewDecision(
        kind=DecisionType(kept["type"]),
        strategy=Strategy(kept["strategy"]),
        insertion_point=kept["insertion_point"],
        args=kept["args"],
        message=kept["message"],
        comments=of_values(kept.get("comments")),
    )


class WriteOutcome(StrEnum):
    """What became of a write."""

    APPROVED = "approved"
    AUTO_ALLOWED = "auto-allowed"
    REJECTED = "rejected"
    BLOCKED = "blocked"


def made(one: Write, proposal: Proposal, receipt: Receipt, decided: ReviewDecision) -> Entry:
    """Return the entry of a write that was made."""
    answer, strategy = proposal.answer, str(decided.strategy)
    by_rules = answer is None or answer.proof == POLICY.kind
    joined = proposal.origin.startswith(STRATEGY)
    used = proposal.origin.removeprefix(STRATEGY) if joined else strategy
    warnings = [harmless(text) for text in (*proposal.warnings, receipt.note) if text]
    besides = {
        "insertion_point": decided.insertion_point,
        "applied_strategy": used if used != strategy else None,
        "warnings": warnings or None,
    }
    return {
        "request": one.request,
        "approved": True,
        "strategy": strategy,
        "timestamp": stamp(receipt.at),
        "outcome": str(WriteOutcome.AUTO_ALLOWED if by_rules else WriteOutcome.APPROVED),
        "by": answer.by if answer else POLICY.by,
        "proof": answer.proof if answer else POLICY.kind,
        "proposal_id": proposal.id,
        "before": receipt.before,
        "after": receipt.after,
        "receipt": receipt.id,
        **{name: value for name, value in besides.items() if value is not None},
    }


def not_made(
    request: Mapping[str, Any],
    *,
    outcome: WriteOutcome,
    reason: str,
    at: float,
    proof: Proof = POLICY,
    proposal: Proposal | None = None,
    comments: Sequence[LineComment] = (),
) -> Entry:
    """Return the entry of a write that was not made, with the reason."""
    known: Entry = {"proposal_id": proposal.id, "before": proposal.base} if proposal else {}
    if comments:
        known["comments"] = [{**one.as_json(), "text": harmless(one.text)} for one in comments]
    said = {"outcome": str(outcome), "reason": harmless(reason), "timestamp": stamp(at)}
    return {**request, **said, "by": proof.by, "proof": proof.kind, **known}


def unmeasured(pending: object) -> Entry:
    """Return what can be kept of a pending write that could not be measured."""
    said = pending if isinstance(pending, Mapping) else {}
    return {name: _text(said.get(name)) for name in ("target_path", "new_content")}


def _text(value: object) -> str:
    """Return a text that every checkpointer can keep."""
    text = value if isinstance(value, str) else "" if value is None else repr(value)[:200]
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
