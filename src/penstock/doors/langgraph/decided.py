"""What was decided about one write, however it was asked for.

Always true: a decision says yes only when a person approved or edited.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from penstock.core.merge import Strategy


class Kind(StrEnum):
    """What a person can decide about one write."""

    APPROVE = "approve"
    EDIT = "edit"
    REJECT = "reject"
    RESPOND = "respond"


@dataclass(frozen=True, kw_only=True, slots=True)
class Decided:
    """`at` is the line to insert after; `content` is what an edit puts in place."""

    kind: Kind = Kind.APPROVE
    strategy: Strategy = Strategy.REPLACE
    at: int | None = None
    content: bytes = b""
    message: str = ""

    @property
    def yes(self) -> bool:
        """Say whether something is to be written."""
        return self.kind in (Kind.APPROVE, Kind.EDIT)
