"""Read `*** Begin Patch` text, the form that coding models write, and find its places.

The text names lines, not line numbers, and the first place below the last one counts. Lines
must be there exactly; a model's reader may forgive blanks and dashes, this one does not.
Always true: a header that another reader could take for one is never taken for file content.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock.core.model import Action
from penstock.core.patch.file_names import text_of
from penstock.core.patch.fit import Finder
from penstock.core.patch.model import (
    FilePatch,
    LineMark,
    PatchDialect,
    PatchHunk,
    PatchLine,
    bad_patch,
    shown,
    unfit,
)
from penstock.core.text.line_endings import LF, end_of, split

BEGIN = "*** Begin Patch"
END = "*** End Patch"
END_OF_FILE = b"*** End of File"
MOVE = "*** Move to: "
ACTIONS = {
    "*** Add File: ": Action.CREATE,
    "*** Update File: ": Action.WRITE,
    "*** Delete File: ": Action.DELETE,
}
MARKS = {b" ": LineMark.KEEP, b"-": LineMark.REMOVE, b"+": LineMark.ADD}
HEREDOCS = {"<<EOF", "<<'EOF'", '<<"EOF"'}


def is_envelope(data: bytes) -> bool:
    """Return whether text claims to be of this form."""
    first = _trimmed(data.lstrip().partition(LF)[0])
    return first == BEGIN or first in HEREDOCS


def _trimmed(line: bytes) -> str:
    """Return a header as text, without the blanks around it, whatever their alphabet."""
    return line.decode("utf-8", "surrogateescape").strip()


def read_envelope(data: bytes) -> Iterator[FilePatch]:
    """Yield the file patches between the marks, in order."""
    yield from _EnvelopeReader(data).files()


class _EnvelopeReader:
    """The lines between the marks, and how far they are read."""

    def __init__(self, data: bytes) -> None:
        lines = [line.removesuffix(b"\r") for line in data.strip().split(LF)]
        # The first line of the text may have been blank; people count from there.
        self.shift = data[: len(data) - len(data.lstrip())].count(LF)
        if _trimmed(lines[0]) in HEREDOCS and len(lines) > 3 and lines[-1].endswith(b"EOF"):
            lines = lines[1:-1]
            self.shift += 1
        if _trimmed(lines[0]) != BEGIN or _trimmed(lines[-1]) != END or len(lines) < 2:
            raise bad_patch(f"the patch must begin with `{BEGIN}` and end with `{END}`")
        self.lines = lines[:-1]
        self.at = 1

    def files(self) -> Iterator[FilePatch]:
        """Yield one file patch after the other."""
        while self.at < len(self.lines):
            header = _trimmed(self.lines[self.at])
            if not header:
                self.at += 1
                continue
            yield self._file(header)

    def _number(self) -> int:
        return self.shift + self.at + 1

    def _file(self, header: str) -> FilePatch:
        marker = next((marker for marker in ACTIONS if header.startswith(marker)), None)
        if marker is None:
            raise bad_patch(
                f"`{shown(header)}` is not the header of a file",
                line=self._number(),
                hint="write `*** Add File: `, `*** Update File: ` or `*** Delete File: `",
            )
        action = ACTIONS[marker]
        path = self._name(header.removeprefix(marker))
        moved = self._move() if action is Action.WRITE else None
        if moved == path:
            raise bad_patch(f"`{shown(path)}` is moved to itself", line=self._number())
        hunks: tuple[PatchHunk, ...] = ()
        if action is Action.CREATE:
            hunks = (self._whole(),)
        elif action is Action.WRITE:
            hunks = tuple(self._hunks())
            if not hunks and moved is None:
                raise bad_patch(f"`{shown(path)}` has no hunks", line=self._number())
        return FilePatch(
            action=action, path=path, moved_to=moved, hunks=hunks, dialect=PatchDialect.ENVELOPE
        )

    def _name(self, text: str) -> str:
        name = text_of(text.encode("utf-8", "surrogateescape"), self._number())
        self.at += 1
        return name

    def _move(self) -> str | None:
        header = _trimmed(self.lines[self.at]) if self.at < len(self.lines) else ""
        return self._name(header.removeprefix(MOVE)) if header.startswith(MOVE) else None

    def _whole(self) -> PatchHunk:
        """Return all lines of a new file; every one of them is an addition."""
        first = self._number()
        lines: list[PatchLine] = []
        while self.at < len(self.lines) and self.lines[self.at].startswith(b"+"):
            lines.append((LineMark.ADD, self.lines[self.at][1:]))
            self.at += 1
        return PatchHunk(number=1, line=first, lines=tuple(lines))

    def _hunks(self) -> Iterator[PatchHunk]:
        number = 0
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if not line.strip():
                self.at += 1
            elif line.startswith(b"*") or self._is_header(line):
                return
            else:
                number += 1
                yield self._hunk(number)

    def _hunk(self, number: int) -> PatchHunk:
        first = self._number()
        anchors = tuple(self._anchors(required=number > 1))
        lines = list(self._body())
        if not lines:
            raise bad_patch(f"hunk {number} has no lines", line=self._number())
        at_end = self.at < len(self.lines) and self.lines[self.at] == END_OF_FILE
        self.at += at_end
        return PatchHunk(
            number=number,
            line=first,
            lines=tuple((mark, text) for mark, text, _ in lines),
            anchors=anchors,
            at_end=at_end,
            spare=lines[-1][2],
        )

    def _anchors(self, *, required: bool) -> Iterator[bytes]:
        """Yield the lines that the hunk comes after (`@@ def f():`); a bare `@@` names none."""
        first = self.at
        while self.at < len(self.lines) and self.lines[self.at].startswith(b"@@"):
            line = self.lines[self.at]
            if line != b"@@" and not line.startswith(b"@@ "):
                break
            if line != b"@@":
                yield line[3:]
            self.at += 1
        if required and self.at == first:
            raise bad_patch("a hunk begins with `@@`", line=self._number())

    def _body(self) -> Iterator[tuple[LineMark, bytes, bool]]:
        """Yield the lines of a hunk, and whether they are nothing but an empty line."""
        while self.at < len(self.lines):
            line = self.lines[self.at]
            mark = MARKS.get(line[:1])
            if mark is None and line:
                if not line.startswith((b"@@", b"***")):
                    raise bad_patch(
                        f"`{shown(line)}` begins with neither blank, `+` nor `-`",
                        line=self._number(),
                    )
                return
            if mark is LineMark.KEEP and self._is_header(line):
                # Some readers take this for a header and some for content: nobody may guess.
                raise bad_patch(f"`{shown(line)}` could be a header", line=self._number())
            self.at += 1
            yield mark or LineMark.KEEP, line[1:], not line

    def _is_header(self, line: bytes) -> bool:
        return b"*** " in line and _trimmed(line).startswith((*ACTIONS, BEGIN, END))


def apply_envelope(patch: FilePatch, before: bytes) -> bytes:
    """Return a file's content with all hunks of its patch in place; a mere move has none."""
    if not patch.hunks:
        return before
    end = end_of(before)
    lines = split(before)
    finder = Finder([_bare(line) for line in lines])
    pieces: list[bytes] = []
    done = 0
    for at, size, hunk in sorted(_places(patch, finder), key=lambda place: place[0]):
        if at < done:
            raise unfit(patch.path, hunk, "it overlaps another hunk")
        pieces += lines[done:at]
        kept = iter(lines[at : at + size])
        done = at + size
        # Lines that stay keep their own line end; lines that come get the file's.
        for mark, text in hunk.lines[: len(hunk.lines) - (len(hunk.old) - size)]:
            old = b"" if mark is LineMark.ADD else next(kept)
            if mark is not LineMark.REMOVE:
                pieces.append(text + end if mark is LineMark.ADD else old)
    pieces += lines[done:]
    # Every reader of this form ends the last line, and so did the model that wrote it.
    return b"".join(piece if piece.endswith(LF) else piece + end for piece in pieces)


