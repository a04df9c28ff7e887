"""The files that commits change, read from git's raw output.

Always true: renames are a removal and a new file, so that each name is judged; of a merge only
what differs from all of its parents is its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

ABSENT = "000000"
GITLINK = "160000"


class FileVersion(Struct, frozen=True, kw_only=True):
    """A file as a tree has it: git's mode, and the id of its content."""

    mode: str
    blob: str


class FileDelta(Struct, frozen=True, kw_only=True):
    """One file before and after; None where it is not there. `commit` is who changes it."""

    path: bytes
    before: FileVersion | None
    after: FileVersion | None
    commit: str = ""


class DeltaContent(Struct, frozen=True, kw_only=True):
    """A file with its content before and after.

    None where there is no file, none of its own (a submodule), or it is `too_large` to measure.
    """

    delta: FileDelta
    before: bytes | None = None
    after: bytes | None = None
    too_large: bool = False


def parse_deltas(output: bytes) -> Iterator[FileDelta]:
    """Read what `git diff-tree -r -z --raw --no-abbrev` prints, also of several commits.

    Raises ValueError for anything else.
    """
    tokens = iter(output.split(b"\0")[:-1])
    commit = ""
    for token in tokens:
        if not token.startswith(b":"):
            commit = token.decode("ascii")
            continue
        yield _delta(token.decode("ascii"), next(tokens, b""), commit)


def _delta(head: str, path: bytes, commit: str) -> FileDelta:
    """Read one line; of a merge the first parent is what was before."""
    fields = head.lstrip(":").split(" ")
    parents = len(head) - len(head.lstrip(":"))
    if not path or len(fields) != 2 * parents + 3:
        raise ValueError("the output of git is not understood")
    modes, blobs = fields[: parents + 1], fields[parents + 1 :]
    return FileDelta(
        path=path,
        before=_version(modes[0], blobs[0]),
        after=_version(modes[parents], blobs[parents]),
        commit=commit,
    )


def _version(mode: str, blob: str) -> FileVersion | None:
    return None if mode == ABSENT else FileVersion(mode=mode, blob=blob)
