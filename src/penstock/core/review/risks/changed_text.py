"""One file's change as checks read it: the lines that come, the lines that go, its language.

Lines that differ only in their ends do not count as new, nor do those that differ only in white
space, unless the language gives indentation a meaning.
Always true: nothing is split or compared before a check asks for it.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from io import BytesIO
from itertools import accumulate, chain

from msgspec import Struct

from penstock.core.diff.hunks import hunks
from penstock.core.file_mode import FileMode
from penstock.core.model import Change, ChangeKind, Hunk
from penstock.core.review.content_kind import ContentKind, content_kind
from penstock.core.review.languages import BY_INDENTATION, Language, language_of


class LineRun(Struct, frozen=True, kw_only=True):
    """Some lines of one side, one after the other as one text, each with its number."""

    text: bytes
    numbers: Sequence[int]
    starts: Sequence[int]

    def at(self, offset: int) -> int:
        """Return the number, counted from 1, of the line that an offset is in."""
        return self.numbers[self._place(offset)] + 1

    def end(self, offset: int) -> int:
        """Return the offset behind the line that an offset is in."""
        place = self._place(offset) + 1
        return self.starts[place] if place < len(self.starts) else len(self.text)

    def line(self, offset: int) -> bytes:
        """Return the line that an offset is in."""
        return self.text[self.starts[self._place(offset)] : self.end(offset)]

    def _place(self, offset: int) -> int:
        return bisect_right(self.starts, offset) - 1

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        ends = chain(self.starts[1:], (len(self.text),))
        for number, start, end in zip(self.numbers, self.starts, ends, strict=True):
            yield number + 1, self.text[start:end]


class LineTable:
    """The lines of a content with their ends, each made when somebody looks at it."""

    def __init__(self, content: bytes) -> None:
        self.content, self.starts = content, _starts(content)

    def __getitem__(self, at: int) -> bytes:
        return self.content[self.starts[at] : self.starts[at + 1]]

    def __iter__(self) -> Iterator[bytes]:
        return iter(BytesIO(self.content))


class ChangedText(Struct, frozen=True, kw_only=True, dict=True):
    """One file's change. None stands for no file."""

    path: str
    before: bytes | None
    after: bytes | None
    change: Change
    modes: tuple[FileMode | None, FileMode | None] = (None, None)

    @cached_property
    def kind(self) -> ContentKind:
        """What a reviewer sees in it."""
        return content_kind(self.path, self.before, self.after)

    @cached_property
    def language(self) -> Language | None:
        """Its language, by its name or its first line."""
        return language_of(self.path, self.after if self.after is not None else self.before)

    @property
    def readable(self) -> bool:
        """True where its bytes can be read as lines: no picture, no program, no link."""
        plain = all(mode is None or mode.plain for mode in self.modes)
        return plain and self.kind not in (ContentKind.IMAGE, ContentKind.BINARY)

    @property
    def is_new(self) -> bool:
        """True when there was no such file."""
        return self.change.kind is ChangeKind.NEW

    @property
    def is_gone(self) -> bool:
        """True when the file would be removed."""
        return self.change.kind is ChangeKind.DELETE

    @cached_property
    def hunks(self) -> tuple[Hunk, ...]:
        """The runs of lines that really change."""
        exact = self.language in BY_INDENTATION
        return hunks(self.before or b"", self.after or b"", line_ends=False, white_space=exact)

    @cached_property
    def old(self) -> LineTable:
        """The lines before."""
        return LineTable(self.before or b"")

    @cached_property
    def new(self) -> LineTable:
        """The lines after."""
        return LineTable(self.after or b"")

    @cached_property
    def added(self) -> LineRun:
        """The lines that come."""
        content = self.after or b""
        return _whole(content) if self.before is None else _some(content, self._places("after"))

    @cached_property
    def removed(self) -> LineRun:
        """The lines that go."""
        content = self.before or b""
        return _whole(content) if self.after is None else _some(content, self._places("before"))

    def _places(self, side: str) -> Iterator[range]:
        """Yield the runs of lines of one side that change."""
        return (places for hunk in self.hunks if (places := getattr(hunk, side)))


# A list of lines takes forty bytes and more for each: where they are takes eight.


def _starts(content: bytes) -> array[int]:
    """Return where each line begins, and where the last one ends."""
    return array("q", accumulate(map(len, BytesIO(content)), initial=0))


def _ended(text: bytes) -> bytes:
    """Return some lines, the last of them with an end: another one may follow it."""
    return text if text.endswith(b"\n") or not text else text + b"\n"


def _whole(content: bytes) -> LineRun:
    starts = _starts(content)[:-1]
    return LineRun(text=_ended(content), numbers=range(len(starts)), starts=starts)


def _some(content: bytes, runs: Iterable[range]) -> LineRun:
    known = _starts(content)
    pieces: list[bytes] = []
    numbers, starts, length = array("q"), array("q"), 0
    for run in runs:
        begin = known[run.start]
        pieces.append(_ended(content[begin : known[run.stop]]))
        numbers.extend(run)
        starts.extend(known[at] - begin + length for at in run)
        length += len(pieces[-1])
    return LineRun(text=b"".join(pieces), numbers=numbers, starts=starts)
