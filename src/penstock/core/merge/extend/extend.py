"""Extend a Python module by the members of another, by syntax tree and text splice.

New functions, classes, methods, imports and assignments join; comments, decorators, layout and
every existing member stay byte for byte. Name clashes are reported, and the existing member
stays. What cannot be joined safely raises, and `merge.strategies` appends instead.
Always true: what is returned was parsed again and proven to hold all of the existing module.
"""

from __future__ import annotations

from msgspec import Struct

from penstock.core.merge.extend.placement import placed, spliced
from penstock.core.merge.extend.plan import Planner, is_empty
from penstock.core.merge.extend.proof import prove
from penstock.core.merge.extend.source import CannotExtendError, Module, read
from penstock.core.text.line_endings import BOM, CRLF, LF, end_of

PYTHON_SUFFIXES = (".py", ".pyi", ".pyw")

__all__ = ["CannotExtendError", "Extension", "extend"]


class Extension(Struct, frozen=True, kw_only=True):
    """The extended module, and what a person should know about it."""

    content: bytes
    warnings: tuple[str, ...] = ()


def extend(existing: bytes, new: bytes, *, path: str = "") -> Extension:
    """Return an existing module with the members of a new one, or raise CannotExtendError."""
    if path and not path.lower().endswith(PYTHON_SUFFIXES):
        raise CannotExtendError(f"`{path}` is not a Python file")
    try:
        return _extended(existing, new)
    except (RecursionError, MemoryError):
        # Parsing has its own guard; comparing code that is nested to the limit needs one too.
        raise CannotExtendError("the code is nested too deeply") from None


def _extended(existing: bytes, new: bytes) -> Extension:
    old, fresh = read(existing, whose="the existing file"), read(new, whose="the new content")
    mark = BOM if existing.startswith(BOM) else b""
    end = end_of(existing)
    if not fresh.tree.body:
        return Extension(
            content=existing, warnings=("the new content has no functions or classes to add",)
        )
    if not old.tree.body:
        return _below_comments(existing, fresh, end)
    plan = Planner(old, fresh).plan()
    if is_empty(plan.root):
        return Extension(content=existing, warnings=plan.warnings)
    content = mark + spliced(old, placed(old, fresh, plan.root), end)
    prove(old, read(content, whose="the result"), plan.root)
    return Extension(content=content, warnings=plan.warnings)


def _below_comments(existing: bytes, fresh: Module, end: bytes) -> Extension:
    """Return a file without code and the whole new module below it."""
    text = b"".join(fresh.lines).replace(CRLF, LF).replace(LF, end)
    gap = end if existing and not existing.endswith(LF) else b""
    return Extension(content=existing + gap + text)
