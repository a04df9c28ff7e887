"""One name in the layer of an isolated run, beside what the real directory has under that name.

Always true: an entry that is `held` was not read, and says why.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

BUSY = "it is being written"  # the next sync looks at it again


class EntryKind(StrEnum):
    """What a name stands for."""

    FILE = "file"
    LINK = "link"
    DIRECTORY = "directory"
    DELETED = "deleted"
    SPECIAL = "special"  # a pipe, a socket or a device: it never leaves the layer


class LayerNode(Struct, frozen=True, kw_only=True):
    """What is known of a name on one side. `at` is a moment in nanoseconds.

    In the layer it is when the inode was made, in the real directory when it was last changed; of
    a real directory, too, when it was made.
    """

    kind: EntryKind
    executable: bool = False
    digest: str = ""
    link: bytes = b""
    size: int = 0
    at: int | None = None
    copied: bool = False  # the overlay made it from a real file, by the overlay's own mark

    def same(self, other: LayerNode) -> bool:
        """Say whether two sides hold the same."""
        return (
            self.kind is other.kind
            and self.digest == other.digest
            and self.link == other.link
            and (self.kind is not EntryKind.FILE or self.executable == other.executable)
        )


class LayerEntry(Struct, frozen=True, kw_only=True):
    """One name: as the command left it, and as it is in the real directory.

    `hidden` is a real name in a directory that the command made anew: it has no entry of its own.
    `overtaken` is what is known of the user's changes from elsewhere than the times. `above` is
    when a name was last made or removed in the real directory that would hold a copy's, or in
    the nearest one that is there.
    """

    path: str
    node: LayerNode
    real: LayerNode | None = None
    held: str = ""
    hidden: bool = False
    overtaken: bool | None = None
    above: int | None = None

    @property
    def removes(self) -> bool:
        """True when what the real directory has under this name goes, whatever comes then."""
        if self.node.kind is EntryKind.DELETED:
            return True
        kinds = {self.node.kind, self.real.kind} if self.real else set()
        return len(kinds) > 1 and EntryKind.DIRECTORY in kinds

    @property
    def out_of_date(self) -> bool:
        """True when the real file was changed after the command's own copy was made."""
        if self.overtaken is not None:
            return self.overtaken
        if self.real is None:
            return self.node.copied
        made = self.node.at
        changed = self.real.at
        return made is not None and changed is not None and changed > made
