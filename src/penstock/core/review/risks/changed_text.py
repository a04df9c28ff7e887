"""One file's change as checks read it: the lines that come, the lines that go, its language.

Lines that differ only in their ends do not count as new, nor do those that differ only in white
space, unless the language gives indentation a meaning.
Always true: nothing is split or compared before a check asks for it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain

from penstock.core.diff.hunks import hunks
from penstock.core.file_mode import FileMode
from penstock.core.model import Change, ChangeKind, Hunk
from penstock.core.review.content_kind import ContentKind, content_kind
from penstock.core.review.languages import BY_INDENTATION, Language, language_of
from penstock.core.text.line_endings import split


@dataclass(frozen=True, kw_only=True, slots=True)
class LineRun:
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


@dataclass(frozen=True, kw_only=True)
class ChangedText:
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
    def old(self) -> list[bytes]:
        """The lines before."""
        return split(self.before or b"")

    @cached_property
    def new(self) -> list[bytes]:
        """The lines after."""
        return split(self.after or b"")

    @cached_property
    def added(self) -> LineRun:
        """The lines that come."""
        if self.before is None:
            return _run(self.new, range(len(self.new)), self.after or b"")
        return _run(self.new, [at for hunk in self.hunks for at in hunk.after])

    @cached_property
    def removed(self) -> LineRun:
        """The lines that go."""
        if self.after is None:
            return _run(self.old, range(len(self.old)), self.before or b"")
        return _run(self.old, [at for hunk in self.hunks for at in hunk.before])


def _run(lines: Sequence[bytes], places: Sequence[int], whole: bytes | None = None) -> LineRun:
    some = [lines[at] for at in places]
    # A last line may lack its end, and another one follow it here.
    some = [line if line.endswith(b"\n") else line + b"\n" for line in some]
    starts = list(accumulate(map(len, some), initial=0))
    text = b"".join(some) if whole is None or not whole.endswith(b"\n") else whole
    return LineRun(text=text, numbers=places, starts=starts[:-1])
