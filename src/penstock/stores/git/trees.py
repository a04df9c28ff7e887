"""Git trees as plain tables: read from git's own form, changed at one path, written back.

Only the trees on the way to a changed file are read and written, so a commit costs the same in a
repository of ten files and of a hundred thousand.
Always true: every entry that was not asked about stays as it was, mode and all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct, field

Parts = tuple[bytes, ...]
TREE = b"40000"
FILE, PROGRAM = b"100644", b"100755"
KINDS = {b"40000": b"tree", b"040000": b"tree", b"160000": b"commit"}


class Leaf(Struct, frozen=True, kw_only=True):
    """What a tree says of one name."""

    mode: bytes
    oid: str


class Trees(Struct, kw_only=True):
    """The trees on the way to some files, by their path; () is the root."""

    tables: dict[Parts, dict[bytes, Leaf]] = field(default_factory=dict)

    def get(self, path: Parts) -> Leaf | None:
        """Return what is at a path."""
        return self.tables.get(path[:-1], {}).get(path[-1])

    def put(self, path: Parts, leaf: Leaf) -> None:
        """Say what is at a path from now on."""
        self.tables.setdefault(path[:-1], {})[path[-1]] = leaf

    def write(self, make: Callable[[bytes], str]) -> str:
        """Make every tree, the innermost first, and return the root's id."""
        oid = ""
        for path in sorted(self._all(), key=len, reverse=True):
            oid = make(listing(self.tables.get(path, {})))
            if path:
                self.put(path, Leaf(mode=TREE, oid=oid))
        return oid

    def _all(self) -> set[Parts]:
        return {path[:depth] for path in self.tables for depth in range(len(path) + 1)} or {()}


def listing(table: Mapping[bytes, Leaf]) -> bytes:
    """Return a tree in the form that `git mktree -z` takes."""
    return b"".join(
        b"%b %b %b\t%b\0" % (leaf.mode, KINDS.get(leaf.mode, b"blob"), leaf.oid.encode(), name)
        for name, leaf in table.items()
    )


def parsed(raw: bytes, *, width: int) -> dict[bytes, Leaf]:
    """Return the entries of a tree object; `width` is how many bytes an id has."""
    return dict(_entries(raw, width))


def _entries(raw: bytes, width: int) -> Iterator[tuple[bytes, Leaf]]:
    at = 0
    while at < len(raw):
        space = raw.index(b" ", at)
        end = raw.index(b"\0", space)
        oid = raw[end + 1 : end + 1 + width].hex()
        yield raw[space + 1 : end], Leaf(mode=raw[at:space], oid=oid)
        at = end + 1 + width


class GitObject(Struct, frozen=True, kw_only=True):
    """One object as `git cat-file --batch` gives it."""

    oid: str
    kind: str
    data: bytes


def batch(output: bytes, names: Sequence[bytes]) -> list[GitObject | None]:
    """Split the answers of `git cat-file --batch`, one for each name; None is a missing one."""
    found: list[GitObject | None] = []
    at = 0
    for name in names:
        end = output.index(b"\n", at)
        head = output[at:end]
        at = end + 1
        if head == name + b" missing" or head == name + b" ambiguous":
            found.append(None)
            continue
        oid, kind, size = head.split(b" ")
        stop = at + int(size)
        found.append(GitObject(oid=oid.decode(), kind=kind.decode(), data=output[at:stop]))
        at = stop + 1
    return found