def _places(patch: FilePatch, finder: Finder) -> Iterator[tuple[int, int, PatchHunk]]:
    """Yield for each hunk the line where it goes and how many lines it finds there."""
    cursor = 0
    for hunk in patch.hunks:
        for anchor in hunk.anchors:
            cursor = _after_anchor(patch, hunk, anchor, finder, cursor)
        old = hunk.old
        if not old:
            yield finder.end_of_text(), 0, hunk
            continue
        at, size = _found(patch, hunk, finder, cursor)
        cursor = at + size
        yield at, size, hunk


def _after_anchor(
    patch: FilePatch, hunk: PatchHunk, anchor: bytes, finder: Finder, cursor: int
) -> int:
    found = finder.first([anchor], cursor)
    if found is None:
        raise unfit(patch.path, hunk, f"no line below line {cursor} is `{shown(anchor)}`")
    return found + 1


def _found(patch: FilePatch, hunk: PatchHunk, finder: Finder, cursor: int) -> tuple[int, int]:
    """Return where the old lines are; a blank line that only ends the hunk may be missing."""
    old = hunk.old
    for wanted in (old, old[:-1]) if hunk.spare and len(old) > 1 else (old,):
        last = len(finder.lines) - len(wanted)
        found = last if hunk.at_end else finder.first(wanted, cursor)
        if found is not None and found >= cursor and finder.matches(wanted, found):
            return found, len(wanted)
    raise unfit(patch.path, hunk, finder.mismatch(old, cursor, at_end=hunk.at_end))


def _bare(line: bytes) -> bytes:
    return line.removesuffix(LF).removesuffix(b"\r")
