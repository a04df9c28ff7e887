"""What changed between two versions of a proposal, whatever became of the file in between.

Both versions from the same base: the difference between the two. Where the file moved on, the older
version is first brought onto the newer one's base, so that what others wrote since is not shown as
the agent's; what cannot be brought over is left out and counted. Showing it is `diff.hunks`'.
Always true: the newer side is exactly the newer version; nothing here is ever written.
"""

from __future__ import annotations

from msgspec import Struct

from penstock.core.merge.three_way import carried
from penstock.core.text.quantities import counted

LARGEST = 8 << 20  # bytes of a content that is merged; larger ones are compared as they are


class ProposedVersion(Struct, frozen=True, kw_only=True):
    """One version: what it was made from and what it would write. None stands for no file."""

    base: bytes | None
    content: bytes | None


class Interdiff(Struct, frozen=True, kw_only=True):
    """Two sides to compare; `left_out` counts places of the older version that do not fit."""

    before: bytes | None
    after: bytes | None
    base_moved: bool = False
    left_out: int = 0

    @property
    def same(self) -> bool:
        """True when the newer version proposes the same change."""
        return self.before == self.after and not self.left_out

    @property
    def words(self) -> str:
        """Say what the comparison leaves out, nothing where it is whole."""
        if self.left_out:
            places = counted(self.left_out, "place")
            return f"the file changed in between, and {places} of the earlier version no longer fit"
        return (
            "the file changed in between; its own changes are left out" if self.base_moved else ""
        )


def interdiff(older: ProposedVersion, newer: ProposedVersion) -> Interdiff:
    """Return what to compare to see what the newer version does otherwise."""
    if older.base == newer.base:
        return Interdiff(before=older.content, after=newer.content)
    texts = older.base, newer.base, older.content
    if any(text is None or len(text) > LARGEST for text in texts):
        return Interdiff(before=older.content, after=newer.content, base_moved=True)
    base, now, content = (text or b"" for text in texts)
    brought, conflicts = carried(base, now, content)
    return Interdiff(before=brought, after=newer.content, base_moved=True, left_out=len(conflicts))
