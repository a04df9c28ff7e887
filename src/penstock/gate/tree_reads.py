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

MOST_FOLDERS = 2_000
_PASSED_OVER = frozenset({".git", "node_modules", ".venv", "venv", "__pycache__", "target"})


def names_below(files: Files, spelling: str, *, whole: bool, most: int) -> Iterator[RelPath]:
    """Yield the files below a directory; the workspace itself counts only with `whole`."""
    waiting: deque[RelPath | None] = deque()
    try:
        waiting.append(parse(spelling, root=files.root, absolute_allowed=False))
    except InputError:  # outside, a link on the way, or the workspace itself
        if whole and spelling in ("", "."):
            waiting.append(None)
    yield from _below(files, waiting, most)


def names_outside(files: Files, place: str, *, most: int) -> Iterator[str]:
    """Yield the files below a directory of the machine, as absolute paths."""
    start = place.strip("/")
    if start:
        found = _below(files.machine(), deque([RelPath(text=start)]), most)
        yield from (f"/{one.text}" for one in found)


def _below(files: Files, waiting: deque[RelPath | None], most: int) -> Iterator[RelPath]:
    folders = MOST_FOLDERS
    while waiting and most > 0 and folders > 0:
        folder = waiting.popleft()
        folders -= 1
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
