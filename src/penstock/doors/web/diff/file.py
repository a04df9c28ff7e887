"""One file's change as a page shows it: rows of text, pictures, bytes, or that it is too large.

Always true: nothing here depends on the file's name but its colours; what is not shown is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from markupsafe import Markup
from msgspec import Struct
from msgspec.structs import replace

from penstock.core.diff.coverage import SIDES, ChangedParts, byte_parts, line_parts
from penstock.core.diff.white_space import NONE as NO_BLANKS
from penstock.core.diff.white_space import WhiteSpace
from penstock.core.digest import digest
from penstock.core.proposals.model import Proposal
from penstock.core.review.image_size import size_change
from penstock.core.review.moves import MovedBlock
from penstock.doors.web.diff import content_type
from penstock.doors.web.diff.cache import Key, Shelf
from penstock.doors.web.diff.comment_boxes import CommentBoxes
from penstock.doors.web.diff.comparison import Comparison
from penstock.doors.web.diff.content_type import HexRow, Presentation
from penstock.doors.web.diff.markup import markup
from penstock.doors.web.diff.options import DiffOptions
from penstock.doors.web.diff.regions import RegionLink, region_links
from penstock.doors.web.diff.rows import Page
from penstock.doors.web.reader import PageReader
from penstock.gate.views import ChangeKey

SHELF = Shelf()
AS_USUAL = DiffOptions()
NUMBERED_PAGE = 400
MOST_ROWS = 1600  # of all files of a page
ROWS_OF_OTHERS = 20  # what a file takes that has no rows of text

Numbered = tuple[tuple[int, Markup], ...]


class FileSide(Struct, frozen=True, kw_only=True):
    """One side of a change that is no text."""

    there: bool
    size: int
    picture: str
    pixels: str
    rows: Sequence[HexRow]


class BytePage(Struct, frozen=True, kw_only=True):
    """Which bytes of both sides are shown, and which page of how many that is."""

    some: range
    number: int
    pages: int


class FileView(Struct, frozen=True, kw_only=True):
    """One file's change, looked at. `parts` is all there is to see of it.

    `removed` says that some lines go while others come. Of `changed` lines, `blanks` differ only
    in white space; the rows leave them out where the options say so, `parts` never does.
    """

    look: Presentation
    before: str
    after: str
    parts: ChangedParts
    page: Page | None = None
    options: DiffOptions = AS_USUAL
    hunks: int = 0
    changed: int = 0
    removed: bool = False
    blanks: WhiteSpace = NO_BLANKS
    moves: tuple[MovedBlock, ...] = ()
    regions: tuple[RegionLink, ...] = ()
    said: tuple[RegionLink, ...] = ()  # what a person wrote when they rejected it
    boxes: CommentBoxes | None = None
    sides: tuple[FileSide, ...] = ()
    differs_at: int = 0
    of_bytes: BytePage | None = None

    @property
    def anchors(self) -> frozenset[str]:
        """The lines that links lead to."""
        return frozenset(link.anchor for link in (*self.regions, *self.said))

    def sent_to(self, reader: PageReader, key: ChangeKey) -> None:
        """Mark what of the change is shown here."""
        reader.show(key, self.parts, self.page.marks if self.page else ())
        for name, side in zip(SIDES, self.sides, strict=False):
            if side.picture:  # drawn whole
                reader.show_bytes(key, self.parts, name, range(side.size))
            elif self.of_bytes is not None:
                reader.show_bytes(key, self.parts, name, self.of_bytes.some)


def of_proposal(
    one: Proposal,
    before: bytes | None,
    after: bytes | None,
    *,
    options: DiffOptions = AS_USUAL,
) -> FileView:
    """Return how a proposal's change looks."""
    key = one.base, one.content
    made = of_contents(key, one.path, before, after, options=options, drawn=True)
    said = one.answer.comments if one.answer else ()
    if not one.regions and not said:
        return made
    compared = SHELF.compared(key, before, after) if made.page else None
    return replace(
        made,
        regions=region_links(one.regions, compared, options),
        said=region_links(said, compared, options),
    )


