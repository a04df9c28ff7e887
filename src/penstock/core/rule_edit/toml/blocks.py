"""See a TOML text as blocks of whole lines, so that a rule can be cut out and put elsewhere.

A block is a header with the pairs below it; a rule is its `[[...]]` block with the blocks of
its sub-tables. The comment lines directly above a header belong to it; what stands between
blank lines belongs to nobody and never moves. Whether the text is TOML is for `tomllib`.
Always true: blocks begin and end where lines do, never overlap, and together with the gaps
between them are the text, character for character; one pass, no recursion.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from penstock.core.rules.toml_positions import (
    BLANK,
    GAP,
    MANY_LINES,
    MAX_NESTING,
    MAX_PARTS,
    ONE_LINE,
)

Name = tuple[str, ...]

_SPACE = r"[ \t]*+"
_SEEN = r"[^\x00-\x08\n-\x1f\x7f"  # every character but control characters, and more to be left out
_BASIC = rf'"(?!"")(?:{_SEEN}"\\]++|\\[btnfr"\\])*+"'
_LITERAL = rf"'(?!''){_SEEN}']*+'"
_STRING = rf"(?:{_BASIC}|{_LITERAL})"
_PLAIN = r"(?:true|false|-?+(?:0|[1-9][0-9]{0,17}+)(?:\.[0-9]++)?+)"
_LIST = rf"\[{_SPACE}(?:{_STRING}{_SPACE}(?:,{_SPACE}{_STRING}{_SPACE})*+,?+{_SPACE})?+\]"
_REST = rf"{_SPACE}(?:#{_SEEN}]*+)?+\r?+"
# Nearly all of a rules file: lines that are empty, comments, or a pair with a plain value. Only
# what `edit_read.py` reads as `tomllib` does is simple; the rest is read by `tomllib` itself.
SIMPLE = re.compile(
    rf"(?:{_SPACE}(?:[\w-]++{_SPACE}={_SPACE}(?:{_STRING}|{_PLAIN}|{_LIST}))?+{_REST}\n)*+", re.A
)
SIMPLE_PAIR = re.compile(
    rf"^{_SPACE}([\w-]++){_SPACE}={_SPACE}({_STRING}|{_PLAIN}|{_LIST})", re.A | re.M
)
SIMPLE_STRING = re.compile(_STRING)
HEADER = re.compile(rf"{_SPACE}(\[\[?+){_SPACE}([\w-]++(?:\.[\w-]++){{0,8}}+){_SPACE}\]\]?+", re.A)
REST_OF_LINE = re.compile(rf"{_REST}(?:\n|\Z)")
LAST_PAIR = re.compile(r".*^[ \t]*+[^\s#][^\n]*+\n", re.M | re.S)
PART = re.compile(r"[\w-]++", re.A)
SCALAR = re.compile(r"[^\s\"'\[\]{},#]++(?: [0-9][^\s\"'\[\]{},#]*+)?+")
INSIDE = re.compile(r"[,=.]")


class LostError(Exception):
    """The text is not TOML from here on, or is beyond what a rules file needs."""


@dataclass(kw_only=True, slots=True)
class TomlBlock:
    """A header, or the top of the file, with the pairs below it, as positions in the text.

    `head` is where its comments begin, `start` its header, `body` behind the header's line and
    `tail` behind its last pair: blank lines and comments below that are not its own. A `plain`
    block has nothing but simple pairs.
    """

    name: Name
    many: bool
    head: int
    start: int
    body: int
    tail: int = 0
    plain: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Pair:
    """A key with its value: where its lines begin and end, and where its value does."""

    key: Name
    start: int
    value: int
    value_end: int
    end: int


def read_blocks(text: str, first: Sequence[TomlBlock] = ()) -> list[TomlBlock]:
    """Split a text into its blocks, the first one the top; LostError where it is not TOML.

    `first` are blocks that it is known to begin with; of the last one, only its header.
    """
    blocks = [*first] or [TomlBlock(name=(), many=False, head=0, start=0, body=0)]
    at = blocks[-1].body
    solid = 0  # up to here stands a value of several lines, which may look like comments
    while at < len(text):
        at = _past(REST_OF_LINE, text, _past(SIMPLE, text, at))
        if at == len(text):
            break
        block = _header(text, at)
        if block is None:
            at = solid = _line_end(text, _pair_end(text, _past(BLANK, text, at)))
            blocks[-1].plain = False
            continue
        floor = max(solid, blocks[-1].body)
        block.head = comment_start(text, at, floor)
        blocks[-1].tail = _pairs_end(text, block.head, floor)
        blocks.append(block)
        at = block.body
    blocks[-1].tail = _pairs_end(text, len(text), max(solid, blocks[-1].body))
    return blocks


def shared_blocks(
    text: str, other: str, blocks: Sequence[TomlBlock], *, step: int = 1024
) -> list[TomlBlock]:
    """Return the blocks of another text that this one begins with; of the last, only its header.

    How far a block reaches is told by what follows its header, and by nothing before it.
    """
    same = 0
    while same < len(text) and text[same : same + step] == other[same : same + step]:
        same += step
    *whole, last = blocks[: bisect_right(blocks, same, key=lambda block: block.body)]
    return [*whole, _begun(last)]


def _begun(block: TomlBlock) -> TomlBlock:
    return TomlBlock(
        name=block.name, many=block.many, head=block.head, start=block.start, body=block.body
    )


def _header(text: str, at: int) -> TomlBlock | None:
    """Read a header, or return None when this is a pair."""
    found = HEADER.match(text, at)
    if found is not None:
        name, many, end = tuple(found[2].split(".")), len(found[1]) == 2, found.end()
        if text.startswith("]]", end - 2) is not many:
            raise LostError
    else:
        begin = _past(BLANK, text, at)
        if not text.startswith("[", begin):
            return None
        many = text.startswith("[[", begin)
        name, end = _key(text, begin + 1 + many)
        if not text.startswith("]]" if many else "]", end):
            raise LostError
        end += 1 + many
    return TomlBlock(name=name, many=many, head=at, start=at, body=_line_end(text, end))


def _line_end(text: str, at: int) -> int:
    found = REST_OF_LINE.match(text, at)
    if found is None:
        raise LostError
    return found.end()


def _past(what: re.Pattern[str], text: str, at: int) -> int:
    found = what.match(text, at)
    return found.end() if found else at


def _key(text: str, at: int) -> tuple[Name, int]:
    """Read a key of one or more parts; return it and the position behind it."""
    parts: list[str] = []
    while len(parts) < MAX_PARTS:
        at = _past(BLANK, text, at)
        end = _past(PART, text, at)
        if end == at:
            end = _past(ONE_LINE, text, at)
        if end == at:
            raise LostError
        parts.append(_decoded(text[at:end]))
        at = _past(BLANK, text, end)
        if not text.startswith(".", at):
            return tuple(parts), at
        at += 1
    raise LostError


def _decoded(part: str) -> str:
    if part[0] not in "\"'":
        return part
    try:
        return next(iter(tomllib.loads(f"{part} = 0")))
    except ValueError:
        raise LostError from None


def _pair_end(text: str, at: int) -> int:
    """Return the end of the pair that begins here."""
    _, at = _key(text, at)
    return _value_end(text, _equals(text, at))


def _equals(text: str, at: int) -> int:
    """Go past `=` and the blanks behind it."""
    if not text.startswith("=", at):
        raise LostError
    return _past(BLANK, text, at + 1)


def _value_end(text: str, at: int) -> int:
    """Return the end of a value. Inside brackets only strings and brackets matter."""
    depth = 0
    while True:
        sign = text[at : at + 1]
        if sign and sign in "[{":
            depth += 1
            at += 1
        elif depth and sign and sign in "]}":
            depth -= 1
            at += 1
        else:
            at = _token_end(text, at, inside=depth > 0)
        if not depth:
            return at
        if depth > MAX_NESTING:
            raise LostError
        at = _past(GAP, text, at)


def element_spans(text: str) -> list[tuple[int, int]]:
    """Return where each element of a list begins and ends; the text is the list alone."""
    spans: list[tuple[int, int]] = []
    at = _past(GAP, text, 1)
    while not text.startswith("]", at):
        end = _value_end(text, at)
        spans.append((at, end))
        at = _past(GAP, text, _past(INSIDE, text, _past(GAP, text, end)))
    return spans


def _token_end(text: str, at: int, *, inside: bool) -> int:
    for what in (MANY_LINES, ONE_LINE, SCALAR, *((INSIDE,) if inside else ())):
        end = _past(what, text, at)
        if end > at:
            return end
    raise LostError


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


def read_pairs(text: str, at: int, end: int) -> Iterator[Pair]:
    """Yield the pairs between two positions."""
    while at < end:
        begin = _past(BLANK, text, at)
        if begin >= end:
            return
        if text[begin] in "#\r\n":
            at = _line_end(text, begin)
            continue
        key, equals = _key(text, begin)
        value = _equals(text, equals)
        value_end = _value_end(text, value)
        line_end = _line_end(text, value_end)
        yield Pair(key=key, start=at, value=value, value_end=value_end, end=line_end)
        at = line_end


def lines_of(text: str) -> list[str]:
    """Split at newlines only; `splitlines` knows ten other ends of a line."""
    return [f"{line}\n" for line in text.removesuffix("\n").split("\n")]
