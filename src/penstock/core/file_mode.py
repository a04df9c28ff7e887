"""What a name in a directory stands for, in git's words: file, program, link or directory.

A change has a mode where it is more than new bytes in a file: `chmod +x`, a symbolic link, an
empty directory. The content of a link is the path that it holds; a directory has none.
Reading modes from a disk and setting them there is the writer's work.
Always true: only the executable bit of a file's permissions is a change; all others stay as
they are on the disk, because no project shares them.
"""

from __future__ import annotations

from enum import StrEnum

EXECUTE = 0o111
READ = 0o444


class FileMode(StrEnum):
    """The four modes that git knows and a change can have."""

    FILE = "100644"
    EXECUTABLE = "100755"
    LINK = "120000"
    DIRECTORY = "040000"

    @property
    def plain(self) -> bool:
        """True for a regular file, executable or not."""
        return self in PLAIN


PLAIN = frozenset({FileMode.FILE, FileMode.EXECUTABLE})

WORDS = {
    FileMode.FILE: "a regular file",
    FileMode.EXECUTABLE: "an executable file",
    FileMode.LINK: "a symbolic link",
    FileMode.DIRECTORY: "a directory",
}


def of_permissions(permissions: int) -> FileMode:
    """Return the mode of a regular file: its owner may run it, or not."""
    return FileMode.EXECUTABLE if permissions & 0o100 else FileMode.FILE


def permissions(now: int, mode: FileMode) -> int:
    """Return a file's permissions with the executable bit as a mode says.

    Whoever may read a program may run it, as `chmod +x` and git do it.
    """
    plain = now & ~EXECUTE
    return plain | (plain & READ) >> 2 if mode is FileMode.EXECUTABLE else plain
