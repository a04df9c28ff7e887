"""Look at one file's change as a reviewer will: its flags, and what of it is only white space.

The gate asks once, when a change is proposed, and stores the answer with it, so that a list of
thousands needs no content. Deciding anything from it is nobody's.
Always true: a change that cannot be read line by line has flags all the same.
"""

from __future__ import annotations

from msgspec import Struct

from penstock.core.diff.white_space import NONE, WhiteSpace, of_change
from penstock.core.file_mode import FileMode
from penstock.core.model import Change
from penstock.core.proposals.flag import RiskFlag
from penstock.core.review.risks.changed_text import ChangedText
from penstock.core.review.risks.find import flags

MOST_COMPARED = 16 << 20  # bytes of both sides beyond which white space is not counted


class Assessment(Struct, frozen=True, kw_only=True):
    """What a reviewer should know of one change."""

    flags: tuple[RiskFlag, ...] = ()
    white_space: WhiteSpace = NONE


def assess(
    path: str,
    before: bytes | None,
    after: bytes | None,
    change: Change,
    *,
    modes: tuple[FileMode | None, FileMode | None] = (None, None),
) -> Assessment:
    """Return the flags of a change and how many of its lines differ only in white space."""
    changed = ChangedText(path=path, before=before, after=after, change=change, modes=modes)
    return Assessment(flags=flags(changed), white_space=_white_space(changed))


def _white_space(changed: ChangedText) -> WhiteSpace:
    before, after = changed.before, changed.after
    if before is None or after is None or not changed.readable:
        return NONE
    return of_change(before, after) if len(before) + len(after) <= MOST_COMPARED else NONE
