"""Stubs over code: a run of lines becomes a placeholder that stands for what was there.

The whole file that shrinks to a stub is `core.diff.remarks`' note; here it is one function, or one
hunk, of a file that otherwise stays.
Always true: a placeholder that was there before is none of this change.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock.core.diff.remarks import stands_for_more
from penstock.core.proposals.flag import RiskFlag, RiskLevel
from penstock.core.review.risks.changed_text import ChangedText
from penstock.core.review.risks.sign import flagged
from penstock.core.text.quantities import counted

LEAST_GONE = 4  # lines with something on them that a placeholder stands for
MOST_HUNKS = 5000


def stubs(changed: ChangedText) -> Iterator[RiskFlag]:
    """Yield one flag for all placeholders that stand where more code was."""
    if changed.before is None or changed.after is None:
        return
    found, lost = [], 0
    for hunk in changed.hunks[:MOST_HUNKS]:
        gone = [line for at in hunk.before if (line := changed.old[at].strip())]
        came = [(at, line) for at in hunk.after if (line := changed.new[at].strip())]
        if len(gone) < LEAST_GONE or len(came) * 2 > len(gone):
            continue
        known = set(gone)
        places = [at + 1 for at, line in came if line not in known and _is_placeholder(line)]
        if places:
            found += places
            lost += len(gone)
    if found:
        text = f"a placeholder stands for {counted(lost, 'line')} of code"
        yield flagged(RiskLevel.DANGER, "stub", text, found)


def _is_placeholder(line: bytes) -> bool:
    return stands_for_more(line.lower(), fillers=True)
