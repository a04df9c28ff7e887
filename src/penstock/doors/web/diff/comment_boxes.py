"""The comments on one file that somebody is writing: which of them stand where in its diff.

Always true: every comment that is kept stands in exactly one box.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from msgspec import Struct

from penstock.core.proposals.line_comment import LineComment


class CommentBoxes(Struct, frozen=True, kw_only=True):
    """The comments of one file that are being written: its proposal, and what is kept so far."""

    of: str
    kept: tuple[LineComment, ...] = ()

    @property
    def on_hunks(self) -> Mapping[int, str]:
        """The texts that stand at the heads of hunks."""
        return {one.hunk: one.text for one in self.kept if one.hunk and not one.start}

    def others(self, hunks: Collection[int]) -> tuple[LineComment, ...]:
        """Return all but those at the heads of some hunks."""
        return tuple(one for one in self.kept if one.start or one.hunk not in hunks)
