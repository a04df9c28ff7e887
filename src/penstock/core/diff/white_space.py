r"""How many lines of a change differ only in white space, and how many only in their ends.

Re-indented lines, blanks that come or go at the end of a line, other amounts of blanks between
words, `\r\n` for `\n`: nothing a reader would call lost. What the gate measures and what an
approval is about stay exact (`measure`, `hunks`); this is only for what people are shown, and
`hunks(white_space=False)` is the diff without those lines.
Always true: a line counts once, as the pair of its old and its new form.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from penstock.core.diff.hunks import hunks
from penstock.core.model import Hunk
from penstock.core.text.quantities import counted
from penstock.core.text.white_space import folded


class WhiteSpace(Struct, frozen=True, kw_only=True):
    """The lines of a change that differ in nothing that can be read."""

    blanks: int = 0
    line_ends: int = 0

    @property
    def lines(self) -> int:
        """How many there are."""
        return self.blanks + self.line_ends

    @property
    def words(self) -> str:
        """Say how many, nothing where there are none."""
        said = ((self.blanks, "white space"), (self.line_ends, "line endings"))
        return "; ".join(
            f"{counted(many, 'line differs', 'lines differ')} only in {what}"
            for many, what in said
            if many
        )


NONE = WhiteSpace()


def of_change(before: bytes, after: bytes, exact: Sequence[Hunk] | None = None) -> WhiteSpace:
    """Count them; `exact` are the hunks of the two contents where somebody has them already."""
    found = hunks(before, after) if exact is None else exact
    if not any(hunk.before and hunk.after for hunk in found) and len(found) < 2:
        return NONE
    gone = sum(len(hunk.before) for hunk in found)
    returns = b"\r" in before or b"\r" in after
    kept = _gone(before, after, white_space=True) if returns else gone
    read = _gone(before, after, white_space=False) if _may_match(before, after, found) else kept
    # Lines that repeat may pair better without their ends than with; then nothing is told.
    line_ends = max(gone - kept, 0)
    return WhiteSpace(blanks=max(gone - read - line_ends, 0), line_ends=line_ends)


def _gone(before: bytes, after: bytes, *, white_space: bool) -> int:
    found = hunks(before, after, line_ends=False, white_space=white_space)
    return sum(len(hunk.before) for hunk in found)


def _may_match(before: bytes, after: bytes, found: Sequence[Hunk]) -> bool:
    """Say whether a line that goes reads like one that comes; mostly none does."""
    old, new = folded(before).split(b"\n"), folded(after).split(b"\n")
    gone = {old[at] for hunk in found for at in hunk.before}
    return any(new[at] in gone for hunk in found for at in hunk.after)
