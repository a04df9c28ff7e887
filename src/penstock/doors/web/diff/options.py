"""How a reader wants to see a diff: which page, which view, what is opened, what is hidden.

An address carries all of it, so every choice is a link and none needs a script.
Always true: options change what is on the screen and never what is approved; `to` keeps every
choice but the one that it changes.
"""

from __future__ import annotations

from enum import StrEnum
from urllib.parse import urlencode

from msgspec import Struct
from msgspec.structs import replace

from penstock.core.diff.expansion import ALL, CLOSED, STEP, Expansion


class View(StrEnum):
    """How the two sides stand to each other."""

    UNIFIED = "unified"
    SPLIT = "split"


HIDE = "hide"


class DiffOptions(Struct, frozen=True, kw_only=True):
    """What was asked for; `white_space` is false where lines that read the same are hidden."""

    view: View = View.UNIFIED
    number: int = 1
    lost_page: int = 0
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
            "view": made.view if "view" in changes else "",
            "page": made.number if made.number > 1 else "",
            "lost": made.lost_page or "",
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
            "view": made.view if "view" in changes else "",
            f"p{self.at}": made.number if made.number > 1 else "",
            f"s{self.at}": "" if made.white_space else HIDE,
            f"o{self.at}": made.opened.text,
        }
        own = urlencode({name: value for name, value in said.items() if value}, safe=":,")
        return "?" + "&".join(filter(None, (self.beside, own)))
