"""Keep the comparisons that were made lately, so that the next page of one is there at once.

Always true: what is kept is found by its digests, so it can never be out of date; how much is
kept is bounded in number and in bytes.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

from penstock.doors.colours.child import Colours, Spans
from penstock.doors.web.diff.comparison import Comparison
from penstock.doors.web.diff.markup import CLOSE, OPEN
from penstock.doors.web.diff.options import DiffOptions
from penstock.doors.web.diff.rows import Page, Pager

MOST = 16
LARGEST_KEPT = 8 * 1024 * 1024
WHOLE = 48 * 1024  # bytes up to which a side is coloured from its beginning

Key = tuple[str | None, str | None]


class Shelf:
    """Comparisons by their digests, and the child that colours."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Key, Comparison] = OrderedDict()
        self._lock = threading.Lock()
        self._warmed = False
        self.colours = Colours()

    def compared(self, key: Key, before: bytes | None, after: bytes | None) -> Comparison:
        """Return the comparison of two contents, made at most once while it is kept."""
        with self._lock:
            known = self._kept.pop(key, None) or Comparison(before, after)
            if len(before or b"") + len(after or b"") <= LARGEST_KEPT:
                self._kept[key] = known
            while len(self._kept) > MOST:
                self._kept.popitem(last=False)
        return known

    def warm(self) -> None:
        """Have the child that colours started, while a person still looks at something else."""
        if not self._warmed:
            self._warmed = True
            threading.Thread(target=self.colours.of, args=("a.py", "a"), daemon=True).start()

    def page(self, compared: Comparison, options: DiffOptions, *, path: str) -> Page:
        """Return one page of a diff with its colours."""
        shown = compared if options.white_space else compared.without_white_space
        pager, number = Pager(shown, options.view, options.opened), options.number
        old, new = pager.lines(number)
        return pager.page(
            number,
            path=path,
            old=self.coloured(compared, compared.old, old, path),
            new=self.coloured(compared, compared.new, new, path),
        )

    def coloured(
        self, compared: Comparison, lines: list[bytes], shown: list[int], path: str
    ) -> dict[int, Spans]:
        """Return the colours of some lines; of a small side all is read, for its context."""
        if not shown:
            return {}
        whole = sum(map(len, lines)) <= WHOLE
        places = range(len(lines)) if whole else shown
        text = "\n".join(_bare(compared.shown(lines[at])) for at in places)
        return dict(zip(places, self.colours.of(path, text), strict=False))


def _bare(text: str) -> str:
    """Return a visible text without its notes: what a colouring program should read."""
    if OPEN not in text:
        return text
    first, *rest = text.split(OPEN)
    return first + "".join(part.partition(CLOSE)[2] for part in rest)
