"""The sentences about what a git command loses.

Always true: a sentence names the command, how much is lost, and the first few by name.
"""

from __future__ import annotations

from collections.abc import Sequence

from penstock.core.model import GateRefusal, Verdict
from penstock.core.text.quantities import counted
from penstock.ports import GitChange, GitCommit

MOST_NAMED = 3
RULE = "lost_work"
FIRST = "commit or stash it first, or ask the user to approve it"
KEPT = "; Penstock keeps a copy, which `penstock undo` restores"


def loss(
    command: str, what: str, *, way: str = FIRST, kept: bool = False, whole: str = ""
) -> GateRefusal:
    """Return what is said of a command that loses something."""
    text = whole or f"`{command}` would discard {what}"
    instead = way + KEPT if kept else way
    return GateRefusal(rule=RULE, verdict=Verdict.ASK, text=text, instead=instead, code="lost-work")


def of_files(files: Sequence[GitChange], kind: str) -> str:
    """Return some files in words: `uncommitted changes in 2 files: a (3 lines), b (1 line)`."""
    many = counted(len(files), "file")
    named = ", ".join(_named(one) for one in files[:MOST_NAMED])
    more = f" and {len(files) - MOST_NAMED} more" if len(files) > MOST_NAMED else ""
    plain = kind in ("untracked", "ignored")
    start = f"{len(files)} {kind} {many.split()[1]}" if plain else f"{kind} in {many}"
    return f"{start}: {named}{more}"


def _named(one: GitChange) -> str:
    if not one.lines:
        return one.path
    return f"{one.path} ({counted(one.lines, 'line')})"


def of_commits(commits: Sequence[GitCommit], one: str = "commit", many: str = "commits") -> str:
    """Return some commits in words: `2 commits found nowhere else: 1a2b3c4 first, ...`."""
    count = counted(len(commits), one, many)
    named = ", ".join(f"{c.id[:8]} {c.subject[:50]}".strip() for c in commits[:MOST_NAMED])
    more = f" and {len(commits) - MOST_NAMED} more" if len(commits) > MOST_NAMED else ""
    where = " found nowhere else" if one == "commit" else ""
    return f"{count}{where}: {named}{more}"
