"""What the rules say about the files that commits change.

Always true: the verdict of a check is its strictest finding; files that nobody judged are counted.
"""

from __future__ import annotations

from msgspec import Struct

from penstock.core.model import Change, Decision, Verdict, strictest

STOPPING = frozenset({Verdict.ASK, Verdict.DENY})


class CommitFinding(Struct, frozen=True, kw_only=True):
    """One file with the decision on it.

    `commit` is there where only that commit has the file like this, and a later one no more.
    """

    path: str
    decision: Decision
    change: Change | None = None
    commit: str = ""

    @property
    def remarkable(self) -> bool:
        """Whether somebody should look: it is not allowed, or allowed with a note."""
        return self.decision.verdict is not Verdict.ALLOW or bool(self.decision.notes)

    @property
    def rule(self) -> str:
        """The rule that speaks first against it, or the code where no rule does."""
        against = (one.rule for one in self.decision.reasons if one.verdict in STOPPING)
        return next(against, self.decision.code or "note")


class CommitCheck(Struct, frozen=True, kw_only=True):
    """Everything that a check of commits, or of the index, found; `head` is "" for the index.

    `degraded` says that the rules did not load, and what was in force in their place.
    """

    base: str
    head: str
    revision: str
    findings: tuple[CommitFinding, ...] = ()
    degraded: str = ""
    elsewhere: int = 0  # files of the repository that lie outside of the project

    @property
    def verdict(self) -> Verdict:
        """The strictest verdict of all."""
        return strictest([one.decision.verdict for one in self.findings] or [Verdict.ALLOW])

    def with_verdict(self, verdict: Verdict) -> tuple[CommitFinding, ...]:
        """Return the findings of one verdict."""
        return tuple(one for one in self.findings if one.decision.verdict is verdict)
