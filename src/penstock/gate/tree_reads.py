"""Which files a command meets that reads a whole directory.

Nearest first, because what a rule protects lies rarely deep; what package managers and git keep
for themselves is passed over. Whether a file matters is the rules' question.
Always true: at most `most` names come back, links are not followed, and nothing is read but
directories.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from penstock.core.errors import InputError
from penstock.core.paths.relpath import RelPath, parse
from penstock.ports import FileKind, Files

_PASSED_OVER = frozenset({".git", "node_modules", ".venv", "venv", "__pycache__", "target"})


def names_below(files: Files, spelling: str, *, whole: bool, most: int) -> Iterator[RelPath]:
    """Yield the files below a directory; the workspace itself counts only with `whole`."""
    waiting: deque[RelPath | None] = deque()
    try:
        waiting.append(parse(spelling, root=files.root, absolute_allowed=False))
    except InputError:  # outside, a link on the way, or the workspace itself
        if whole and spelling in ("", "."):
            waiting.append(None)
    while waiting and most > 0:
        folder = waiting.popleft()
        for name, kind in _entries(files, folder):
            path = RelPath(text=f"{folder}/{name}" if folder else name)
            if kind is FileKind.DIRECTORY and name not in _PASSED_OVER:
                waiting.append(path)
            elif kind is FileKind.FILE:
                most -= 1
                yield path
            if most <= 0:
                return


def _entries(files: Files, folder: RelPath | None) -> Iterator[tuple[str, FileKind | None]]:
    try:
        if folder is None or files.kind(folder) is FileKind.DIRECTORY:
            yield from ((one.name, one.kind) for one in files.entries(folder))
    except InputError:  # it went away, or a link took its place
        return
