"""The agents' sandbox on disk: `agent_sandbox/YYYY-MM-DD/CONTEXT/` in the project.

Makes the directories, keeps them out of git, and removes those of past days. Which names are
good ones is the command's business; that agents may write there is the rules'.
Always true: no link is followed on the way, nothing is removed but directories named by a
date, and a line that git knows already is not added again.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime

from msgspec import Struct

from penstock.core.errors import StoreError
from penstock.stores.files.beneath import Beneath

NAME = "agent_sandbox"
LINE = b"agent_sandbox/"
KNOWN = {b"agent_sandbox", LINE, b"agent_sandbox/*", b"agent_sandbox/**"}


def today() -> date:
    """Return the day it is, in UTC as everywhere on the record."""
    return datetime.fromtimestamp(time.time(), UTC).date()


class Sandbox(Struct, frozen=True, kw_only=True):
    """The sandbox of one project."""

    root: str

    def make(self, day: date, context: str) -> tuple[str, bool]:
        """Return a context's directory, relative to the project, and whether it was made."""
        parts = (NAME, day.isoformat(), context)
        try:
            folder = self._beneath.folder(parts, make=True)
        except OSError as fault:
            raise _in_the_way("/".join(parts), fault) from None
        folder.close()
        return "/".join(parts) + "/", bool(folder.made)

    def ignore(self) -> bool:
        """Keep the sandbox out of a repository; say whether a line had to be added."""
        if not os.path.lexists(os.path.join(self.root, ".git")):
            return False
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(os.path.join(self.root, ".gitignore"), flags, 0o644), "rb+") as file:
            text = file.read()
            if any(line.rstrip().removeprefix(b"/") in KNOWN for line in text.splitlines()):
                return False
            end = b"\r\n" if b"\r\n" in text else b"\n"
            before = b"" if not text or text.endswith(b"\n") else end
            file.write(before + LINE + end)
        return True

    def older(self, *, than: int, now: date) -> list[str]:
        """Return the days in the sandbox that are more than so many days ago, oldest first."""
        with self._days() as folder:
            names = [] if folder is None else os.listdir(folder)
        return sorted(name for name in names if _age(name, now) > than)

    def remove(self, day: str) -> None:
        """Remove a day with all that is in it; what its links lead to stays."""
        with self._days() as folder:
            if folder is not None:
                shutil.rmtree(day, dir_fd=folder)

    @contextmanager
    def _days(self) -> Iterator[int | None]:
        """Open the sandbox's own directory; None when there is none."""
        try:
            folder = self._beneath.open((NAME,))
        except FileNotFoundError:
            yield None
            return
        except OSError as fault:
            raise _in_the_way(NAME, fault) from None
        try:
            yield folder
        finally:
            os.close(folder)

    @property
    def _beneath(self) -> Beneath:
        return Beneath(root=self.root, by_openat2=False)


def _age(name: str, now: date) -> int:
    """Return how many days ago a day was; -1 for a name that is no date as we write it."""
    try:
        day = date.fromisoformat(name)
    except ValueError:
        return -1
    return (now - day).days if day.isoformat() == name else -1


def _in_the_way(path: str, fault: OSError) -> StoreError:
    because = (fault.strerror or str(fault)).lower()
    return StoreError(
        "sandbox-in-the-way",
        f"`{path}` cannot be used as a sandbox",
        because=because,
        hint="the sandbox must be a directory, not a link; move it away",
    )