def of_contents(
    key: Key,
    path: str,
    before: bytes | None,
    after: bytes | None,
    *,
    options: DiffOptions = AS_USUAL,
    drawn: bool = False,
) -> FileView:
    """Return how two contents look beside each other.

    `drawn` is true on pages that draw pictures; on others they are bytes.
    """
    look = content_type.look_of(before, after)
    was, now = content_type.encoding(before), content_type.encoding(after)
    if look is Presentation.TEXT:
        made = SHELF.compared(key, before, after)
        return FileView(
            look=look,
            before=was,
            after=now,
            parts=line_parts(made.hunks),
            page=SHELF.page(made, options, path=path),
            options=options,
            hunks=len(made.hunks),
            changed=max(sum(map(len, side)) for side in _sides(made)),
            removed=all(map(any, _sides(made))),
            blanks=made.blank_lines,
            moves=made.moves,
        )
    at = content_type.first_difference(before or b"", after or b"")
    too_large = look is Presentation.TOO_LARGE
    shown = None if too_large else _byte_page(before, after, at, options.number)
    return FileView(
        look=look,
        before=was,
        after=now,
        parts=byte_parts(before, after, first=at),
        sides=tuple(_side(path if drawn else "", side, shown) for side in (before, after)),
        differs_at=at,
        of_bytes=shown,
    )


def of_bytes(
    path: str,
    before: bytes | None,
    after: bytes | None,
    *,
    options: DiffOptions = AS_USUAL,
    drawn: bool = False,
) -> FileView:
    """Return how two contents look beside each other that no proposal has digests of."""
    key = digest_of(before), digest_of(after)
    return of_contents(key, path, before, after, options=options, drawn=drawn)


def _sides(made: Comparison) -> tuple[list[range], list[range]]:
    return [hunk.before for hunk in made.hunks], [hunk.after for hunk in made.hunks]


def digest_of(content: bytes | None) -> str | None:
    """Return the digest of a content, None where there is no file."""
    return None if content is None else digest(content)


def fitting(
    files: Iterable[Callable[[], FileView | None]], *, first: int = 0
) -> Iterator[FileView | None]:
    """Yield how each file looks, as far as they fit a page, from `first` on; None for others."""
    left = MOST_ROWS
    for at, look in enumerate(files):
        shown = look() if left > 0 and at >= first else None
        if at >= first:
            left -= len(shown.page.rows) if shown and shown.page else ROWS_OF_OTHERS
        yield shown


def _byte_page(before: bytes | None, after: bytes | None, at: int, number: int) -> BytePage:
    """Return one page of bytes, the first one around the first difference."""
    begin = content_type.hex_range(at, 1).start
    rest = max(len(before or b""), len(after or b"")) - begin
    pages = max(1, -(-rest // content_type.HEX_BYTES))
    number = min(max(number, 1), pages)
    return BytePage(some=content_type.hex_range(at, number), number=number, pages=pages)


def _side(path: str, content: bytes | None, shown: BytePage | None) -> FileSide:
    return FileSide(
        there=content is not None,
        size=len(content or b""),
        picture=content_type.picture_type(path, content) if shown else "",
        pixels=size_change(content, content) if shown else "",
        rows=content_type.hex_rows(content, shown.some) if shown else (),
    )


def numbered(content: bytes, number: int) -> tuple[Numbered, int]:
    """Return one page of a file with its line numbers, and how many lines there are."""
    made = Comparison(content, content)
    lines = made.old
    first = (max(number, 1) - 1) * NUMBERED_PAGE
    some = lines[first : first + NUMBERED_PAGE]
    shown = tuple((first + at, markup(made.shown(line))) for at, line in enumerate(some, 1))
    return shown, len(lines)
