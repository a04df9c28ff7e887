"""How a reader wants to see a diff: which page, which view, what is opened, what is hidden.

An address carries all of it, so every choice is a link and none needs a script.
Always true: options change what is on the screen and never what is approved; `to` keeps every
choice but the one that it changes.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from urllib.parse import urlencode

from msgspec import Struct
from msgspec.structs import replace

from penstock.core.diff.expansion import ALL, CLOSED, STEP, Expansion


class View(StrEnum):
    """How the two sides stand to each other; or the lines that go, and nothing else."""

    UNIFIED = "unified"
    SPLIT = "split"
    REMOVED = "removed"


HIDE = "hide"


class DiffOptions(Struct, frozen=True, kw_only=True):
    """What was asked for; `white_space` is false where lines that read the same are hidden."""

    view: View = View.UNIFIED
    number: int = 1
    opened: Expansion = CLOSED
    white_space: bool = True

    @property
    def prefix(self) -> str:
        """What the names of places on a page begin with; a page of several files has several."""
        return ""

    @property
    def plain(self) -> bool:
        """True where nothing was asked for but the view."""
        return (self.number, self.opened, self.white_space) == (1, CLOSED, True)

    def to(self, **changes: object) -> str:
        """Return the query of the same diff with something else chosen."""
        made = replace(self, **changes)
        said = {
            "view": _said_view(made.view, changes),
            "page": made.number if made.number > 1 else "",
            "space": "" if made.white_space else HIDE,
            "open": made.opened.text,
        }
        return "?" + urlencode({name: value for name, value in said.items() if value}, safe=":,")

    def down(self, gap: int) -> str:
        """Return the query that opens a gap further from its top."""
        return self.to(opened=self.opened.more(gap, down=STEP))

    def up(self, gap: int) -> str:
        """Return the query that opens a gap further from its end."""
        return self.to(opened=self.opened.more(gap, up=STEP))

    def whole(self, gap: int) -> str:
        """Return the query that opens a gap as far as it goes."""
        return self.to(opened=self.opened.more(gap, down=ALL))


class SetFileOptions(DiffOptions, frozen=True, kw_only=True):
    """How the file of number `at` is shown on the page of its set.

    `beside` is what the address says of the other files, and stays.
    """

    at: int = 1
    beside: str = ""

    @property
    def prefix(self) -> str:
        """What the names of this file's places on the page begin with."""
        return f"f{self.at}-"

    def to(self, **changes: object) -> str:
        """Return the query of the same page with something else chosen for this file."""
        made = replace(self, **changes)
        said = {
            "view": _said_view(made.view, changes),
            f"p{self.at}": made.number if made.number > 1 else "",
            f"s{self.at}": "" if made.white_space else HIDE,
            f"o{self.at}": made.opened.text,
        }
        own = urlencode({name: value for name, value in said.items() if value}, safe=":,")
        return "?" + "&".join(filter(None, (self.beside, own)))


def _said_view(view: View, changes: Collection[str]) -> str:
    """Return what an address says of the view: one that is not remembered is always said."""
    return view if "view" in changes or view is View.REMOVED else ""
