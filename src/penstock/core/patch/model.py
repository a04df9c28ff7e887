"""The nouns of a patch, and the sentences for one that cannot be read or does not fit.

Both dialects of patch text are read into these. Reading is left to `unified_diff` and
`begin_patch`, finding the place of a hunk to `fit`.
Always true: a value here came from text that was read to its end without a doubt.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from penstock.core.errors import InputError
from penstock.core.file_mode import FileMode
from penstock.core.model import Action

SHOWN = 80


class PatchDialect(StrEnum):
    """How a patch was written: as a diff with line numbers, or between `*** Begin Patch` marks."""

    UNIFIED = "unified"
    ENVELOPE = "envelope"


class LineMark(StrEnum):
    """What a patch does with one line."""

    KEEP = " "
    REMOVE = "-"
    ADD = "+"


PatchLine = tuple[LineMark, bytes]


class PatchHunk(Struct, frozen=True, kw_only=True):
    """One place to change: the lines kept, removed and added there, in order.

    A diff says where (`start`, the 0-based line of the old file); an envelope may name lines
    that come before (`anchors`) or say that the hunk ends the file (`at_end`), and its last
    line may be empty only to separate it from what follows (`spare`).
    """

    number: int
    line: int
    lines: tuple[PatchLine, ...]
    start: int = 0
    anchors: tuple[bytes, ...] = ()
    at_end: bool = False
    spare: bool = False

    @property
    def old(self) -> list[bytes]:
        """The lines that must be there."""
        return [text for mark, text in self.lines if mark is not LineMark.ADD]

    @property
    def new(self) -> list[bytes]:
        """The lines that will be there instead."""
        return [text for mark, text in self.lines if mark is not LineMark.REMOVE]


class FilePatch(Struct, frozen=True, kw_only=True):
    """What a patch does to one file: `action` is create, write or delete.

    With `moved_to` the file at `path` goes away and its new content stands there instead, so
    both names are to be judged. `mode` is what git says that it becomes, a new link among them.
    `notes` tell what the patch asks for and will not get.
    """

    action: Action
    path: str
    moved_to: str | None = None
    hunks: tuple[PatchHunk, ...] = ()
    dialect: PatchDialect = PatchDialect.UNIFIED
    crlf: bool = False
    mode: FileMode | None = None
    notes: tuple[str, ...] = ()


def bad_patch(message: str, *, line: int = 0, hint: str = "") -> InputError:
    """Return the error for text that is not a patch."""
    where = f"line {line} of the patch: " if line else ""
    return InputError("bad-patch", f"{where}{message}", hint=hint)


def unsupported(message: str, *, line: int = 0, hint: str = "") -> InputError:
    """Return the error for a patch that was understood and is more than contents can do."""
    where = f"line {line} of the patch: " if line else ""
    return InputError("unsupported-patch", f"{where}{message}", hint=hint)


def unfit(path: str, hunk: PatchHunk, because: str) -> InputError:
    """Return the error for a hunk that has no place in the file."""
    return InputError(
        "patch-does-not-fit",
        f"hunk {hunk.number} of the patch does not apply to `{shown(path)}`",
        because=because,
        hint="read the file again and create the patch from its current content",
    )


def shown(text: str | bytes) -> str:
    """Return a piece of foreign text for a sentence: short, and nothing in it that acts."""
    if isinstance(text, bytes):
        text = text.rstrip(b"\r\n").decode("utf-8", "backslashreplace")
    cut = text if len(text) <= SHOWN else text[:SHOWN] + "..."
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in cut
    )
