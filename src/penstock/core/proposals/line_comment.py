"""Words about some lines of a file: what a person writes beside a diff, what an agent points at.

Written as `src/a.py:14: keep the check`, `src/a.py:10-20 the new loop`, `src/a.py:-7: why?` for a
line that goes, `src/a.py:#2: no` for a whole hunk, or `src/a.py: rename it` for the whole file; in
JSON as an object with the same parts.
Always true: a comment is bounded in length, and what does not read as one is an InputError that
says how it is written; nothing here knows whether such a line exists.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from penstock.core.errors import InputError, RefusedError
from penstock.core.text.display import in_line, spoken
from penstock.core.text.quantities import counted

LONGEST_TEXT = 1000  # characters
MOST_COMMENTS = 100
LAST_LINE = 10_000_000
CUT = "... [cut]"
_LINES = r"(?P<sign>[-#])?(?P<start>[0-9]{1,8})(?:-(?P<end>[0-9]{1,8}))?"
_TEXT = r"(?:[ \t]*:[ \t]*|[ \t]+|[ \t]*\Z)(?P<text>.*)"
OF_LINES = re.compile(rf"(?P<path>){_LINES}{_TEXT}", re.DOTALL)
WRITTEN = re.compile(rf"(?P<path>[^\n]{{1,4096}}?):{_LINES}{_TEXT}", re.DOTALL)
PLACE = re.compile(rf"(?:{_LINES})?")
OF_FILE = re.compile(r"(?P<path>[^\n:]{1,4096}):[ \t]+(?P<text>.+)", re.DOTALL)
FORM = "`path:14: text`, `path:10-20: text`, `path:-7: text` (a removed line) or `path:#2: text`"


class LineComment(Struct, frozen=True, kw_only=True):
    """A text about lines `start` to `end` of a file, counted from 1; 0 is the file as a whole.

    The lines are those of the proposed content, or of the current one where `removed` is true.
    `hunk` is the number of the hunk that is meant, 0 for none in particular.
    """

    path: str
    start: int = 0
    end: int = 0
    text: str = ""
    removed: bool = False
    hunk: int = 0

    @property
    def place(self) -> str:
        """Name the lines: `line 14`, `lines 10 to 20`, `removed line 7`, `hunk 2`."""
        if self.hunk and not self.start:
            return f"hunk {self.hunk}"
        if not self.start:
            return "whole file"
        kind = "removed line" if self.removed else "line"
        many = self.end > self.start
        said = f"{kind}s {self.start} to {self.end}" if many else f"{kind} {self.start}"
        return f"hunk {self.hunk} ({said})" if self.hunk else said

    @property
    def lines(self) -> str:
        """Write the lines as they are read: `14`, `10-20`, `-7`, `#2`, "" for the whole file."""
        if not self.start:
            return f"#{self.hunk}" if self.hunk else ""
        many = f"-{self.end}" if self.end > self.start else ""
        return f"{'-' if self.removed else ''}{self.start}{many}"

    @property
    def words(self) -> str:
        """Return it as one line: `line 14: keep the check`."""
        return f"{self.place}: {in_line(self.text)}" if self.text else self.place

    def as_json(self) -> dict[str, object]:
        """Return it as plain values, which `of_value` reads."""
        return {
            "path": self.path,
            "start": self.start,
            "end": self.end,
            "removed": self.removed,
            "hunk": self.hunk,
            "text": self.text,
        }


def read(text: str, *, path: str = "", code: str = "bad-comment") -> LineComment:
    """Read a comment as people and agents write it; `path` is the file where none is named."""
    written = text.strip()
    own = OF_LINES.fullmatch(written)
    found = own if path else None  # first: its text may name lines of other files
    found = found or WRITTEN.fullmatch(written) or own or OF_FILE.fullmatch(written)
    if found is None or not (found["path"] or path):
        raise _unreadable(text, code)
    parts = {key: part or "" for key, part in found.groupdict().items()}
    return _read(parts, path=parts["path"] or path, text=parts["text"], code=code)


def placed(lines: str, text: str, *, path: str, code: str = "bad-comment") -> LineComment:
    """Return a text about lines that are written on their own: `14`, `10-20`, `-7`, `#2`."""
    found = PLACE.fullmatch(lines.strip())
    if found is None:
        raise _unreadable(lines, code)
    parts = {key: part or "" for key, part in found.groupdict().items()}
    return _read(parts, path=path, text=text, code=code)


def _read(parts: Mapping[str, str], *, path: str, text: str, code: str) -> LineComment:
    start = int(parts.get("start") or 0)
    if parts.get("sign") == "#":
        return _made(code, path=path, hunk=start, text=text)
    return _made(
        code,
        path=path,
        start=start,
        end=int(parts.get("end") or start),
        removed=parts.get("sign") == "-",
        text=text,
    )


def of_value(value: object, *, path: str = "", code: str = "bad-comment") -> LineComment:
    """Read a comment from JSON: a text, or an object with `path`, `line` or `start` and `end`.

    One that is read already is returned as it is.
    """
    if isinstance(value, LineComment):
        return value
    if isinstance(value, str):
        return read(value, path=path, code=code)
    if not isinstance(value, Mapping):
        raise _unreadable(str(value), code)
    said = {str(key): part for key, part in value.items()}
    unknown = said.keys() - {"path", "line", "start", "end", "text", "comment", "removed", "hunk"}
    start = _number(said.get("start", said.get("line", 0)), code)
    if unknown:
        raise _unreadable(min(unknown), code)
    return _made(
        code,
        path=_text(said.get("path", path), code) or path,
        start=start,
        end=_number(said.get("end", start), code),
        text=_text(said.get("text", said.get("comment", "")), code),
        removed=said.get("removed", False) is True,
        hunk=_number(said.get("hunk", 0), code),
    )


def of_values(
    values: object, *, path: str = "", most: int = MOST_COMMENTS, code: str = "bad-comment"
) -> tuple[LineComment, ...]:
    """Read a list of comments; None is an empty one."""
    if values is None:
        return ()
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise _unreadable(str(values), code)
    if len(values) > most:
        raise InputError(code, f"{len(values)} comments are too many", because=f"at most {most}")
    return tuple(of_value(value, path=path, code=code) for value in values)


def unsent(count: int) -> RefusedError:
    """Return why something with comments is not approved: nobody would ever read them."""
    return RefusedError(
        "comments-unsent",
        f"{counted(count, 'comment')} would not be sent, nothing written",
        because="an approval has no comments",
        hint="reject with the comments, or clear them and approve",
    )


def cut(text: str, most: int = LONGEST_TEXT) -> str:
    """Return a text of a bounded length that says where it was cut."""
    text = text.strip()
    return text if len(text) <= most else text[: most - len(CUT)] + CUT


def _made(
    code: str,
    *,
    path: str,
    text: str,
    start: int = 0,
    end: int = 0,
    removed: bool = False,
    hunk: int = 0,
) -> LineComment:
    if not path or end < start or max(start, end, hunk) > LAST_LINE:
        raise _unreadable(f"{path}:{start}-{end}", code)
    return LineComment(path=path, start=start, end=end, text=cut(text), removed=removed, hunk=hunk)


def _number(value: object, code: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise _unreadable(str(value), code)
    return value


def _text(value: object, code: str) -> str:
    if not isinstance(value, str):
        raise _unreadable(str(value), code)
    return value


def _unreadable(text: str, code: str) -> InputError:
    return InputError(
        code,
        f"`{spoken(text[:80])}` does not name lines of a file",
        because=f"it is written as {FORM}",
        hint="for example `src/a.py:14: keep the check`",
    )
