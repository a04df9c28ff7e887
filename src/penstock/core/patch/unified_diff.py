"""Read unified diffs, with or without git's headers, into file patches.

Text before, between and after the diffs is passed over, as `git apply` does, but never a line
that could belong to a hunk. Finding the place of the hunks is left to `fit`.
Always true: every hunk has exactly the lines its header counts, hunks go downwards, and all
names that one diff gives its file agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from penstock.core.errors import InputError
from penstock.core.model import Action
from penstock.core.patch.file_names import (
    NOWHERE,
    git_pair,
    is_beginning_of_time,
    read_name,
    stripped,
    text_of,
)
from penstock.core.patch.git_headers import (
    GIT_HEADERS,
    SAY_NOTHING,
    Headers,
    action_of,
    agreed_names,
    mode_of,
    notes_on,
    refuse_special,
)
from penstock.core.patch.model import (
    FilePatch,
    LineMark,
    PatchHunk,
    PatchLine,
    bad_patch,
    shown,
    unsupported,
)
from penstock.core.text.line_endings import CRLF, LF

HUNK = re.compile(rb"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
MARKS = {b" ": LineMark.KEEP, b"-": LineMark.REMOVE, b"+": LineMark.ADD}
HUNK_BYTES = (*MARKS, b"\\")


def read_unified(data: bytes) -> Iterator[FilePatch]:
    """Yield the file patches of a unified diff, in order."""
    yield from _UnifiedReader(data).files()


class _UnifiedReader:
    """The lines of the patch, and how far they are read."""

    def __init__(self, data: bytes) -> None:
        # Only text that came through CRLF as a whole has it in the lines between hunks, too.
        self.crlf = CRLF in data and data.count(CRLF) == data.count(LF)
        end = b"" if data.endswith(LF) or not data else CRLF if self.crlf else LF
        self.lines = (data + end).split(LF)[:-1]
        self.at = 0
        # Commit messages may hold anything; between diffs, a stray line is a wrong count.
        self.free = True

    def files(self) -> Iterator[FilePatch]:
        """Yield one file patch after the other."""
        while self.at < len(self.lines):
            if self._here().startswith(b"diff --git "):
                yield self._git_file()
            elif self._at_names():
                yield self._plain_file()
            else:
                self._pass_over()

    def _here(self) -> bytes:
        """Return the current line of a header."""
        return self.lines[self.at].removesuffix(b"\r") if self.at < len(self.lines) else b""

    def _number(self) -> int:
        return self.at + 1

    def _at_names(self) -> bool:
        following = self.lines[self.at + 1] if self.at + 1 < len(self.lines) else b""
        return self._here().startswith(b"--- ") and following.startswith(b"+++ ")

    def _pass_over(self) -> None:
        line = self._here()
        self.free = self.free or line == b"-- " or line.startswith(b"From ")
        stray = line.startswith(b"@@ -") or (not self.free and line[:1] in HUNK_BYTES)
        if line and stray:
            raise bad_patch(
                f"`{shown(line)}` is outside of every hunk",
                line=self._number(),
                hint="the counts in the header of the hunk above may be too small",
            )
        self._refuse_foreign(line)
        self.at += 1

    def _refuse_foreign(self, line: bytes) -> None:
        """Name what is a patch too, but not one that is read here."""
        binary = line.startswith(b"Binary files ") and line.endswith(b" differ")
        if binary or line == b"GIT binary patch":
            raise unsupported("binary patches are not supported", line=self._number())
        if line.startswith((b"***************", b"@@@ ")):
            raise unsupported(
                "only unified diffs of two files are supported",
                line=self._number(),
                hint="create one with `diff -u` or `git diff`",
            )

    def _git_file(self) -> FilePatch:
        first = self._number()
        pair = git_pair(self._here().removeprefix(b"diff --git "), first)
        self.at += 1
        headers = self._headers()
        self._refuse_special(headers, first)
        named = self._names() if self._at_names() else None
        hunks = tuple(self._hunks())
        old, new = agreed_names(headers, pair, named, first)
        if not hunks and not headers.keys() - SAY_NOTHING:
            raise bad_patch(f"`{shown(new)}` has no hunks", line=first)
        return self._file(old, new, headers, hunks, first)

    def _headers(self) -> Headers:
        """Return what git says of a file before its hunks."""
        found: Headers = {}
        while True:
            line = self._here()
            key = next((key for key in GIT_HEADERS if line.startswith(key)), None)
            if key is None:
                break
            if key in found:
                raise bad_patch(f"`{shown(line)}` occurs twice", line=self._number())
            found[key] = line.removeprefix(key)
            self.at += 1
        return found

    def _refuse_special(self, headers: Headers, first: int) -> None:
        self._refuse_foreign(self._here())
        refuse_special(headers, first)

    def _names(self) -> tuple[bytes, bytes]:
        old, _ = read_name(self._here().removeprefix(b"--- "), self._number())
        self.at += 1
        new, _ = read_name(self._here().removeprefix(b"+++ "), self._number())
        self.at += 1
        return old, new

    def _plain_file(self) -> FilePatch:
        first = self._number()
        times = [
            read_name(line.removesuffix(b"\r")[4:], first)[1]
            for line in self.lines[self.at : self.at + 2]
        ]
        old, new = stripped(*self._names())
        hunks = tuple(self._hunks())
        if not hunks:
            raise bad_patch(f"`{shown(new)}` has no hunks", line=first)
        if old != NOWHERE and is_beginning_of_time(times[0]) and not hunks[0].old:
            old = NOWHERE
        if new != NOWHERE and is_beginning_of_time(times[1]) and not hunks[0].new:
            new = NOWHERE
        return self._file(old, new, {}, hunks, first)

    def _file(
        self, old: bytes, new: bytes, headers: Headers, hunks: tuple[PatchHunk, ...], first: int
    ) -> FilePatch:
        """Return what one diff does, once its names and hunks are read."""
        self.free = False
        action = action_of(old, new, headers, first)
        path = text_of(new if action is Action.CREATE else old, first)
        if action is Action.CREATE and any(hunk.old for hunk in hunks):
            raise bad_patch(f"a new file `{shown(path)}` has no lines to keep", line=first)
        if action is Action.DELETE and any(hunk.new for hunk in hunks):
            raise bad_patch(f"a deleted file `{shown(path)}` has no lines to add", line=first)
        moved = action is Action.WRITE and old != new
        if moved and b"rename from " not in headers:
            raise bad_patch(
                f"it names two files, `{shown(old)}` and `{shown(new)}`",
                line=first,
                hint="use the same name on both sides, or git's `rename from` and `rename to`",
            )
        return FilePatch(
            action=action,
            path=path,
            moved_to=text_of(new, first) if moved else None,
            hunks=hunks,
            crlf=self.crlf,
            mode=mode_of(headers),
            notes=tuple(notes_on(headers, self.crlf)),
        )

    def _hunks(self) -> Iterator[PatchHunk]:
        number, below = 0, 0
        while self._at_hunk():
            number += 1
            hunk = self._hunk(number)
            if hunk.start < below:
                raise bad_patch(f"hunk {number} overlaps the one before it", line=hunk.line)
            below = hunk.start + len(hunk.old)
            yield hunk
        self._refuse_foreign(self._here())

    def _at_hunk(self) -> bool:
        """Return whether a hunk begins here; blank lines before it are nobody's."""
        at = self.at
        while at < len(self.lines) and not self.lines[at].strip():
            at += 1
        line = self.lines[at] if at < len(self.lines) else b""
        found = line.startswith(b"@@") and not line.startswith(b"@@@")
        self.at = at if found else self.at
        return found

    def _hunk(self, number: int) -> PatchHunk:
        first, header = self._number(), HUNK.match(self._here())
        if header is None:
            raise bad_patch(
                f"`{shown(self._here())}` is not the header of a hunk",
                line=first,
                hint="write `@@ -LINE,COUNT +LINE,COUNT @@`",
            )
        self.at += 1
        start, old = int(header[1]), int(header[2] or b"1")
        if start == 0 and old:
            raise bad_patch("a hunk with lines to keep cannot start at line 0", line=first)
        lines = self._body(number, old, int(header[4] or b"1"))
        # A hunk without old lines goes below the line it names.
        return PatchHunk(number=number, line=first, lines=tuple(lines), start=start - (old > 0))

    def _body(self, number: int, old_left: int, new_left: int) -> list[PatchLine]:
        """Read exactly as many lines as the header counts."""
        lines: list[PatchLine] = []
        first = self.at
        while old_left > 0 or new_left > 0 or self._at_no_end(lines):
            if self._at_no_end(lines):
                lines[-1] = self._without_end(lines[-1], old_left, new_left)
                continue
            mark, text = self._hunk_line(number, first)
            old_left -= mark is not LineMark.ADD
            new_left -= mark is not LineMark.REMOVE
            if old_left < 0 or new_left < 0:
                raise self._miscounted(number)
            lines.append((mark, text))
            self.at += 1
        return lines

    def _hunk_line(self, number: int, first: int) -> PatchLine:
        if self.at >= len(self.lines):
            raise bad_patch(
                f"the patch ends inside hunk {number}, which begins above line {first + 1}",
                line=len(self.lines),
            )
        line = self.lines[self.at]
        if line in (b"", b"\r"):  # mail programs strip the blank of an empty line
            return LineMark.KEEP, line + LF
        mark = MARKS.get(line[:1])
        if mark is None:
            raise self._miscounted(number)
        return mark, line[1:] + LF

    def _miscounted(self, number: int) -> InputError:
        return bad_patch(
            f"hunk {number} has other lines than its header counts, from here on",
            line=self._number(),
        )

    def _at_no_end(self, lines: list[PatchLine]) -> bool:
        return bool(lines) and self.at < len(self.lines) and self.lines[self.at][:2] == b"\\ "

    def _without_end(self, last: PatchLine, old_left: int, new_left: int) -> PatchLine:
        """Take the end off a line that has none; nothing may come after it on its side."""
        mark, text = last
        more = (mark is not LineMark.ADD and old_left) or (mark is not LineMark.REMOVE and new_left)
        if more or not text.endswith(LF):
            raise bad_patch("a line without an end is not the last one", line=self._number())
        self.at += 1
        return mark, text.removesuffix(LF).removesuffix(b"\r" if self.crlf else b"")
