"""What is said about one file of a check, the same in every format.

Always true: a sentence says why, and what to do where a rule knows that.
"""

from __future__ import annotations

from penstock.core.commits.findings import CommitFinding
from penstock.core.model import Verdict
from penstock.core.text.display import in_line

SHORT = 12
VERDICTS = {Verdict.DENY: "denied", Verdict.ASK: "needs approval", Verdict.ALLOW: "note"}


def sentence(one: CommitFinding) -> str:
    """Return why a file was found, and what to do instead."""
    said = one.decision
    if said.verdict is Verdict.ALLOW:
        return "; ".join(map(in_line, said.notes))
    because = in_line(said.because or VERDICTS[said.verdict])
    where = f" (only in commit {one.commit[:SHORT]})" if one.commit else ""
    instead = f"; instead: {in_line(said.suggestion)}" if said.suggestion else ""
    return f"{because}{where}{instead}"
