"""Comments that somebody is writing on the full screen: what is kept, and where it stands.

They are kept here and nowhere else until a rejection sends them; how one is written is
`core.proposals.line_comment`'s.
Always true: every comment that is kept stands in exactly one row of its diff; below its line or the
heading of its hunk, or above the diff where neither is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from penstock.core.diff.rows import Block, Kind
from penstock.core.errors import InputError
from penstock.core.proposals.line_comment import MOST_COMMENTS, LineComment, placed, unsent
from penstock.core.proposals.model import Proposal
from penstock.core.text.quantities import counted
from penstock.doors.tui.diff_rows import ScreenRow, Sheet, TextRows, Tone

SAID = (Tone.TITLE, Tone.FACT, Tone.WARNING, Tone.DANGER)  # what stands above a diff
OLD_SIDE = (Kind.SAME, Kind.GONE, Kind.PAIR)
NEW_SIDE = (Kind.SAME, Kind.NEW, Kind.PAIR)


class CommentDrafts:
    """The comments of one review that are not sent yet, by proposal and lines."""

    def __init__(self) -> None:
        self._kept: dict[str, dict[str, LineComment]] = {}

    def of(self, one: Proposal) -> tuple[LineComment, ...]:
        """Return the comments on a file, in the order in which they were written."""
        return tuple(self._kept.get(one.id, {}).values())

    def count(self, found: Iterable[Proposal]) -> int:
        """Return how many comments there are on some files."""
        return sum(len(self.of(one)) for one in found)

    def keep(self, one: Proposal, comment: LineComment) -> None:
        """Keep a comment in the place of an older one on these lines; an empty one clears it."""
        kept = self._kept.setdefault(one.id, {})
        kept.pop(comment.lines, None)
        if comment.text and len(kept) >= MOST_COMMENTS:
            raise InputError(
                "bad-comment", "too many comments", because=f"at most {MOST_COMMENTS} on a file"
            )
        if comment.text:
            kept[comment.lines] = comment

    def take_over(self, made: Proposal) -> None:
        """Give the comments on a proposal to the version that took its place."""
        kept = self._kept.pop(made.parent, None) if made.parent else None
        if kept:
            self._kept[made.id] = kept | self._kept.get(made.id, {})

    def clear(self, found: Iterable[Proposal]) -> None:
        """Forget the comments that were sent."""
        for one in found:
            self._kept.pop(one.id, None)

    def refuse(self, found: Sequence[Proposal]) -> None:
        """Raise where an approval would lose comments: nobody would ever read them."""
        count = self.count(found)
        if count:
            raise unsent(count)


def comment_on(one: Proposal, sheet: Sheet, lines: str, text: str) -> LineComment:
    """Return a comment on lines that the file has. Raises InputError."""
    made = placed(lines, text, path=one.path)
    most = len(sheet.old if made.removed else sheet.new)
    if made.end > most or made.hunk > sheet.hunks:
        has = f"{counted(most, 'line')}, {counted(sheet.hunks, 'hunk')}"
        raise InputError("bad-comment", f"there is no {made.place}", because=f"the file has {has}")
    return made


def lines_of(row: ScreenRow) -> str:
    """Name the line of a row as comments do: `14`, `-7` where it goes, "" where there is none."""
    if row.after is not None:
        return str(row.after.number)
    return f"-{row.before.number}" if row.before is not None else ""


def with_comments(sheet: Sheet, comments: Sequence[LineComment]) -> Sheet:
    """Return a sheet with each comment below what it is about."""
    if not comments:
        return sheet
    blocks: list[TextRows | Block] = []
    left = list(comments)
    for block in sheet.blocks:
        for part in _parts(block, left):
            blocks.append(part)
            here = [one for one in left if _ends(part, one)]
            blocks += [_said(one, part.hunk) for one in here]
            left = [one for one in left if one not in here]
    top = next((at for at, block in enumerate(blocks) if block.kind not in SAID), len(blocks))
    blocks[top:top] = [_said(one, 0) for one in left]
    return replace(sheet, blocks=blocks)


def _said(one: LineComment, hunk: int) -> TextRows:
    return TextRows(kind=Tone.COMMENT, texts=(f"    your comment on {one.words}",), hunk=hunk)


def _parts(block: TextRows | Block, comments: Sequence[LineComment]) -> Iterator[TextRows | Block]:
    """Cut a block after each row that has a comment."""
    if isinstance(block, TextRows) or block.kind is Kind.GAP:
        yield block
        return
    start = 0
    for end in sorted({at + 1 for one in comments if (at := _offset(block, one)) is not None}):
        yield block.part(start, end)
        start = end
    if start < len(block):
        yield block.part(start, len(block))


def _offset(block: Block, one: LineComment) -> int | None:
    """Return the row of a block that a comment stands below."""
    if not one.end or block.kind not in (OLD_SIDE if one.removed else NEW_SIDE):
        return None
    lines = block.before if one.removed else block.after
    return one.end - 1 - lines.start if one.end - 1 in lines else None


def _ends(part: TextRows | Block, one: LineComment) -> bool:
    """Say whether a comment belongs right below this block."""
    if isinstance(part, TextRows):
        return part.kind is Kind.HEAD and bool(one.hunk) and not one.end and part.hunk == one.hunk
    return _offset(part, one) == len(part) - 1
