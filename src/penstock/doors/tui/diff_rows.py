"""A proposal as rows: what is known of it, then every hunk with its context.

Which rows a diff has is `core.diff.rows`'s, how a row looks `diff_pane`'s; a sheet makes a single
row when somebody asks for it.
Always true: each line of every hunk has its row, and a text that a terminal would swallow or obey
is written out.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import cached_property
from itertools import accumulate

from msgspec import Struct

from penstock.core.diff.coverage import (
    AFTER,
    BEFORE,
    ChangedParts,
    Unit,
    byte_parts,
    line_parts,
)
from penstock.core.diff.expansion import CLOSED, Expansion
from penstock.core.diff.hunks import hunks as hunks_of
from penstock.core.diff.rows import CONTEXT, Block, Kind, blocks
from penstock.core.diff.rows import removed as only_removed
from penstock.core.model import Hunk
from penstock.core.review.heads import HunkHeads
from penstock.core.text.display import visible, visible_bytes
from penstock.core.text.line_endings import split
from penstock.core.text.quantities import counted

TAB = "\u21e5"  # written for a tab; a real one of these is written out
TAB_STOP = 4
NO_END = "(no newline at end of file)"
NOTHING = ChangedParts(unit=Unit.LINES)
SHOW_CHANGE = {BEFORE: (Kind.GONE, Kind.PAIR), AFTER: (Kind.NEW, Kind.PAIR)}


class Tone(StrEnum):
    """What words of ours are."""

    TITLE = "title"
    FACT = "fact"
    WARNING = "warning"
    DANGER = "danger"
    HEADING = "heading"
    COMMENT = "comment"


class Side(Struct, frozen=True, kw_only=True):
    """One line of a file: its number and its text, nothing hidden in it."""

    number: int
    text: str


class ScreenRow(Struct, frozen=True, kw_only=True):
    """One row: words of ours in `text`, or lines of the file before and after."""

    kind: Kind | Tone
    text: str = ""
    before: Side | None = None
    after: Side | None = None
    other: str = ""  # the line that this one takes the place of, or that takes its place

    @property
    def has_line(self) -> bool:
        """Say whether it shows a line of the file."""
        return self.before is not None or self.after is not None

    @property
    def words(self) -> str:
        """Everything that can be searched for."""
        sides = [side.text for side in (self.before, self.after) if side]
        return " ".join([self.text, *sides])


class TextRows(Struct, frozen=True, kw_only=True):
    """Rows of words: ours, or a hunk's heading."""

    kind: Kind | Tone
    texts: tuple[str, ...]
    hunk: int = 0

    def __len__(self) -> int:
        return len(self.texts)


class Sheet(Struct, frozen=True, dict=True):
    """All rows of one proposal, made one by one."""

    blocks: Sequence[TextRows | Block]
    old: Sequence[bytes] = ()
    new: Sequence[bytes] = ()
    plain_returns: bool = True
    hunks: int = 0
    parts: ChangedParts = NOTHING
    selects: bool = True  # hunks can be ticked: they are the ones that are written

    @cached_property
    def starts(self) -> Sequence[int]:
        """The number of the first row of each block, and that of the row behind the last."""
        return tuple(accumulate(map(len, self.blocks), initial=0))

    def __len__(self) -> int:
        return self.starts[-1]

    def row(self, at: int) -> ScreenRow:
        """Return one row, 0 is the first."""
        number = bisect_right(self.starts, at) - 1
        block, offset = self.blocks[number], at - self.starts[number]
        if isinstance(block, TextRows):
            return ScreenRow(kind=block.kind, text=block.texts[offset])
        before = self._side(self.old, block.before, offset)
        after = self._side(self.new, block.after, offset)
        if block.kind is Kind.GONE:
            return ScreenRow(kind=block.kind, before=before, other=after.text if after else "")
        if block.kind is Kind.NEW:
            return ScreenRow(kind=block.kind, after=after, other=before.text if before else "")
        return ScreenRow(kind=block.kind, before=before, after=after)

    def _side(self, lines: Sequence[bytes], places: range, offset: int) -> Side | None:
        if offset >= len(places):
            return None
        at = places[offset]
        return Side(number=at + 1, text=shown(lines[at], plain_returns=self.plain_returns))

    def hunk_at(self, at: int) -> int:
        """Return the number of the hunk that a row belongs to, 0 for none."""
        return self.blocks[bisect_right(self.starts, at) - 1].hunk

    def hunk_rows(self) -> list[int]:
        """Return the row of each hunk's heading, in order."""
        return [
            start
            for start, block in zip(self.starts, self.blocks, strict=False)
            if block.kind is Kind.HEAD
        ]

    def row_of(self, side: str, line: int) -> int | None:
        """Return the row on which a line of one side changes, 0 is the first line."""
        for start, block in zip(self.starts, self.blocks, strict=False):
            if isinstance(block, Block) and block.kind in SHOW_CHANGE[side]:
                lines = block.before if side == BEFORE else block.after
                if line in lines:
                    return start + line - lines.start
        return None

    def find(self, text: str, start: int, *, back: bool = False) -> int | None:
        """Return the next row after `start` that has a text, going round once; None without one."""
        wanted, total = text.casefold(), len(self)
        step = -1 if back else 1
        order = ((start + step * away) % total for away in range(1, total + 1))
        return next((at for at in order if wanted in self.row(at).words.casefold()), None)


