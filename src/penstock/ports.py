"""What the gate needs from outside, as narrow as it can be.

A port says what must hold, never how. `stores/` makes each real; `stores/memory.py` makes
each simple. One contract suite per port runs against both.
Always true: nothing here has an opinion about verdicts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from penstock.core.model import Source
from penstock.core.paths import RelPath


@dataclass(frozen=True, kw_only=True, slots=True)
class FileState:
    """A regular file as it was at one moment. `digest` is over its exact bytes."""

    digest: str
    size: int
    mode: int


class Files(Protocol):
    """The files of one workspace. Only `replace` and `remove` change anything."""

    @property
    def root(self) -> str:
        """The workspace's absolute, resolved directory."""

    @property
    def folds(self) -> bool:
        """True when this file system takes `A` and `a` for one name."""

    def resolve(self, path: str) -> str:
        """Return the absolute path that the kernel would reach, links followed.

        The deepest part that exists is resolved, the rest is kept; nothing need exist.
        """

    def state(self, path: RelPath) -> FileState | None:
        """Return what is there now, or None. Raises InputError for what is no plain file."""

    def read(self, path: RelPath) -> bytes:
        """Return the whole content. Raises InputError `not-found` or `not-a-file`."""

    def source(self, path: RelPath) -> Source:
        """Open the content for reading in pieces, for files too large to hold."""

    def replace(self, path: RelPath, new: bytes, *, expect: str | None) -> FileState:
        """Put `new` at `path` if it still holds `expect` (None: if nothing is there).

        Raises StaleError `base-changed` when it does not; the file is then untouched.
        """

    def remove(self, path: RelPath, *, expect: str) -> None:
        """Remove the file if it still holds `expect`. Raises StaleError otherwise."""
