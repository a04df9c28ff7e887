"""The files of a set as a tree: directories with their files, in the order that people expect.

Every surface that lists the files of a set has this order: the page, the full screen, the terminal.
Always true: every path is in it exactly once; directories come before files; a directory that
holds nothing but another one is written together with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct, field


class TreeRow(Struct, frozen=True, kw_only=True):
    """One row: a directory, or the file of a path; `depth` is how many directories it is in."""

    name: str
    depth: int
    path: str = ""

    @property
    def is_file(self) -> bool:
        """True for a file."""
        return bool(self.path)


class _Directory(Struct):
    inside: dict[str, _Directory] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)


def file_tree(paths: Iterable[str]) -> tuple[TreeRow, ...]:
    """Return the rows of a tree."""
    root = _Directory()
    for path in dict.fromkeys(paths):
        *names, _ = path.split("/")
        at = root
        for name in names:
            at = at.inside.setdefault(name, _Directory())
        at.files.append(path)
    return tuple(_rows(root))


def in_tree_order(paths: Iterable[str]) -> tuple[str, ...]:
    """Return paths in the order in which their tree shows them."""
    return tuple(row.path for row in file_tree(paths) if row.is_file)


def _rows(root: _Directory) -> Iterator[TreeRow]:
    """Walk without recursion: a path may be deeper than Python's stack."""
    left: list[tuple[str, int, _Directory]] = [("", -1, root)]
    while left:
        name, depth, at = left.pop()
        if name:
            name, at = _joined(name, at)
            yield TreeRow(name=f"{name}/", depth=depth)
        deeper = [(each, depth + 1, at.inside[each]) for each in sorted(at.inside, reverse=True)]
        if not deeper:
            yield from _files(at, depth + 1)
            continue
        if at.files:  # after every directory in it
            deeper.insert(0, ("", depth, _Directory(files=at.files)))
        left += deeper


def _joined(name: str, at: _Directory) -> tuple[str, _Directory]:
    names = [name]
    while len(at.inside) == 1 and not at.files:
        ((inner, at),) = at.inside.items()
        names.append(inner)
    return "/".join(names), at


def _files(at: _Directory, depth: int) -> Iterator[TreeRow]:
    for path in sorted(at.files):
        yield TreeRow(name=path.rsplit("/", 1)[-1], depth=depth, path=path)
