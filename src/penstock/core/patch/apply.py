"""Patch text to new contents: unified diffs and `*** Begin Patch`, several files at a time.

Reading tells which files a patch would create, write, move or delete, so that each can be
judged; applying gives their contents. Reading and writing files is left to the gate.
Always true: a patch applies as a whole or raises an error that names the file, the hunk and
the first line that does not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from penstock.core.errors import InputError
from penstock.core.file_mode import FileMode
from penstock.core.model import Action
from penstock.core.patch.begin_patch import apply_envelope, is_envelope, read_envelope
from penstock.core.patch.fit import apply_hunks
from penstock.core.patch.model import (
    FilePatch,
    LineMark,
    PatchDialect,
    PatchHunk,
    bad_patch,
    shown,
)
from penstock.core.patch.unified_diff import read_unified
from penstock.core.text.line_endings import LF, split
from penstock.core.text.quantities import counted

__all__ = [
    "FilePatch",
    "LineMark",
    "PatchDialect",
    "PatchHunk",
    "apply_all",
    "apply_patch",
    "modes_of",
    "parse_patch",
]

MAX_BYTES = 16 * 2**20
MAX_LINES = 500_000


def parse_patch(text: str | bytes) -> tuple[FilePatch, ...]:
    """Return what a patch would do, file by file, in its order."""
    data = _as_bytes(text)
    lines = data.count(LF)
    if len(data) > MAX_BYTES or lines > MAX_LINES:
        raise InputError(
            "too-large",
            f"the patch has {counted(len(data), 'byte')} in {counted(lines, 'line')}",
            because=f"patches are read up to {MAX_BYTES} bytes and {MAX_LINES} lines",
            hint="send it in smaller parts",
        )
    patches = tuple(read_envelope(data) if is_envelope(data) else read_unified(data))
    if not patches:
        raise bad_patch(
            "there is no patch in this text",
            hint="send a unified diff, or text between `*** Begin Patch` and `*** End Patch`",
        )
    return patches


def _as_bytes(text: str | bytes) -> bytes:
    try:
        return text if isinstance(text, bytes) else text.encode("utf-8")
    except UnicodeEncodeError:
        raise bad_patch("the text contains a lone surrogate (half a character)") from None


def apply_patch(patch: FilePatch, before: bytes | None) -> bytes | None:
    """Return a file's content after its patch; None is no file, before and after."""
    if patch.action is Action.CREATE:
        return _created(patch, before)
    if before is None:
        raise InputError(
            "not-found",
            f"`{shown(patch.path)}` does not exist",
            because="the patch changes or deletes it",
            hint="to create a file, write `--- /dev/null` or `*** Add File: `",
        )
    if patch.dialect is PatchDialect.ENVELOPE:
        return None if patch.action is Action.DELETE else apply_envelope(patch, before)
    after = apply_hunks(patch, before)
    if patch.action is Action.WRITE:
        return after
    if after:
        raise InputError(
            "patch-does-not-fit",
            f"the patch deletes `{shown(patch.path)}` but does not contain all of its lines",
            because=f"{counted(len(split(after)), 'line')} would be left",
            hint="read the file again and create the patch from its current content",
        )
    return None


def _created(patch: FilePatch, before: bytes | None) -> bytes:
    # An envelope's `*** Add File` is the whole content, whatever was there: that is how the
    # models' own readers take it, and the change is measured and judged as a replacement.
    if before is not None and patch.dialect is PatchDialect.UNIFIED:
        raise InputError(
            "already-exists",
            f"`{shown(patch.path)}` exists already",
            because="the patch creates it",
            hint="create a patch from the existing file",
        )
    if patch.dialect is PatchDialect.ENVELOPE:
        return b"".join(line + LF for hunk in patch.hunks for line in hunk.new)
    return apply_hunks(patch, b"")


def modes_of(patches: Iterable[FilePatch]) -> dict[str, FileMode]:
    """Return the modes that some patches give, by the name of the file; the last one counts."""
    return {patch.moved_to or patch.path: patch.mode for patch in patches if patch.mode}


def apply_all(
    patches: Iterable[FilePatch], read: Callable[[str], bytes | None]
) -> dict[str, bytes | None]:
    """Return the content of every file that some patches touch, after all of them, by name.

    `read` gives the content of a file, or None when there is none. Names are compared as they
    are written: whoever has a spelling of its own gives patches with the names settled.
    """
    now: dict[str, bytes | None] = {}
    for patch in patches:
        before = now[patch.path] if patch.path in now else read(patch.path)
        after = apply_patch(patch, before)
        now[patch.path] = None if patch.moved_to else after
        if patch.moved_to:
            there = now[patch.moved_to] if patch.moved_to in now else read(patch.moved_to)
            if there is not None and patch.dialect is PatchDialect.UNIFIED:
                raise InputError(
                    "already-exists",
                    f"`{shown(patch.moved_to)}` exists already",
                    because=f"the patch moves `{shown(patch.path)}` there",
                )
            now[patch.moved_to] = after
    return now
