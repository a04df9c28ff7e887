"""What a name stands for and what it should become: content and mode, the same for every step.

Most changes are the bytes of a file, and then no mode is told at all. One that is more (a
program, a symbolic link, a directory) is told in full: in the proposal, in what a person is
shown, in the audit log and in the receipt, so that it can be approved and undone like any other.
Always true: a link is judged by where it leads, too. One that leads out of the project is never
allowed without a person.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from posixpath import dirname, join, normpath

from msgspec import Struct
from msgspec.structs import replace

from penstock.core.errors import InputError
from penstock.core.extent import Extent
from penstock.core.file_mode import FileMode
from penstock.core.model import (
    STRICTNESS,
    Action,
    ChangeKind,
    Decision,
    Request,
    Target,
    Verdict,
)
from penstock.core.paths.relpath import RelPath
from penstock.core.text.display import visible
from penstock.gate.parts import Item, Parts
from penstock.ports import FileKind, Files

ACTIONS = {
    ChangeKind.NEW: Action.CREATE,
    ChangeKind.MODIFY: Action.WRITE,
    ChangeKind.REPLACE: Action.WRITE,
    ChangeKind.DELETE: Action.DELETE,
}

Modes = tuple[FileMode | None, FileMode | None]


class Node(Struct, frozen=True, kw_only=True):
    """A file, link or directory; without content there is nothing."""

    content: bytes | None = None
    mode: FileMode | None = None


ABSENT = Node()


def node_at(files: Files, path: RelPath) -> Node:
    """Return what a name stands for now."""
    state = files.node(path)
    if state is None:
        return ABSENT
    if state.kind is FileKind.SYMLINK:
        return Node(content=files.link(path), mode=FileMode.LINK)
    content = b"" if state.kind is FileKind.DIRECTORY else files.read(path)
    return Node(content=content, mode=state.file_mode)


def before(item: Item, files: Files, path: RelPath) -> Node:
    """Return what an item would change. A file's bytes are never written over a link."""
    if item.mode is None and item.link is None and item.content is not None:
        state = files.state(path)  # raises for whatever is no plain file
        return Node(content=files.read(path), mode=state.file_mode) if state else ABSENT
    return node_at(files, path)


def after(item: Item, now: Node) -> Node:
    """Return what an item asks for. Raises InputError `bad-mode` where that makes no sense."""
    mode = FileMode.LINK if item.link is not None and item.mode is None else _mode(item)
    if item.link is not None:
        if mode is not FileMode.LINK or item.content is not None:
            raise _nonsense(item, "a link has a path, and no content of its own")
        return after(replace(item, content=_bytes(item.link), mode=mode, link=None), now)
    if mode is FileMode.DIRECTORY:
        if item.content:
            raise _nonsense(item, "a directory has no content")
        return Node(content=b"", mode=mode)
    if mode is FileMode.LINK and (not item.content or b"\0" in item.content):
        raise _nonsense(item, "a link needs a path to lead to")
    if mode is not None and item.content is None:
        if now.content is None or now.mode is None or not now.mode.plain:
            raise _nonsense(item, "there is no file whose mode could change")
        return Node(content=now.content, mode=mode)
    return Node(content=item.content, mode=mode)


def told_modes(now: Node, then: Node) -> Modes:
    """Return the modes of a change that is more than bytes of a file; else neither."""
    mode = then.mode or (None if then.content is None else FileMode.FILE)
    known = {now.mode, mode} - {None}
    if any(not one.plain for one in known if one):
        return now.mode, mode
    if then.content is None and now.mode is FileMode.EXECUTABLE:
        return now.mode, None  # an undo makes it a program again
    if then.mode is None or then.mode is (now.mode or FileMode.FILE):
        return None, None
    return now.mode, then.mode


def with_target(
    decision: Decision, parts: Parts, path: str, then: Node, request: Request
) -> Decision:
    """Return the decision on a change, made stricter by where a new link leads."""
    if then.mode is not FileMode.LINK or then.content is None or parts.settled is not None:
        return decision
    target = normpath(join(dirname(parts.whole(path)), os.fsdecode(then.content)))
    return with_destination(decision, parts.locate(target), target, request, parts.judge)


def with_destination(
    decision: Decision,
    located: Target,
    target: str,
    request: Request,
    judge: Callable[[str, Request], Decision],
) -> Decision:
    """Return the decision on a link, made stricter by what the rules say to where it leads."""
    extent = Extent(outside=located.outside, beyond=located.outside)
    there = judge(target, replace(request, action=Action.WRITE, change=None, extent=extent))
    if located.outside and there.verdict is Verdict.ALLOW:
        there = replace(
            there,
            verdict=Verdict.ASK,
            code="link-outside",
            because=f"the link leads out of the project, to {visible(target, keep_newlines=False)}",
            suggestion="link to a file of the project, or copy what is needed",
        )
    return there if STRICTNESS[there.verdict] > STRICTNESS[decision.verdict] else decision


def _mode(item: Item) -> FileMode | None:
    if item.mode is None:
        return None
    try:
        return FileMode(item.mode)
    except ValueError:
        known = ", ".join(FileMode)
        raise _nonsense(item, f"`{item.mode}` is no mode; there are {known}") from None


def _bytes(link: str | bytes) -> bytes:
    return link if isinstance(link, bytes) else os.fsencode(link)


def _nonsense(item: Item, because: str) -> InputError:
    return InputError(
        "bad-mode",
        f"`{item.path}` cannot be changed like this",
        because=because,
        hint="give `content` for a file, `link` for a symbolic link, or `mode` alone for `chmod`",
    )
