"""Join new content to an existing file by the strategy a person chose, or by chosen hunks.

Append and insert work on lines, extend on Python members (see `merge.extend.extend`), replace on
nothing. Line ends and the byte order mark of the existing file are kept: content that comes with
the other line end is converted, except by replace, which returns the new content as it is.
Measuring and judging what comes out is left to `diff.measure` and `policy.decide`.
Always true: append, insert and extend never lose a byte of the existing file.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from enum import StrEnum

from msgspec import Struct

from penstock.core.errors import InputError
from penstock.core.text.line_endings import (
    BOM,
    LF,
    WIDE_BOMS,
    end_of,
    in_style_of,
    split,
    without_bom,
)
from penstock.core.text.quantities import counted


class Strategy(StrEnum):
    """The four ways to bring new content into an existing file."""

    APPEND = "append"
    INSERT = "insert"
    EXTEND = "extend"
    REPLACE = "replace"


class MergeResult(Struct, frozen=True, kw_only=True):
    """The joined content, what a person should know about it, and the strategy really used."""

    content: bytes
    warnings: tuple[str, ...] = ()
    strategy: Strategy


def combine(
    existing: bytes,
    new: bytes,
    strategy: Strategy | str,
    *,
    at: int | None = None,
    path: str = "",
) -> MergeResult:
    """Return existing and new content joined by a strategy.

    `at` is the line after which `insert` puts the new content (0 is the top); `path` tells
    `extend` whether the file is Python.
    """
    chosen = strategy_named(strategy)
    if chosen is not Strategy.REPLACE:
        _refuse_wide_text(existing)
    return _JOINERS[chosen](existing, new, at, path)


def strategy_named(name: Strategy | str) -> Strategy:
    """Return the strategy of that name."""
    try:
        return Strategy(name)
    except ValueError:
        raise InputError(
            "unknown-strategy",
            f"there is no merge strategy `{name}`",
            hint="use append, insert, extend or replace",
        ) from None


def line_count(existing: bytes) -> int:
    """Return how many lines a file has; a last line without an end counts."""
    return existing.count(LF) + (not existing.endswith(LF) and existing != b"")


def _replace(_existing: bytes, new: bytes, _at: int | None, _path: str) -> MergeResult:
    return MergeResult(content=new, strategy=Strategy.REPLACE)


def _append(existing: bytes, new: bytes, _at: int | None, _path: str) -> MergeResult:
    # The formula is the contract: a file that ends with a line end gets an empty line between.
    body, warnings = _fitted(existing, new)
    content = existing + end_of(existing) + body
    return MergeResult(content=content, warnings=warnings, strategy=Strategy.APPEND)


def _insert(existing: bytes, new: bytes, at: int | None, _path: str) -> MergeResult:
    point = _insertion_point(existing, at)
    body, warnings = _fitted(existing, new)
    mark = BOM if existing.startswith(BOM) else b""
    lines = split(existing[len(mark) :])
    above, below = b"".join(lines[:point]), b"".join(lines[point:])
    content = mark + _joined(_joined(above, body, end_of(existing)), below, end_of(existing))
    return MergeResult(content=content, warnings=warnings, strategy=Strategy.INSERT)


def _joined(above: bytes, below: bytes, end: bytes) -> bytes:
    """Return two pieces put together, with a line end where two lines would become one."""
    glued = above and below and not above.endswith(LF)
    return above + end + below if glued else above + below


def _insertion_point(existing: bytes, at: int | None) -> int:
    last = line_count(without_bom(existing))
    # True and False are integers to Python and a mistake to everybody else.
    if isinstance(at, int) and not isinstance(at, bool) and 0 <= at <= last:
        return at
    asked = "no line was given" if at is None else f"`{at}` is not a line from 0 to {last}"
    raise InputError(
        "bad-insertion-point",
        f"the new content cannot be inserted: {asked}",
        because="content is inserted after a line; 0 is the top, the last line is the end",
        hint=f"give a line from 0 to {last}",
    )


def _extend(existing: bytes, new: bytes, at: int | None, path: str) -> MergeResult:
    from penstock.core.merge.extend import extend

    try:
        extended = extend.extend(existing, new, path=path)
    except extend.CannotExtendError as problem:
        appended = _append(existing, new, at, path)
        warning = f"extend fell back to append: {problem}"
        return MergeResult(
            content=appended.content,
            warnings=(warning, *appended.warnings),
            strategy=Strategy.APPEND,
        )
    return MergeResult(
        content=extended.content, warnings=extended.warnings, strategy=Strategy.EXTEND
    )


_JOINERS: Mapping[Strategy, Callable[[bytes, bytes, int | None, str], MergeResult]] = {
    Strategy.APPEND: _append,
    Strategy.INSERT: _insert,
    Strategy.EXTEND: _extend,
    Strategy.REPLACE: _replace,
}


def _fitted(existing: bytes, new: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Return new content in the existing file's line ends, and what was changed for that."""
    body = without_bom(new)
    fitted = in_style_of(existing, body)
    warnings = []
    if body != new:
        warnings.append("the byte order mark of the new content was removed")
    if fitted != body and end_of(existing) == LF:
        warnings.append("the line endings of the new content were changed from CRLF to LF")
    return fitted, tuple(warnings)


def _refuse_wide_text(existing: bytes) -> None:
    if existing.startswith(WIDE_BOMS):
        raise InputError(
            "unsupported-encoding",
            "the existing file is UTF-16 or UTF-32 and can't be merged with UTF-8 content",
            hint="replace the whole file, or convert it to UTF-8 first",
        )


def select_hunks(before: bytes, after: bytes, chosen: Collection[int]) -> bytes:
    """Return `before` with only the chosen hunks of `after` taken over.

    A hunk's number is its place in `diff.hunks(before, after)`, counted from 1: one run of
    changed lines. An `@@` group of a unified diff may hold several of them.
    """
    from penstock.core.diff.hunks import hunks  # only for those who choose hunks

    known, picked = hunks(before, after), set(chosen)
    _refuse_unknown_hunks(picked, len(known))
    old, new = split(before), split(after)
    pieces: list[bytes] = []
    done = 0
    for number, hunk in enumerate(known, 1):
        pieces += old[done : hunk.before_start]
        taken = number in picked
        pieces += (
            new[hunk.after_start : hunk.after_end]
            if taken
            else old[hunk.before_start : hunk.before_end]
        )
        done = hunk.before_end
    return b"".join([*pieces, *old[done:]])


def _refuse_unknown_hunks(chosen: Collection[int], count: int) -> None:
    for number in chosen:
        if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= count:
            raise InputError(
                "unknown-hunk",
                f"there is no hunk `{number}`",
                because=f"this change has {counted(count, 'hunk')}, numbered from 1",
            )
