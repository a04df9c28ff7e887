"""What a person asks to be made of a proposal: a strategy, or some of its hunks. Looking only.

`strategies` does the joining; storing what comes out as a version is the gate's, once it is used.
Always true: the content here is byte for byte what the gate would store for the same request.
"""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct

from penstock.core.errors import InputError
from penstock.core.merge.strategies import MergeResult, Strategy, combine, select_hunks


class Combination(Struct, frozen=True, kw_only=True):
    """A strategy, `at` the line of an insert; and of its result some hunks, None for all."""

    strategy: Strategy = Strategy.REPLACE
    at: int | None = None
    hunks: Collection[int] | None = None

    def of(self, path: str, before: bytes | None, after: bytes | None) -> MergeResult:
        """Return what would come out. Raises InputError where nothing can be combined."""
        if before is None or after is None:
            raise InputError("nothing-to-combine", f"`{path}` is created or deleted as a whole")
        merged = combine(before, after, self.strategy, at=self.at, path=path)
        if self.hunks is None:
            return merged
        if not self.hunks:
            raise InputError(
                "no-hunks", "no hunk is selected", hint="select one, or reject the whole change"
            )
        kept = select_hunks(before, merged.content, self.hunks)
        return MergeResult(content=kept, warnings=merged.warnings, strategy=merged.strategy)

    @property
    def words(self) -> str:
        """Say what was asked for."""
        if self.hunks is not None:
            return "selected hunks only"
        return str(self.strategy) + (f" after line {self.at}" if self.at is not None else "")
