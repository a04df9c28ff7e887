"""Shell text of any bytes: it gets an answer, the same answer twice, within its bounds."""

from __future__ import annotations

from penstock.core.shell.analyze import writes
from penstock.core.shell.findings import MOST_LEAVES, MOST_TARGETS, MOST_UNCLEAR

# What random bytes never find by themselves, chosen by the first byte.
STARTS = (
    "",
    "cat <<E\n",
    "python3 -c '",
    "node -e '",
    "sed '",
    "awk '",
    "bash -c '",
    "for f in a b; do ",
    "case x in ",
    'rm "$(',
    "perl -e '",
)
ENDS = ("", "'", "\nE\nrm a", "; done", ") rm a;; esac", ')"')


def one(data: bytes) -> None:
    """Read a command."""
    if len(data) < 2:
        return
    text = data[2:].decode("utf-8", "surrogateescape")
    command = STARTS[data[0] % len(STARTS)] + text + ENDS[data[1] % len(ENDS)]
    effect = writes(command, cwd="/p")
    assert effect == writes(command, cwd="/p")
    assert len(effect.targets) <= MOST_TARGETS
    assert len(effect.leaves) <= MOST_LEAVES
    # One more than that many doubts: the last says that there were too many to follow.
    assert len(effect.unclear) <= MOST_UNCLEAR + 1
    for target in effect.targets:
        assert target.path
