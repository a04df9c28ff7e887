"""Files of a set that only got another name: their flags speak of what really changed.

A file that moves is proposed as one that goes and one that comes. Alone, the second would look all
new, and the first like a deleted test. Which file became which is `core.review.renames`' to say.
Always true: only flags change here; a content that is read as another kind of file keeps all of
its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from penstock.core.diff.measure import measure
from penstock.core.proposals.flag import RiskFlag
from penstock.core.proposals.model import Proposal
from penstock.core.review.assess import assess
from penstock.core.review.languages import language_of
from penstock.core.review.renames import FileDigests, Read, RenamedFile, renames

LOST_BY_NAME = frozenset({"test-deleted"})  # flags of a deletion that a new name explains


def pairs(found: Sequence[Proposal], read: Read) -> tuple[RenamedFile, ...]:
    """Return which files of some proposals got another name."""
    plain = (one for one in found if one.text_like)
    return renames(
        [FileDigests(path=one.path, before=one.base, after=one.content) for one in plain], read
    )


def with_renames(made: Sequence[Proposal], read: Read) -> list[Proposal]:
    """Return proposals whose flags know which files got another name."""
    known = {one.path: one for one in made}
    for pair in pairs(made, read) if len(made) > 1 else ():
        old, new = known[pair.old], known[pair.new]
        if language_of(pair.old) is not language_of(pair.new):
            continue  # what was prose may be a script now
        before, after = read(old.base or ""), read(new.content or "")
        if before is None or after is None:
            continue
        seen = assess(new.path, before, after, measure(before, after), modes=new.modes)
        known[new.path] = _flagged(new, seen.flags)
        kept = tuple(flag for flag in old.flags if flag.code not in LOST_BY_NAME)
        known[old.path] = _flagged(old, kept)
    return [known[one.path] for one in made]


def _flagged(one: Proposal, flags: tuple[RiskFlag, ...]) -> Proposal:
    return replace(one, flags=flags, warnings=tuple(flag.text for flag in flags))
