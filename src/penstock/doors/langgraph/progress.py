"""Say how far comparing a large file has come.

Which files are large is the core's to say: those of more than ten thousand lines.
Always true: small files show nothing; at a terminal one line is written over and over, elsewhere
there is one line when it begins and one when it ends.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from penstock.core.display import spoken

Tell = Callable[[int, int], None]


@contextmanager
def comparing(name: str) -> Iterator[Tell]:
    """Tell how far comparing one file has come while the block does it."""
    telling = _Telling(spoken(name))
    try:
        yield telling
    finally:
        telling.end()


class _Telling:
    """Called with what is done and what is to do; says nothing until the first call."""

    def __init__(self, name: str) -> None:
        self.name, self.percent = name, -1
        self.in_place = False
        with suppress(AttributeError, ValueError):  # a program may have closed it
            self.in_place = sys.stderr.isatty()

    def __call__(self, done: int, total: int) -> None:
        """Say how far it is, when that is news."""
        percent = min(100 * done // max(total, 1), 100)
        news = percent != self.percent if self.in_place else self.percent < 0
        self.percent = percent
        if news:
            self._say(f"comparing {self.name}, {percent} % of {total:,} bytes")

    def end(self) -> None:
        """Say that it is done, if anything was said."""
        if self.percent >= 0:
            self._say(f"comparing {self.name}, done" + ("\n" if self.in_place else ""))

    def _say(self, text: str) -> None:
        with suppress(AttributeError, OSError, ValueError):
            sys.stderr.write(f"\r\x1b[2K{text}" if self.in_place else f"{text}\n")
            sys.stderr.flush()
