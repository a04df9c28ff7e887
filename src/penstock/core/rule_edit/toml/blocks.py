"""See a TOML text as blocks of whole lines, so that a rule can be cut out and put elsewhere.

A block is a header with the pairs below it; a rule is its `[[...]]` block with the blocks of
its sub-tables. The comment lines directly above a header belong to it; what stands between
blank lines belongs to nobody and never moves. The text is one that `tomllib` has read.
Always true: blocks begin and end where lines do, never overlap, and together with the gaps
between them are the text, character for character; one pass, no recursion.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from penstock.core.rules.toml_positions import (
    BLANK,
    EMPTY,
    GAP,
    Name,
    Path,
    TomlHeader,
    TomlScan,
    pair_key,
    skip_value,
)

LAST_PAIR = re.compile(r".*^[ \t]*+[^\s#][^\n]*+\n", re.M | re.S)


class TomlBlock(Struct, frozen=True, kw_only=True):
    """A header, or the top of the file, with the pairs below it, as positions in the text.

    `head` is where its comments begin, `start` its header, `body` behind the header's line and
    `tail` behind its last pair: blank lines and comments below that are not its own.
    """

    name: Name
    many: bool
    head: int
    start: int
    body: int
    tail: int


class Pair(Struct, frozen=True, kw_only=True):
    """A key with its value: where its lines begin and end, and where its value does."""

    key: Path
    start: int
    value: int
    value_end: int
    end: int


def read_blocks(text: str, headers: Sequence[TomlHeader]) -> list[TomlBlock]:
    """Split a text that ends with a newline into its blocks, the first one the top."""
    heads = [comment_start(text, two.start, one.solid) for one, two in pairwise(headers)]
    return [
        TomlBlock(
            name=one.name,
            many=one.many,
            head=head,
            start=one.start,
            body=_line_end(text, one.body),
            tail=_pairs_end(text, end, _line_end(text, one.solid)),
        )
        for one, head, end in zip(headers, [0, *heads], [*heads, len(text)], strict=True)
    ]


def _line_end(text: str, at: int) -> int:
    """Return the end of the line that ends here; the headers are of a text that may lack it."""
    return text.index("\n", at - 1) + 1 if at else 0


def read_pairs(text: str, at: int, end: int) -> Iterator[Pair]:
    """Yield the pairs between two positions."""
    scan = TomlScan(text=text, at=at)
    while scan.at < end:
        start = scan.at
        if scan.skip(EMPTY):
            continue
        key = pair_key(scan, ())
        scan.skip(BLANK)
        value = scan.at
        skip_value(scan, key)
        value_end = scan.at
        scan.skip(EMPTY)
        yield Pair(key=key, start=start, value=value, value_end=value_end, end=scan.at)


def element_spans(text: str) -> list[tuple[int, int]]:
    """Return where each element of a list begins and ends; the text is the list alone."""
    spans: list[tuple[int, int]] = []
    scan = TomlScan(text=text, at=1)
    scan.skip(GAP)
    while not scan.next_is("]"):
        start = scan.at
        skip_value(scan, ())
        spans.append((start, scan.at))
        scan.skip(GAP)
        scan.next_is(",")
        scan.skip(GAP)
    return spans


# --- comments and gaps ------------------------------------------------------------------

MARKER = "# disabled by decision_reviewer: "
END_MARKER = "# end of what decision_reviewer disabled"
SCHEMA = "#:schema"
MOST_COMMENTS = 500  # lines that can belong to one header


def comment_start(text: str, at: int, floor: int) -> int:
    """Return where the comment lines directly above a header begin; they belong to it.

    A schema line belongs to the file, and a rule that was switched off to itself.
    """
    start = at
    for _ in range(MOST_COMMENTS):
        if start <= floor:
            break
        above = max(text.rfind("\n", floor, start - 1) + 1, floor)
        line = text[above:start].strip()
        if not line.startswith("#") or line.startswith((SCHEMA, END_MARKER)):
            break
        start = above
    # Without its end marker, what was switched off reaches down to the header.
    return start if text.find(MARKER, start, at) < 0 else at


def _pairs_end(text: str, end: int, floor: int) -> int:
    """Return the end of the last pair before `end`: blank lines and comments are none."""
    found = LAST_PAIR.match(text, floor, end)
    return found.end() if found else floor


def lines_of(text: str) -> list[str]:
    """Split at newlines only; `splitlines` knows ten other ends of a line."""
    return [f"{line}\n" for line in text.removesuffix("\n").split("\n")]
