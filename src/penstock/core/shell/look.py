"""What a walk may ask about the disk while it follows a command.

The walk itself opens nothing: whoever has a disk hands a `Look` in, and `NO_LOOK` stands for
nobody. A path is relative to a `base`; `~` at its beginning is the home directory.
Always true: same text and same answers of the look, same result; None means "too much, or not
to be known", and whatever the answer would have settled is then as unclear as without a look.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from penstock.core.shell.place import joined


class Look(Protocol):
    """Bounded answers about files, from one moment."""

    def names(self, pattern: str, base: str) -> Sequence[str] | None:
        """Return what a shell makes of a pattern, sorted; nothing where nothing matches."""

    def below(self, folder: str, base: str) -> Sequence[str] | None:
        """Return everything below a directory, relative to it; a directory ends in a slash."""

    def kind(self, path: str, base: str) -> str | None:
        """Return "file", "directory", "link", "other", or "" where there is nothing."""

    def text(self, path: str, base: str) -> str | None:
        """Return the content of a small file; what is no text in it is kept as surrogates."""

    def ends(self, path: str, base: str) -> str | None:
        """Return the beginning and the end of a large file."""

    def data(self, path: str, base: str) -> bytes | None:
        """Return the content of a file that may be an archive."""

    def git(self, question: str, names: Sequence[str], base: str) -> str | None:
        """Return what the repository of a directory answers.

        Questions are "commit" (the id that a name means), "base" (of two names), "branch" (that
        is checked out), "describe" (with git's own words) and "top" (of the work tree).
        """


class _NoLook:
    """Sees nothing."""

    def names(self, pattern: str, base: str) -> None:
        """Return nothing known."""

    def below(self, folder: str, base: str) -> None:
        """Return nothing known."""

    def kind(self, path: str, base: str) -> None:
        """Return nothing known."""

    def text(self, path: str, base: str) -> None:
        """Return nothing known."""

    def ends(self, path: str, base: str) -> None:
        """Return nothing known."""

    def data(self, path: str, base: str) -> None:
        """Return nothing known."""

    def git(self, question: str, names: Sequence[str], base: str) -> None:
        """Return nothing known."""


NO_LOOK: Look = _NoLook()


class LookAfter:
    """A look at the disk as it is once a command has written some texts, and other files."""

    def __init__(
        self, look: Look, written: Mapping[str, str], changed: Container[str] = ()
    ) -> None:
        self._look = look
        self._written = written
        self._changed = changed

    def names(self, pattern: str, base: str) -> Sequence[str] | None:
        """Return what a shell makes of a pattern; files that are written are not among it."""
        return self._look.names(pattern, base)

    def below(self, folder: str, base: str) -> Sequence[str] | None:
        """Return everything below a directory; files that are written are not among it."""
        return self._look.below(folder, base)

    def kind(self, path: str, base: str) -> str | None:
        """Return what a path is."""
        return "file" if joined(base, path) in self._written else self._look.kind(path, base)

    def text(self, path: str, base: str) -> str | None:
        """Return what a file holds."""
        written = self._written.get(joined(base, path))
        return self._look.text(path, base) if written is None else written

    def ends(self, path: str, base: str) -> str | None:
        """Return the beginning and the end of a large file; what is written is none."""
        return self._look.ends(path, base)

    def data(self, path: str, base: str) -> bytes | None:
        """Return the content of an archive; one that was changed is not known."""
        return None if joined(base, path) in self._changed else self._look.data(path, base)

    def git(self, question: str, names: Sequence[str], base: str) -> str | None:
        """Return what the repository of a directory answers."""
        return self._look.git(question, names, base)


def _free(names: int) -> bool:  # noqa: ARG001 - nothing is seen, so nothing is too much
    return True


class LookHere(Struct, frozen=True):
    """A look from where a shell stands; `sure` is false where nobody knows where that is.

    `grant` makes room for the work on some files, and says no where these are too many; `start`
    is where the whole command begins.
    """

    look: Look = NO_LOOK
    cwd: str = ""
    sure: bool = True
    grant: Callable[[int], bool] = _free
    start: str = ""

    def is_below_start(self, path: str) -> bool:
        """True for a directory below the one that the whole command begins in."""
        return (
            bool(self.start) and self.sure and joined(self.cwd, path).startswith(f"{self.start}/")
        )

    @property
    def sees(self) -> bool:
        """True when something can be seen."""
        return self.look is not NO_LOOK

    def names(self, pattern: str) -> Sequence[str] | None:
        """Return what a shell makes of a pattern."""
        return self.look.names(pattern, self.cwd) if self._known(pattern) else None

    def below(self, folder: str) -> Sequence[str] | None:
        """Return everything below a directory, relative to it; a directory ends in a slash."""
        return self.look.below(folder, self.cwd) if self._known(folder) else None

    def kind(self, path: str) -> str | None:
        """Return what a path is, "" where there is nothing, None where that is not known."""
        return self.look.kind(path, self.cwd) if self._known(path) else None

    def text(self, path: str) -> str | None:
        """Return the content of a small file."""
        return self.look.text(path, self.cwd) if self._known(path) else None

    def ends(self, path: str) -> str | None:
        """Return the beginning and the end of a large file."""
        return self.look.ends(path, self.cwd) if self._known(path) else None

    def data(self, path: str) -> bytes | None:
        """Return the content of a file that may be an archive."""
        return self.look.data(path, self.cwd) if self._known(path) else None

    def git(self, question: str, *names: str) -> str | None:
        """Return what the repository here answers."""
        return self.look.git(question, names, self.cwd) if self._known(".") else None

    def _known(self, path: str) -> bool:
        return self.look is not NO_LOOK and (self.sure or path.startswith(("/", "~")))


NOWHERE = LookHere()