def shown(line: bytes, *, plain_returns: bool = True) -> str:
    """Return a line as it is shown; two lines that differ are shown differently."""
    end = b"\r\n" if plain_returns and line.endswith(b"\r\n") else b"\n"
    text = visible(line.removesuffix(end).decode("utf-8", "surrogateescape"))
    if TAB in text:
        text = text.replace(TAB, f"⟦U+{ord(TAB):04X}⟧")
    return _tabs(text) if "\t" in text else text


def _tabs(text: str) -> str:
    made = ""
    for part in text.split("\t"):
        made += part
        made += TAB + " " * (TAB_STOP - 1 - len(made) % TAB_STOP)
    return made[: made.rindex(TAB)]


def numbered(content: bytes) -> Sheet:
    """Return a file as it is, with its line numbers."""
    lines = split(content)
    block = Block(kind=Kind.SAME, before=range(len(lines)))
    return Sheet([block], old=lines, plain_returns=_plain_returns(lines))


def sheet(
    facts: Sequence[TextRows],
    before: bytes | None,
    after: bytes | None,
    *,
    sides: bool = False,
    removed: bool = False,
    path: str = "",
    white_space: bool = True,
    opened: Expansion = CLOSED,
) -> Sheet:
    """Return what is known and the diff; `sides` puts it side by side.

    `removed` leaves only the lines that go. With a path, the heading of a hunk names the function
    that it is in. Without `white_space`, lines that differ in nothing else are no change, and do
    not count as shown.
    """
    old, new = split(before or b""), split(after or b"")
    binary = b"\0" in (before or b"") or b"\0" in (after or b"")
    exact = () if binary or before == after else hunks_of(before or b"", after or b"")
    found = exact
    if exact and not white_space:
        found = hunks_of(before or b"", after or b"", white_space=False)
    rows: list[TextRows | Block] = [*facts]
    if found:
        heads = HunkHeads(path, before, after)
        made = blocks(found, len(old), sides=sides and not removed, opened=opened)
        made = only_removed(made) if removed else made
        rows += [_spoken(block, found, heads) for block in made]
        rows += _ends(before, after)
    elif binary:
        sizes = f"{len(before or b'')} bytes before, {len(after or b'')} after"
        rows.append(_said(Kind.GAP, f"not text: {sizes}"))
    else:
        rows.append(_said(Kind.GAP, "no lines differ" + (" but for white space" if exact else "")))
    return Sheet(
        rows,
        old=old,
        new=new,
        plain_returns=_plain_returns((*old, *new)),
        hunks=len(found),
        parts=byte_parts(before, after) if binary and before != after else line_parts(exact),
        selects=white_space,
    )


def _said(kind: Kind | Tone, text: str, hunk: int = 0) -> TextRows:
    return TextRows(kind=kind, texts=(text,), hunk=hunk)


def _spoken(block: Block, hunks: Sequence[Hunk], heads: HunkHeads) -> TextRows | Block:
    """Return a heading and a gap as words; lines stay as they are."""
    if block.kind is Kind.GAP:
        return _said(Kind.GAP, f"... {counted(len(block.before), 'unchanged line')}")
    if block.kind is Kind.HEAD:
        counts = f"-{len(block.before)} +{len(block.after)}"
        text = f"hunk {block.hunk} of {len(hunks)}, line {block.before.start + 1}: {counts}"
        hunk = hunks[block.hunk - 1]
        name = heads(hunk, max(hunk.before_start - CONTEXT, 0))
        return _said(Kind.HEAD, f"{text}  {visible_bytes(name)}".rstrip(), block.hunk)
    return block


def _plain_returns(lines: Sequence[bytes]) -> bool:
    """Returns that end every line alike are no news; where only some have them they are shown."""
    ended = sum(line.endswith(b"\n") for line in lines)
    return sum(line.endswith(b"\r\n") for line in lines) in (0, ended)


def _ends(before: bytes | None, after: bytes | None) -> Iterator[TextRows]:
    """Yield a row where one of the sides has no line end at its end: else nobody sees it."""
    for word, content in (("before", before), ("after", after)):
        if content and not content.endswith(b"\n"):
            yield _said(Kind.GAP, f"{word}: {NO_END}")
