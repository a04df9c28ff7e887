"""Changes whose new content only running the command would tell: `make > src/app.py`.

Which programs replace what they write is a fact about them; what may happen then is for the
rules. Always true: such a change is told as a bound. Nothing may be lost, or everything; in
doubt somebody looks.
"""

from __future__ import annotations

from penstock.core.diff.measure import measure
from penstock.core.model import Change, ChangeKind, Source

# Redirections and programs that put other content in a file's place. Those that add to it
# (`>>`) or only touch it are judged by its name; those that change parts of it say so.
REPLACES = frozenset(
    {
        *(">", ">|", "&>", ">&", "<>", "tee", "cp", "mv", "install", "ln", "dd", "truncate"),
        *("shred", "rsync", "scp", "curl", "wget", "sort", "split", "csplit", "sponge"),
        *("python", "python3", "node", "ruby", "php", "perl", "sed", "gsed"),
        *("awk", "gawk", "mawk", "nawk", "ex", "ed", "vi", "vim", "nvim"),
    }
)

UNKNOWN = "the new content is only known when the command runs"

UNMEASURED = "measuring it took too long"


def replaces(by: str) -> bool:
    """Say whether a program or redirection puts other content in a file's place."""
    return by in REPLACES


def overwritten(before: Source | bytes) -> Change:
    """Return the change of a file that will hold something, nobody knows what."""
    gone = measure(before, None)
    return Change(
        kind=ChangeKind.REPLACE if gone.existing_lines else ChangeKind.MODIFY,
        existing_lines=gone.existing_lines,
        lines_deleted=gone.lines_deleted,
        change_ratio=gone.change_ratio,
        before_size=gone.before_size,
        exact=False,
        least_deleted=0,
        unit=gone.unit,
        notes=(UNKNOWN,),
    )


def unmeasured(size: int) -> Change:
    """Return the change of a file of so many bytes that nobody had the time to compare.

    No file has more lines than bytes, so this errs on the side of asking.
    """
    return Change(
        kind=ChangeKind.REPLACE if size else ChangeKind.MODIFY,
        existing_lines=size,
        lines_deleted=size,
        change_ratio=1.0 if size else 0.0,
        before_size=size,
        exact=False,
        least_deleted=0,
        unit="bytes",
        notes=(UNMEASURED,),
    )
