"""One name in the layer of an isolated run, beside what the real directory has under that name.

Always true: an entry that is `held` was not read, and says why.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class EntryKind(StrEnum):
    """What a name stands for."""

    FILE = "file"
    LINK = "link"
    DIRECTORY = "directory"
    DELETED = "deleted"
    SPECIAL = "special"  # a pipe, a socket or a device: it never leaves the layer


@dataclass(frozen=True, kw_only=True, slots=True)
class LayerNode:
    """What is known of a name on one side. `at` is a moment in nanoseconds.

    In the layer it is when the inode was made, in the real directory when it was last changed.
    """

    kind: EntryKind
    executable: bool = False
    digest: str = ""
    link: bytes = b""
    size: int = 0
    at: int | None = None

    def same(self, other: LayerNode) -> bool:
        """Say whether two sides hold the same."""
        return (
            self.kind is other.kind
            and self.digest == other.digest
            and self.link == other.link
            and (self.kind is not EntryKind.FILE or self.executable == other.executable)
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class LayerEntry:
    """One name: as the command left it, and as it is in the real directory."""

    path: str
    node: LayerNode
    real: LayerNode | None = None
    held: str = ""

    @property
    def out_of_date(self) -> bool:
        """True when the real file was changed after the command's own copy was made."""
        made = self.node.at
        changed = self.real.at if self.real else None
        return made is not None and changed is not None and changed > made
