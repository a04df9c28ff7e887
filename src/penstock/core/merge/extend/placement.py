"""Find the place of every addition in the existing text, and splice.

Imports go below the imports, what a joined class needs goes above that class, the rest to the
end of its block, before a `__main__` block. Which members join is decided by `plan`.
Always true: text is only put between existing lines; the one thing ever taken out is the blank
between a header and a body on the same line (`class A: pass`), which becomes a line end.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from penstock.core.merge.extend.bindings import (
    Import,
    bound,
    bound_here,
    is_docstring,
    is_future,
    is_import_block,
    is_main_guard,
    needs,
)
from penstock.core.merge.extend.plan import Addition, Joint, is_empty
from penstock.core.merge.extend.source import (
    BLANKS,
    CannotExtendError,
    Definition,
    Module,
    body_indentation,
    extent,
    indentation,
    is_blank,
    is_comment,
    last_line,
)
from penstock.core.text.line_endings import LF


class Edit(Struct, frozen=True, kw_only=True):
    """Text that goes before a line (0-based), or at a column of it in place of some blanks."""

    line: int
    text: bytes
    column: int = 0
    drop: int = 0


def spliced(old: Module, edits: Sequence[Edit], end: bytes) -> bytes:
    """Return the existing text with all edits in their places, line ends as `end`."""
    pieces: list[bytes] = []
    done = 0
    for edit in sorted(edits, key=lambda item: (item.line, item.column)):
        pieces += old.lines[done : edit.line]
        done = edit.line
        text = edit.text.replace(LF, end)
        if edit.column:
            line = old.lines[edit.line]
            pieces += [line[: edit.column - edit.drop], text, line[edit.column :]]
            done += 1
        else:
            glued = pieces and not pieces[-1].endswith(LF)
            pieces += [end, text] if glued else [text]
    return b"".join([*pieces, *old.lines[done:]])


def placed(old: Module, new: Module, root: Joint) -> list[Edit]:
    """Return where everything goes, the innermost blocks first."""
    return [
        *(edit for joint in root.inner for edit in _in_block(old, new, joint)),
        *_in_module(old, new, root),
    ]


def _in_block(old: Module, new: Module, joint: Joint) -> Iterator[Edit]:
    if is_empty(joint):
        return
    if body_indentation(old, joint.old) is None:
        yield _broken_line(old, joint)
    for inner in joint.inner:
        yield from _in_block(old, new, inner)
    if joint.added:
        at = _end_of_block(old, joint)
        above = joint.old.body[-1]
        gaps = _Gaps(old=old, new=new, room=1)
        yield Edit(line=at, text=gaps.text(joint.added, at, above, None))


def _broken_line(old: Module, joint: Joint) -> Edit:
    first = joint.old.body[0]
    before = old.lines[first.lineno - 1][: first.col_offset]
    blanks = len(before) - len(before.rstrip(BLANKS))
    text = LF + joint.shift.to_base
    return Edit(line=first.lineno - 1, column=first.col_offset, drop=blanks, text=text)


def _end_of_block(old: Module, joint: Joint) -> int:
    """Return the line after a block and the comments that still stand in it."""
    base = len(joint.shift.to_base)
    end = at = last_line(joint.old.body[-1])
    while at < len(old.lines) and (is_blank(old.lines[at]) or is_comment(old.lines[at])):
        at += 1
        if is_comment(old.lines[at - 1]):
            if len(indentation(old.lines[at - 1])) < base:
                break
            end = at
    return end


def _in_module(old: Module, new: Module, root: Joint) -> Iterator[Edit]:
    nodes = old.tree.body
    gaps = _Gaps(old=old, new=new, room=2)
    future, imports, rest = _sorted_out(root.added)
    for after, group in _by_place(nodes, future, imports):
        at = _line_below(old, after)
        yield Edit(line=at, text=gaps.text(group, at, *_around(nodes, after)))
    early, before = _needed_early(root, rest)
    if early:
        at = extent(old, nodes[before])[0] - 1
        yield Edit(line=at, text=gaps.text(early, at, *_around(nodes, before - 1)))
    taken = {id(item) for item in early}
    late = [item for item in rest if id(item) not in taken]
    if late:
        _refuse_deleted(nodes, late)
        guarded = is_main_guard(nodes[-1])
        at = extent(old, nodes[-1])[0] - 1 if guarded else len(old.lines)
        around = _around(nodes, len(nodes) - 1 - guarded)
        yield Edit(line=at, text=gaps.text(late, at, *around))


def _sorted_out(
    added: Sequence[Addition],
) -> tuple[list[Addition], list[Addition], list[Addition]]:
    """Return future imports, other imports, and the rest with a `__main__` block last."""
    future: list[Addition] = []
    plain: list[Addition] = []
    blocks: list[Addition] = []
    rest: list[Addition] = []
    for item in added:
        if is_future(item.node):
            future.append(item)
        elif isinstance(item.node, Import):
            plain.append(item)
        else:
            (blocks if is_import_block(item.node) else rest).append(item)
    return future, plain + blocks, sorted(rest, key=lambda item: is_main_guard(item.node))


def _by_place(
    nodes: list[ast.stmt], future: list[Addition], imports: list[Addition]
) -> Iterator[tuple[int, list[Addition]]]:
    """Yield the statements below which imports go, and the imports."""
    top, usual = _last(nodes, is_future), _last_import(nodes)
    if top == usual and future and imports:
        yield usual, future + imports
        return
    if future:
        yield top, future
    if imports:
        yield usual, imports


def _around(nodes: list[ast.stmt], after: int) -> tuple[ast.stmt | None, ast.stmt | None]:
    above = nodes[after] if after >= 0 else None
    return above, nodes[after + 1] if after + 1 < len(nodes) else None


def _last(nodes: list[ast.stmt], wanted: Callable[[ast.stmt], bool]) -> int:
    """Return the index of the last statement of a kind, else of the docstring, else -1."""
    found = [at for at, node in enumerate(nodes) if wanted(node)]
    return found[-1] if found else is_docstring(nodes[0]) - 1


def _last_import(nodes: list[ast.stmt]) -> int:
    """Imports far below, after the definitions, are there for a reason and attract nothing."""
    defined = [at for at, node in enumerate(nodes) if isinstance(node, Definition)]
    above = nodes[: defined[0]] if defined else nodes
    return _last(above or nodes[:1], lambda node: isinstance(node, Import))


def _line_below(old: Module, after: int) -> int:
    """Return the line below a statement and those that share its last line."""
    nodes = old.tree.body
    if after < 0:
        return extent(old, nodes[0])[0] - 1
    while after + 1 < len(nodes) and nodes[after + 1].lineno == last_line(nodes[after]):
        after += 1
    return last_line(nodes[after])


def _needed_early(root: Joint, rest: Sequence[Addition]) -> tuple[list[Addition], int]:
    """Return the additions that must stand above a class that members join, and which.

    A decorator, a default or a base class is looked up when the class runs, so a new helper
    of that name cannot wait at the end of the module.
    """
    annotations = not _postponed(root)
    offered = bound(item.node for item in rest)
    places = {id(node): at for at, node in enumerate(root.old.body)}
    wanted: set[str] = set()
    first = len(root.old.body)
    for joint in root.inner:
        asked = {
            name for item in _all_added(joint) for name in needs(item.node, annotations=annotations)
        }
        if asked & offered:
            wanted |= asked
            first = min(first, places[id(joint.old)])
    early: list[Addition] = []
    for item in reversed(rest):  # a helper can only need what its author put above it
        if wanted & bound([item.node]):
            early.append(item)
            wanted |= needs(item.node, annotations=annotations)
    _refuse_too_late(root, early, first, annotations)
    return early[::-1], first


def _postponed(root: Joint) -> bool:
    """Return whether annotations are not looked up at all when the module runs."""
    nodes = [*root.old.body, *(item.node for item in root.added)]
    return any(is_future(node) and "annotations" in bound_here(node) for node in nodes)


def _refuse_too_late(root: Joint, early: Sequence[Addition], first: int, annotations: bool) -> None:
    if not early:
        return
    nodes = root.old.body
    late = bound(nodes[first:]) - bound(nodes[:first])
    for item in early:
        for name in sorted(needs(item.node, annotations=annotations) & late):
            raise CannotExtendError(f"`{name}` would be needed above the place where it is defined")


def _refuse_deleted(nodes: list[ast.stmt], late: Sequence[Addition]) -> None:
    """A module that cleans up after itself (`del helper`) leaves nothing for what comes below."""
    deleted = {name for node in nodes if isinstance(node, ast.Delete) for name in needs(node)}
    gone = deleted - bound(item.node for item in late)
    for item in late if gone else ():
        for name in sorted(needs(item.node) & gone):
            raise CannotExtendError(f"`{name}` is deleted above the place where it would be needed")


def _all_added(joint: Joint) -> Iterator[Addition]:
    yield from joint.added
    for inner in joint.inner:
        yield from _all_added(inner)


class _Gaps(Struct, frozen=True, kw_only=True):
    """How many blank lines stand between statements: `room` around definitions."""

    old: Module
    new: Module
    room: int

    def text(
        self,
        items: Sequence[Addition],
        at: int,
        above: ast.stmt | None,
        below: ast.stmt | None,
    ) -> bytes:
        """Return additions as one text for a place, with the blank lines it lacks around."""
        parts = [LF * self._lack(above, items[0].node, range(at - 1, -1, -1))]
        for previous, item in zip([None, *items], items, strict=False):
            if previous is not None:
                parts.append(LF * self._between(previous.node, item.node))
            parts.append(item.text)
        settled = isinstance(above, Import) and isinstance(items[-1].node, Import)
        if below is not None and not settled:
            parts.append(LF * self._lack(items[-1].node, below, range(at, len(self.old.lines))))
        return b"".join(parts)

    def _lack(self, one: ast.stmt | None, other: ast.stmt, lines: range) -> int:
        """Return how many blank lines are missing towards the nearest existing text."""
        for there, number in enumerate(lines):
            if not is_blank(self.old.lines[number]):
                return max(0, self._wanted(one, other) - there)
        return 0

    def _between(self, one: ast.stmt, other: ast.stmt) -> int:
        """Neighbours keep the distance that their author gave them."""
        below, above = extent(self.new, one)[1], extent(self.new, other)[0]
        if below < above and all(map(is_blank, self.new.lines[below : above - 1])):
            return above - 1 - below
        return self._wanted(one, other)

    def _wanted(self, one: ast.stmt | None, other: ast.stmt) -> int:
        if isinstance(one, Definition) or isinstance(other, Definition):
            return self.room
        if isinstance(one, Import) and isinstance(other, Import):
            return 0
        both = one is not None and bound_here(one) and bound_here(other)
        return 0 if both and self.room == 1 else 1
