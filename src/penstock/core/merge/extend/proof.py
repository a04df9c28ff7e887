"""Prove that an extended module holds all of the old one and all that was to join it.

The result is parsed afresh and walked beside the old tree. Nothing is repaired here: a module
that fails the proof is not used.
Always true: after `prove` every old statement is there byte for byte and in order, and beside
them stands exactly what was planned.
"""

from __future__ import annotations

import ast
from collections import Counter

from penstock.core.merge.extend.plan import Joint, is_empty
from penstock.core.merge.extend.source import (
    Block,
    CannotExtendError,
    Module,
    Nested,
    first_line,
    last_line,
    segment,
)


def prove(old: Module, result: Module, root: Joint) -> None:
    """Raise unless the result is the old module plus the planned additions."""
    if not _holds(old, result, result.tree, root):
        raise CannotExtendError(
            "the functions and classes could not be merged without changing others"
        )


def _holds(old: Module, result: Module, found: Block, joint: Joint) -> bool:
    """Walk one block: each statement is the next old one, a joined block, or an addition."""
    joined = {id(inner.old): inner for inner in joint.inner if not is_empty(inner)}
    due = Counter(ast.dump(item.node) for item in joint.added)
    waiting = joint.old.body[::-1]
    for node in found.body:
        if waiting and _is_next(old, result, waiting[-1], node, joined):
            waiting.pop()
            continue
        code = ast.dump(node)
        if not due[code]:
            return False
        due[code] -= 1
    return not waiting and not due.total()


def _is_next(
    old: Module, result: Module, known: ast.stmt, node: ast.stmt, joined: dict[int, Joint]
) -> bool:
    inner = joined.get(id(known))
    if type(node) is not type(known):
        return False
    if inner is None:
        # The number of lines is compared first: a long statement is cut out only when due.
        size = last_line(known) - first_line(known)
        same = last_line(node) - first_line(node) == size
        return same and segment(old, known) == segment(result, node)
    assert isinstance(node, Nested)
    return _header(old, inner.old) == _header(result, node) and _holds(old, result, node, inner)


def _header(module: Module, block: Block) -> bytes:
    """Return the text of a block above its first statement, without what surrounds it."""
    assert not isinstance(block, ast.Module)
    first = block.body[0]
    lines = module.lines[first_line(block) - 1 : first.lineno]
    lines[-1] = lines[-1][: first.col_offset] if first_line(first) == first.lineno else b""
    return b"".join(lines).rstrip()
