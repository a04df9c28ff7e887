"""What state keeps of each decision: who, when, by which strategy, from what to what.

Always true: entries are plain JSON values; every write that came in leaves exactly one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import cast

from penstock.core.model import Change
from penstock.core.proposal import Proposal, Receipt
from penstock.core.when import stamp
from penstock.doors.langgraph.classify import request_of
from penstock.doors.langgraph.state import FileWriteRequest, WriteApproval
from penstock.doors.langgraph.writes import Write

STRATEGY = "strategy:"


class Outcome(StrEnum):
    """What became of a write."""

    APPROVED = "approved"
    AUTO_ALLOWED = "auto-allowed"
    REJECTED = "rejected"
    BLOCKED = "blocked"


@dataclass(frozen=True, kw_only=True, slots=True)
class Made:
    """A write that is on the disk."""

    entry: WriteApproval


@dataclass(frozen=True, kw_only=True, slots=True)
class NotMade:
    """A write that is not; `told` says that nobody has heard of it yet."""

    entry: FileWriteRequest
    told: bool = False


def made(
    one: Write, proposal: Proposal, receipt: Receipt, *, strategy: str, at: int | None
) -> Made:
    """Return the entry of a write that was made."""
    answer = proposal.answer
    by_rules = answer is None or answer.proof == "policy"
    entry: WriteApproval = {
        "request": plain(one.place.shown, one.text, one.change),
        "approved": True,
        "strategy": strategy,
        "timestamp": stamp(receipt.at),
        "outcome": str(Outcome.AUTO_ALLOWED if by_rules else Outcome.APPROVED),
        "by": answer.by if answer else "policy",
        "proof": answer.proof if answer else "policy",
        "proposal_id": proposal.id,
        "before": receipt.before,
        "after": receipt.after,
        "receipt": receipt.id,
    }
    if at is not None:
        entry["insertion_point"] = at
    used = proposal.origin.removeprefix(STRATEGY)
    if proposal.origin.startswith(STRATEGY) and used != strategy:
        entry["applied_strategy"] = used
    warnings = [*proposal.warnings, *([receipt.note] if receipt.note else [])]
    if warnings:
        entry["warnings"] = warnings
    return Made(entry=entry)


def not_made(
    request: FileWriteRequest,
    *,
    outcome: Outcome,
    reason: str,
    at: float,
    by: str = "policy",
    proof: str = "policy",
    proposal: Proposal | None = None,
) -> NotMade:
    """Return the entry of a write that was not made, with the reason."""
    entry = cast("FileWriteRequest", dict(request))
    entry["outcome"] = str(outcome)
    entry["reason"] = reason
    entry["timestamp"] = stamp(at)
    entry["by"], entry["proof"] = by, proof
    if proposal is not None:
        entry["proposal_id"] = proposal.id
        entry["before"] = proposal.base
    return NotMade(entry=entry, told=outcome is Outcome.REJECTED)


def plain(target_path: str, new_content: str, change: Change) -> FileWriteRequest:
    """Return a measured write whose classification is text: checkpointers keep no enums."""
    request = request_of(target_path, new_content, change)
    request["classification"] = request["classification"].value  # type: ignore[typeddict-item]
    return request


def unmeasured(pending: object) -> FileWriteRequest:
    """Return what can be kept of a pending write that could not be measured."""
    said = pending if isinstance(pending, Mapping) else {}
    return {
        "target_path": _text(said.get("target_path")),
        "new_content": _text(said.get("new_content")),
    }


def _text(value: object) -> str:
    """Return a text that every checkpointer can keep."""
    text = value if isinstance(value, str) else "" if value is None else repr(value)[:200]
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
