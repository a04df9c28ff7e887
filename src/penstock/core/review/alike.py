"""Changes that are alike: the same lines go and the same lines come, in whatever file.

How many of them are shown once is a surface's to say.
Always true: two changes that differ in one byte of what goes or comes, in their order, in what a
file is, or in whether there is a file at all, are not alike. Where in its file a line stands, and
what stands around it, does not count.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from penstock.core.model import Hunk
from penstock.core.proposals.model import Proposal
from penstock.core.proposals.remarks import remarks

MOST_LINES = 60  # of one change, both sides together; a longer one is read by itself


def likeness(
    one: Proposal, old: Sequence[bytes], new: Sequence[bytes], hunks: Iterable[Hunk]
) -> str:
    """Return a text that two changes share when they are alike; empty for one that stands alone.

    A change of a set is answered with its set, and one without a line has nothing to compare.
    """
    some = tuple(hunks)
    lines = sum(len(hunk.before) + len(hunk.after) for hunk in some)
    if one.set_id or not 0 < lines <= MOST_LINES:
        return ""
    said = hashlib.sha256()
    for part in _parts(one, old, new, some):
        said.update(len(part).to_bytes(8, "big"))  # so that no two lists of parts read the same
        said.update(part)
    return said.hexdigest()


def _parts(
    one: Proposal, old: Sequence[bytes], new: Sequence[bytes], hunks: Sequence[Hunk]
) -> Iterable[bytes]:
    """Yield all that counts: whose change it is, of what kind, what is remarked, every line."""
    yield from (text.encode("utf-8", "surrogatepass") for text in _facts(one))
    for hunk in hunks:
        yield b"hunk"
        yield from (b"-" + old[at] for at in hunk.before)
        yield from (b"+" + new[at] for at in hunk.after)


def _facts(one: Proposal) -> Iterable[str]:
    yield from (one.actor.agent, str(one.change.kind), str(one.base is None), *map(str, one.modes))
    yield from (f"{flag.level} {flag.text}" for flag in remarks(one))
    yield "lines"
