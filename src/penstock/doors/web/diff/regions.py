"""Where the lines are that an agent asks to be looked at first: links into the diff.

An agent's words are untrusted; how they look is the templates'. A link opens what is left out
around its line, and goes to the page that has it.
Always true: a link only leads somewhere in the whole diff, which stays below it; a line that does
not exist has no link and says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from penstock.core.diff.coverage import AFTER, BEFORE
from penstock.core.diff.expansion import ALL
from penstock.core.model import Hunk
from penstock.core.proposals.line_comment import LineComment
from penstock.core.text.display import in_line
from penstock.doors.web.diff.comparison import Comparison
from penstock.doors.web.diff.options import DiffOptions, View
from penstock.doors.web.diff.rows import Pager


class RegionLink(Struct, frozen=True, kw_only=True):
    """One region: its place and the agent's text, the query and the anchor that lead to it.

    `query` is empty where it is on the page that is shown, `anchor` where there is no such line.
    """

    place: str
    text: str
    query: str = ""
    anchor: str = ""


def region_links(
    regions: Iterable[LineComment], compared: Comparison | None, options: DiffOptions
) -> tuple[RegionLink, ...]:
    """Return the links of an agent's regions; `compared` is None for what is no text."""
    return tuple(_link(region, compared, options) for region in regions)


def _link(region: LineComment, compared: Comparison | None, options: DiffOptions) -> RegionLink:
    bare = RegionLink(place=region.place, text=in_line(region.text))
    if compared is None:
        return bare
    for side, line in _lines(region, compared):
        shown = compared if options.white_space else compared.without_white_space
        whole = View.UNIFIED if options.view is View.REMOVED else options.view
        found = Pager(shown, whole, options.opened).place(side, line)
        if found is None:
            continue
        made = replace(options, view=whole)
        if found.gap:
            made = replace(made, opened=options.opened.more(found.gap, down=ALL))
            found = Pager(shown, made.view, made.opened).place(side, line) or found
        made = replace(made, number=found.page)
        said = {} if whole is options.view else {"view": whole}
        query = "" if made == options else made.to(**said)
        return replace(bare, query=query, anchor=f"{side}-{line + 1}")
    return bare


def _lines(region: LineComment, compared: Comparison) -> Iterator[tuple[str, int]]:
    """Yield the first line of a region by its side; of a hunk, whichever side has one."""
    if region.start:
        yield BEFORE if region.removed else AFTER, region.start - 1
    elif 0 < region.hunk <= len(compared.hunks):
        hunk: Hunk = compared.hunks[region.hunk - 1]
        if hunk.before:
            yield BEFORE, hunk.before_start
        if hunk.after:
            yield AFTER, hunk.after_start
